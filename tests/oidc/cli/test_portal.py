"""``thenar portal``: invitations from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from oidc.cli.portal import portal
from tests.support.service.portal_developer import Visitor
from tests.support.service.sign_in import SignIn


@pytest.fixture
def environment(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Point the command at the database of the test."""
    monkeypatch.setenv("THENAR_OIDC_ISSUER", "https://id.example")
    monkeypatch.setenv("THENAR_OIDC_DATABASE_URL", f"sqlite:///{folder / 'protocol.sqlite3'}")
    monkeypatch.setenv("THENAR_OIDC_KEY_ENCRYPTION_KEY_FILE", str(folder / "protocol.key"))


def _run(*arguments: str) -> str:
    done = CliRunner().invoke(portal, arguments)
    assert done.exit_code == 0, done.output
    return done.output


@pytest.mark.usefixtures("environment")
def test_invite_list_and_remove(sign_in: SignIn) -> None:
    """The printed link joins; the list says so; a removed developer is signed out at once."""
    printed = json.loads(_run("invite", "--email", "d@dev.example", "--note", "[x]", "--json"))
    # The command reads the real clock, the provider of the test stands still before it.
    visitor = Visitor(sign_in)
    assert visitor.join(printed["link"]).status_code == 303
    visitor.register()

    listed = json.loads(_run("list", "--json"))
    table = _run("list")
    _run("remove", printed["developer_id"])

    assert "#" in printed["link"]
    assert [(each["state"], each["clients"]) for each in listed] == [("joined", "1")]
    assert "[x]" in table
    assert visitor.get("/clients/new").status_code == 303
    assert json.loads(_run("list", "--json")) == []


@pytest.mark.usefixtures("environment")
def test_a_new_invitation_waits_and_is_printed_for_people() -> None:
    """Two lines: the name to remove it by, and the link."""
    printed = _run("invite", "--email", "d@dev.example")

    assert "https://id.example/portal/join#" in printed
    assert json.loads(_run("list", "--json"))[0]["state"] == "invited"


@pytest.mark.usefixtures("environment")
def test_the_list_breaks_nothing_over_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a table would, each value has a line of its own."""
    monkeypatch.setenv("COLUMNS", "80")
    _run("invite", "--email", "a-long-name@a-long-host.dev.example")
    (developer,) = json.loads(_run("list", "--json"))

    listed = _run("list")

    assert all(developer[name] in listed for name in ("developer_id", "email", "invited_at"))


@pytest.mark.usefixtures("environment")
def test_a_link_is_printed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """With palms only for who has not joined; the address is that of an invitation."""
    monkeypatch.setenv("THENAR_OIDC_PORTAL_PALM", "false")
    invited = json.loads(_run("invite", "--email", "d@dev.example", "--json"))
    given = json.loads(_run("link", invited["developer_id"], "--json"))

    assert given["link"].startswith("https://id.example/portal/join#")
    assert given["link"] != invited["link"]


@pytest.mark.usefixtures("environment")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("invite", "--email", "nobody"), "not an e-mail address"),
        (("invite", "--email", "a@b.example", "--note", "x" * 201), "at most 200"),
        (("remove", "0" * 32), "no such developer"),
        (("link", "0" * 32), "no such developer"),
    ],
)
def test_odd_calls_end_with_one_line(arguments: tuple[str, ...], said: str) -> None:
    """And nothing is kept."""
    done = CliRunner().invoke(portal, arguments)

    assert done.exit_code == 1
    assert said in done.output
    assert json.loads(_run("list", "--json")) == []


@pytest.mark.usefixtures("environment")
def test_nobody_is_invited_where_no_portal_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """A link that leads nowhere is not printed."""
    monkeypatch.setenv("THENAR_OIDC_PORTAL", "false")
    done = CliRunner().invoke(portal, ["invite", "--email", "d@dev.example"])

    assert done.exit_code == 1
    assert "the portal is off" in done.output
