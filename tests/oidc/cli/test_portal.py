"""``thenar portal``: invitations from the command line."""

import pytest

from oidc.cli.portal import portal
from tests.support.service.operator import Operator
from tests.support.service.portal_developer import Visitor
from tests.support.service.sign_in import SignIn


@pytest.fixture
def operator(operator: Operator) -> Operator:
    """Give an operator who types ``thenar portal``."""
    return Operator(operator.database, portal)


@pytest.mark.alone
def test_invite_list_and_remove(operator: Operator, sign_in: SignIn) -> None:
    """The printed link joins; the list says so; a removed developer is signed out at once."""
    printed = operator.tell("invite", "--email", "d@dev.example", "--note", "[x]")
    # The command reads the real clock, the provider of the test stands still before it.
    visitor = Visitor(sign_in)
    assert visitor.join(printed["link"]).status_code == 303
    visitor.register()

    listed = operator.tell("list")
    table = operator.say("list")
    operator.say("remove", printed["developer_id"])

    assert "#" in printed["link"]
    assert [(each["state"], each["clients"]) for each in listed] == [("joined", "1")]
    assert "[x]" in table
    assert visitor.get("/clients/new").status_code == 303
    assert operator.tell("list") == []


def test_a_new_invitation_waits_and_is_printed_for_people(operator: Operator) -> None:
    """Two lines: the name to remove it by, and the link."""
    printed = operator.say("invite", "--email", "d@dev.example")

    assert "https://id.example/portal/join#" in printed
    assert operator.tell("list")[0]["state"] == "invited"


def test_a_link_is_printed_again(operator: Operator, monkeypatch: pytest.MonkeyPatch) -> None:
    """With palms only for who has not joined; the address is that of an invitation."""
    monkeypatch.setenv("THENAR_OIDC_PORTAL_PALM", "false")
    invited = operator.tell("invite", "--email", "d@dev.example")
    given = operator.tell("link", invited["developer_id"])

    assert given["link"].startswith("https://id.example/portal/join#")
    assert given["link"] != invited["link"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("invite", "--email", "no address"), "not an e-mail address"),
        (("invite", "--email", "a@b.example", "--note", "x" * 201), "at most 200"),
        (("remove", "0" * 32), "no such developer"),
        (("link", "0" * 32), "no such developer"),
    ],
)
def test_odd_calls_end_with_one_line(
    operator: Operator, arguments: tuple[str, ...], said: str
) -> None:
    """And nothing is kept."""
    done = operator.run(*arguments)

    assert done.exit_code == 1
    assert said in done.output
    assert operator.tell("list") == []
