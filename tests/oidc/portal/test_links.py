"""The portal without palms: one-time links let developers in, and nothing else does."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from oidc.errors import PortalFault
from oidc.portal import developers
from tests.support.service.portal_developer import Visitor, element, invite
from tests.support.service.sign_in import ANNA, BERT, SignIn


@pytest.fixture
def visitor(make_sign_in: Callable[..., SignIn]) -> Visitor:
    """Give a browser at a portal without palms."""
    return Visitor(make_sign_in(portal_palm=False))


def _enter(visitor: Visitor, link: str) -> int:
    status: int = visitor.send("/join", "/join", invitation=link).status_code
    return status


def _new_link(sign_in: SignIn, hours: int = 24) -> str:
    """Do what ``thenar portal link`` does for the first developer."""
    has_palm, lifetime = sign_in.settings.portal_palm, timedelta(hours=hours)
    with sign_in.database.write() as stores:
        (first, *_) = stores.developers.all()
        given = developers.give_link(
            stores, first.developer_id, lifetime, sign_in.clock(), has_palm=has_palm
        )
    return given.invitation


def _events(sign_in: SignIn) -> list[str]:
    with sign_in.database.read() as stores:
        recorded = [each.event for each in stores.audit.entries()]
    return [each for each in recorded if each.startswith("developer")]


def test_an_invitation_lets_in_and_a_new_link_does_it_again(visitor: Visitor) -> None:
    """Each entry is audited; the clients are still there."""
    first = _enter(visitor, invite(visitor.sign_in))
    client_id, _ = visitor.registered()
    visitor.send("/sign-out")
    out = visitor.get("/clients/new").status_code
    again = _enter(visitor, f"{visitor.portal}/join#{_new_link(visitor.sign_in)}")

    assert (first, out, again) == (303, 303, 303)
    assert client_id in visitor.get().text
    assert _events(visitor.sign_in) == [
        "developer_invited", "developer_entered", "developer_link_given", "developer_entered",
    ]  # fmt: skip


def test_a_link_is_good_once_and_ends(visitor: Visitor) -> None:
    """Opening its page spends nothing: programs that look at mail do so."""
    invitation, second = invite(visitor.sign_in), Visitor(visitor.sign_in)
    second.get("/join")
    first = _enter(visitor, invitation)
    twice = _enter(second, invitation)
    late = _new_link(visitor.sign_in, hours=1)
    visitor.sign_in.clock.advance(3600)

    assert (first, twice, _enter(second, late), _enter(second, "")) == (303, 400, 400, 400)


def test_a_new_link_ends_the_earlier_one_and_who_entered_by_it(visitor: Visitor) -> None:
    """A thief who was faster is out as soon as the developer complains."""
    thief = Visitor(visitor.sign_in)
    _enter(thief, invite(visitor.sign_in))
    unused = _new_link(visitor.sign_in)
    newest = _new_link(visitor.sign_in)

    assert thief.get("/clients/new").status_code == 303
    assert (_enter(thief, unused), _enter(visitor, newest)) == (400, 303)


def test_there_is_no_other_way_in(visitor: Visitor) -> None:
    """Neither the button nor the redirect URI of a sign-in by palm."""
    sign_in = visitor.send("/sign-in", "/join")
    callback = visitor.get("/callback?code=x")

    assert element(visitor.get().text, "link-only")
    assert (sign_in.status_code, callback.status_code) == (404, 404)


def test_a_change_of_the_way_in_signs_everybody_out(
    make_sign_in: Callable[..., SignIn],
) -> None:
    """A session by link is worth nothing where palms are wanted, and the other way round."""
    with_links, with_palms = make_sign_in(portal_palm=False), make_sign_in()
    by_link = Visitor(with_links)
    _enter(by_link, invite(with_links))
    by_palm = Visitor(with_palms)
    by_palm.join(invite(with_palms, "emil@dev.example"))
    before = [each.get("/clients/new").status_code for each in (by_link, by_palm)]

    by_link.sign_in, by_palm.sign_in = with_palms, with_links
    for each, app in ((by_link, with_palms), (by_palm, with_links)):
        fresh = Visitor(app).browser
        fresh.cookies.update(each.browser.cookies)
        each.browser = fresh

    assert before == [200, 200]
    assert [each.get("/clients/new").status_code for each in (by_link, by_palm)] == [303, 303]


def test_a_link_brings_back_who_deleted_the_account(sign_in: SignIn, dora: Visitor) -> None:
    """With palms: the person joins again, another palm than before, and has the clients."""
    client_id, _ = dora.registered()
    with pytest.raises(PortalFault, match="signs in by palm"):
        _new_link(sign_in)
    sign_in.handoff.delete_account(ANNA)

    again = Visitor(sign_in, BERT)
    again.join(_new_link(sign_in))

    assert client_id in again.get().text


def test_a_link_never_replaces_the_palm_of_a_developer(
    make_sign_in: Callable[..., SignIn],
) -> None:
    """A link left over from the time without palms takes no developer's place."""
    sign_in = make_sign_in()
    Visitor(sign_in).join(invite(sign_in))
    left_over = _new_link(make_sign_in(portal_palm=False))

    assert Visitor(sign_in, BERT).join(left_over).status_code == 400
