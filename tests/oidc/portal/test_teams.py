"""Several developers of one client: who gets in, and who may do what."""

import re

import pytest

from oidc.errors import PortalFault
from oidc.portal import teams
from oidc.storage.stores.developers import Developer
from tests.support.service.portal_developer import Visitor, element

pytestmark = pytest.mark.alone


@pytest.fixture
def page(dora: Visitor) -> str:
    """Give the page of the owner's client."""
    return f"/clients/{dora.registered()[0]}"


def _invitation(owner: Visitor, page: str) -> str:
    return element(owner.send(f"{page}/team/invite", page).text, "link")


def _join(member: Visitor, link: str) -> int:
    status: int = member.send("/team", "/team", invitation=link).status_code
    return status


def _id(visitor: Visitor, email: str) -> str:
    with visitor.sign_in.database.read() as stores:
        (found,) = (each for each in stores.developers.all() if each.email == email)
    return str(found.developer_id)


def _remove(actor: Visitor, page: str, email: str) -> int:
    named = _id(actor, email)
    status: int = actor.send(f"{page}/team/remove", "/team", developer=named).status_code
    return status


def test_an_invited_developer_works_on_the_client(
    dora: Visitor, emil: Visitor, page: str
) -> None:
    """Sees and changes it, replaces its secret, and is seen; the owner's limit counts it."""
    before = emil.get(page).status_code
    joined = _join(emil, _invitation(dora, page))
    rotated = emil.send(f"{page}/secret", page, overlap="24")
    own = emil.register().status_code

    assert (before, joined, rotated.status_code, own) == (404, 303, 200, 201)
    assert page in emil.get().text
    assert "emil@dev.example" in dora.get(f"{page}/team").text


def test_only_the_owner_invites_removes_and_ends(
    dora: Visitor, emil: Visitor, page: str
) -> None:
    """A member cannot take the client from its owner."""
    _join(emil, _invitation(dora, page))
    forms = [f"{page}/team/invite", f"{page}/team/withdraw", f"{page}/remove"]
    refused = [emil.send(each, page, sure="yes").status_code for each in forms]
    refused += [emil.get(f"{page}/remove").status_code]
    refused += [_remove(emil, page, "dora@dev.example")]
    shown = emil.get(f"{page}/team").text + emil.get(f"{page}/change").text

    assert refused == [403] * 5
    assert dora.get(page).status_code == 200
    assert not re.search('id="(invite|remove)"', shown) and 'id="leave"' in shown


def test_a_removed_member_is_out_and_a_member_may_leave(
    dora: Visitor, emil: Visitor, page: str
) -> None:
    """At once, in a session that goes on."""
    _join(emil, _invitation(dora, page))
    removed, after = _remove(dora, page, "emil@dev.example"), emil.get(page).status_code
    _join(emil, _invitation(dora, page))
    left = _remove(emil, page, "emil@dev.example")

    assert (removed, after, left, emil.get(page).status_code) == (303, 404, 303, 404)


def test_an_owner_cannot_leave_the_client_alone(dora: Visitor, page: str) -> None:
    """A developer must be able to remove it."""
    assert _remove(dora, page, "dora@dev.example") == 403
    assert dora.get(page).status_code == 200


def test_an_invitation_lets_in_once_and_ends(dora: Visitor, emil: Visitor, page: str) -> None:
    """Used, withdrawn, too old or invented: one answer, and no developer joins."""
    used, withdrawn = _invitation(dora, page), _invitation(dora, page)
    first = _join(emil, used)
    _remove(dora, page, "emil@dev.example")
    dora.send(f"{page}/team/withdraw", page)
    late = _invitation(dora, page)
    dora.sign_in.clock.advance(7 * 86_400)
    emil.follow_login(emil.send("/sign-in"))

    assert first == 303
    assert [_join(emil, each) for each in (used, withdrawn, late, "x")] == [400] * 4
    assert emil.get(page).status_code == 404


def test_a_visitor_who_is_not_signed_in_cannot_join(dora: Visitor, page: str) -> None:
    """The operator decides who is a developer; the page says where to enter first."""
    visitor, link = Visitor(dora.sign_in), _invitation(dora, page)
    shown = visitor.get("/team").text
    sent = visitor.send("/team", "/join", invitation=link)

    assert "enter the portal" in shown
    assert sent.headers["location"] == dora.portal


def test_an_operator_gives_a_client_to_another_owner(
    dora: Visitor, emil: Visitor, page: str
) -> None:
    """The former owner loses it, open invitations too; the portal's own have no owner."""
    link, client_id = _invitation(dora, page), page.rpartition("/")[2]
    with dora.sign_in.database.write() as stores:
        now = dora.sign_in.clock()
        teams.assign(stores, client_id, _id(dora, "emil@dev.example"), now)
        for own in ("thenar-portal", "thenar-sandbox"):
            with pytest.raises(PortalFault, match="portal itself"):
                teams.assign(stores, own, _id(dora, "emil@dev.example"), now)
        with pytest.raises(PortalFault, match="no such developer"):
            teams.assign(stores, client_id, "x", now)
        owner = stores.client_teams.owner(client_id)  # type: ignore[arg-type]

    assert isinstance(owner, Developer) and owner.email == "emil@dev.example"
    assert (dora.get(page).status_code, _join(dora, link)) == (404, 400)
    assert 'id="invite"' in emil.get(f"{page}/team").text
