"""Who gets into the portal, and who does not."""

from collections.abc import Callable

import pytest

from oidc.storage.database import Database
from oidc.types import PairwiseSubject
from tests.support.service.portal_developer import Visitor, element, invite
from tests.support.service.sign_in import ANNA, BERT, MakeSignIn, SignIn

pytestmark = pytest.mark.alone


@pytest.fixture
def visitor(sign_in: SignIn) -> Visitor:
    """Give a browser at the portal."""
    return Visitor(sign_in)


def test_an_invitation_and_a_palm_let_a_developer_in(visitor: Visitor) -> None:
    """The whole way in; afterwards the palm alone is enough, in another browser, too."""
    answer = visitor.join(invite(visitor.sign_in))

    again = Visitor(visitor.sign_in)
    returned = again.follow_login(again.send("/sign-in"))

    assert (answer.status_code, answer.headers["location"]) == (303, visitor.portal)
    assert "Your apps" in visitor.get().text
    assert returned.status_code == 303
    assert "dora@dev.example" in again.get().text


def test_an_invitation_used_meanwhile_adds_no_developer(visitor: Visitor) -> None:
    """Two people with one link, both at the consent page: the second gets a refusal."""
    invitation, second = invite(visitor.sign_in), Visitor(visitor.sign_in, BERT)
    began = second.send("/join", "/join", invitation=invitation)
    visitor.join(invitation)

    assert second.follow_login(began).status_code == 400
    assert "Sign in with your palm" in second.get().text


def test_a_person_without_an_invitation_is_no_developer(visitor: Visitor) -> None:
    """An enrolled person is no developer, and hears whom to ask."""
    invite(visitor.sign_in)
    answer = visitor.follow_login(visitor.send("/sign-in"))

    assert answer.status_code == 403
    assert "You have not joined yet" in answer.text
    assert "help@id.example" in answer.text


def test_a_session_ends_with_its_time_and_by_signing_out(make_sign_in: MakeSignIn) -> None:
    """A browser left alone does not stay open, nor does the provider's session open it."""
    visitor = Visitor(make_sign_in(session_minutes=10))
    visitor.join(invite(visitor.sign_in))
    page = visitor.get("/clients/new")
    visitor.send("/sign-out")
    signed_out = visitor.get("/clients/new")
    visitor.follow_login(visitor.send("/sign-in"))
    back = visitor.get("/clients/new")
    visitor.sign_in.clock.advance(3600)

    late = visitor.get("/clients/new")

    assert [each.status_code for each in (page, signed_out, back, late)] == [200, 303, 200, 303]


def test_a_deleted_account_is_no_developer_any_more(visitor: Visitor) -> None:
    """The session ends with the pseudonym, at once."""
    visitor.join(invite(visitor.sign_in))
    visitor.sign_in.handoff.delete_account(ANNA)

    assert visitor.get("/clients/new").status_code == 303


def test_the_tokens_of_a_sign_in_are_dead_afterwards(visitor: Visitor) -> None:
    """The portal keeps no token, and leaves none behind."""
    visitor.join(invite(visitor.sign_in))
    with visitor.sign_in.database.read() as stores:
        developer = stores.developers.all()[0]
        assert developer.subject is not None
        living = stores.grants.end_subjects(
            [PairwiseSubject(developer.subject)], visitor.sign_in.clock()
        )

    assert not living


def test_a_proof_is_of_its_session(visitor: Visitor) -> None:
    """A page that was open before signing in cannot act for who signed in later."""
    before = visitor.proof()
    visitor.join(invite(visitor.sign_in))

    answer = visitor.browser.post(f"{visitor.portal}/sign-out", data={"proof": before})

    assert answer.status_code == 403


@pytest.mark.parametrize("body", ["proof=a&proof=b", "%ff=%ff", "x" * 20_000])
def test_a_malformed_form_is_refused(visitor: Visitor, body: str) -> None:
    """Never a server error."""
    visitor.get()
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    answer = visitor.browser.post(f"{visitor.portal}/join", content=body, headers=headers)

    assert answer.status_code == 403


@pytest.mark.parametrize(
    "query",
    [
        "",
        "code=x&state=y&iss=https://id.example",
        "error=access_denied&state=y",
        "&".join(f"a{number}=1" for number in range(200)),
    ],
)
def test_an_answer_without_a_request_signs_no_person_in(visitor: Visitor, query: str) -> None:
    """RFC 6749 §10.12: with a flow of this browser, and without any."""
    invite(visitor.sign_in)
    without = visitor.get(f"/callback?{query}")
    visitor.send("/sign-in")
    foreign = visitor.get(f"/callback?{query}")

    assert (without.status_code, foreign.status_code) == (400, 400)
    assert "The sign-in did not work" in foreign.text
    assert "Sign in with your palm" in visitor.get().text


def test_an_answer_to_one_flow_does_not_finish_another(visitor: Visitor) -> None:
    """The sandbox's callback is not the portal's."""
    visitor.join(invite(visitor.sign_in))
    visitor.send("/trial", "/trial")

    assert visitor.get("/callback?code=x").status_code == 400
    visitor.send("/sign-in")
    assert visitor.get("/trial/callback?code=x").status_code == 400


def test_a_flow_ends(visitor: Visitor) -> None:
    """An encrypted cookie kept for a day opens nothing."""
    invite(visitor.sign_in)
    visitor.send("/sign-in")
    visitor.sign_in.clock.advance(901)

    assert "took too long" in element(visitor.get("/callback?code=x").text, "reason")


def test_cookies_are_locked(visitor: Visitor) -> None:
    """On https: this host only, never in plain, never for scripts."""
    given = visitor.get().headers.get_list("set-cookie")

    assert len(given) == 1
    assert given[0].startswith("__Host-thenar-portal-form=")
    assert all(part in given[0] for part in ("HttpOnly", "Secure", "SameSite=lax", "Path=/"))


@pytest.mark.parametrize("changes", [{"portal": False}, {"profile": "fapi2"}])
def test_the_portal_can_be_switched_off(
    make_sign_in: Callable[..., SignIn], changes: dict[str, object]
) -> None:
    """And is never served where its clients would not be."""
    assert Visitor(make_sign_in(**changes)).get().status_code == 404


def test_own_clients_follow_the_settings(
    make_sign_in: Callable[..., SignIn], database: Database
) -> None:
    """An installation that moved invites again: the redirect URIs follow, nothing doubles."""
    invite(make_sign_in())
    moved = make_sign_in(issuer="https://new.example")
    invite(moved)
    with database.read() as stores:
        found = {each.client_id: each for each in stores.clients.all()}

    assert found["thenar-portal"].redirect_uris == ("https://new.example/portal/callback",)  # type: ignore[index]
    assert Visitor(moved).join(invite(moved)).status_code == 303


def test_pages_answer_head_and_callbacks_do_not(visitor: Visitor) -> None:
    """HEAD is safe: it must not spend a code."""
    answers = [visitor.browser.head(visitor.portal + path) for path in ("", "/join")]
    callback = visitor.browser.head(f"{visitor.portal}/callback?code=x")

    assert [each.status_code for each in answers] == [200, 200]
    assert callback.status_code == 405
