"""Pushed authorization requests: RFC 9126."""

from typing import Any

import pytest

from oidc.client import Authentication
from tests.support.clock import FakeClock
from tests.support.service.sign_in import (
    CHALLENGE,
    VERIFIER,
    MakeSignIn,
    SignIn,
    error_of,
    is_asked,
    query_of,
    response_of,
)

PKCE = {"code_challenge": CHALLENGE, "code_challenge_method": "S256"}
TWICE = "another value"
PREFIX = "urn:ietf:params:oauth:request_uri:"


def pushed(sign_in: SignIn, **changes: str | None) -> str:
    """Push a valid request, changed; return its reference."""
    answer = sign_in.call("par", sign_in.request(**changes))
    assert answer.status_code == 201, answer.text
    reference: str = answer.json()["request_uri"]
    return reference


def stored(sign_in: SignIn) -> list[str]:
    """Return the parameters of all requests, as the database has them."""
    with sign_in.database.engine.connect() as at:
        return list(at.exec_driver_sql("SELECT parameters FROM pushed_requests").scalars())


def follow(sign_in: SignIn, reference: str, **more: str) -> Any:
    """Send the browser with a reference."""
    client_id = sign_in.shop.client.client_id
    return sign_in.authorize({"client_id": client_id, "request_uri": reference, **more})


def test_a_pushed_request_is_followed_once(sign_in: SignIn) -> None:
    """The whole flow; nothing of the request was in an address."""
    answer = sign_in.call("par", sign_in.request(nonce="n", **PKCE))
    reference = answer.json()["request_uri"]

    page = follow(sign_in, reference).headers["location"]
    sign_in.approve(page)
    said = response_of(sign_in.proceed(page))

    assert (answer.status_code, answer.json()["expires_in"]) == (201, 60)
    assert answer.headers["cache-control"] == "no-store"
    assert reference.startswith(PREFIX)
    assert len(reference) == len(PREFIX) + 43
    assert said["state"] == sign_in.request()["state"]
    assert sign_in.redeem(said["code"], code_verifier=VERIFIER).status_code == 200
    again = follow(sign_in, reference)
    assert (again.status_code, "location" in again.headers) == (400, False)
    assert "Go back to the app and start again" in again.text


def test_a_reload_and_a_second_tab_begin_again_and_one_gets_a_code(sign_in: SignIn) -> None:
    """FAPI 2.0 §5.3.2.2, note 3: the answer spends it, even after its minute, not the visit."""
    reference = pushed(sign_in)
    first, second = (follow(sign_in, reference).headers["location"] for _ in range(2))

    sign_in.approve(second)
    assert "code" in response_of(sign_in.proceed(second))

    assert follow(sign_in, reference).status_code == 400
    assert sign_in.browser.get(f"{first}/state").json()["hint"] != "wait_palm"


def test_two_sign_ins_of_one_reference_give_one_code(sign_in: SignIn, clock: FakeClock) -> None:
    """Each in its own browser; the other is refused."""
    reference, other = pushed(sign_in), sign_in.new_browser()
    fields = {"client_id": sign_in.shop.client.client_id, "request_uri": reference}
    first = follow(sign_in, reference).headers["location"]
    second = sign_in.authorize(fields, other).headers["location"]
    clock.advance(61)
    sign_in.sweep()
    for page, browser in ((first, sign_in.browser), (second, other)):
        sign_in.approve(page, browser=browser)

    assert "code" in response_of(sign_in.proceed(first))
    assert response_of(sign_in.proceed(second, other))["error"] == "access_denied"


def test_a_posted_reference_stays_the_same_one(make_sign_in: MakeSignIn) -> None:
    """The GET that brings the cookie gives it no longer life, and no second code."""
    sign_in = make_sign_in(session_minutes=10)
    fields = {"client_id": sign_in.shop.client.client_id, "request_uri": pushed(sign_in)}

    answer = sign_in.new_browser().post("/oauth/authorize", data=fields)

    assert (answer.status_code, query_of(answer.headers["location"])) == (303, fields)


def test_what_comes_beside_the_reference_is_not_read(sign_in: SignIn) -> None:
    """RFC 9126 §4: the holder of the browser can change nothing."""
    page = follow(
        sign_in, pushed(sign_in), state="evil", scope="profile", redirect_uri="//evil"
    ).headers["location"]

    said = response_of(sign_in.browser.post(f"{page}/cancel"))

    assert said["state"] == sign_in.request()["state"]


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"redirect_uri": None}, "invalid_request"),
        ({"redirect_uri": "https://evil.example/"}, "invalid_request"),
        ({"client_id": "another"}, "invalid_request"),
        ({"request_uri": "urn:x"}, "invalid_request"),
    ],
)
def test_a_wrong_request_is_refused_at_once(
    sign_in: SignIn, change: dict[str, str | None], error: str
) -> None:
    """RFC 9126 §2.3: the client learns it before any person sees a page."""
    answer = sign_in.call("par", sign_in.request(**change))

    assert error_of(answer) == (400, error)
    assert answer.json()["error_description"]


def test_the_client_id_may_be_left_to_the_header(sign_in: SignIn) -> None:
    """The client has just proved who it is."""
    assert follow(sign_in, pushed(sign_in, client_id=None)).status_code == 302


def test_only_the_client_itself_can_push(sign_in: SignIn) -> None:
    """A wrong secret, or none."""
    secret = sign_in.browser.post("/par", data=sign_in.request() | {"client_secret": "x"})
    nothing = sign_in.browser.post("/par", data=sign_in.request())

    assert [each.status_code for each in (secret, nothing)] == [401, 401]


def test_a_public_client_may_push(sign_in: SignIn) -> None:
    """RFC 9126 §2.1: as it would call the token endpoint."""
    app = sign_in.another("App", "com.example.app:/cb", authentication=Authentication.NONE)

    assert is_asked(follow(app, pushed(app)))


def test_a_reference_is_its_clients_own(sign_in: SignIn) -> None:
    """Another client can neither use nor burn it."""
    reference = pushed(sign_in)

    assert follow(sign_in.another(), reference).status_code == 400
    assert follow(sign_in, reference).status_code == 302


def test_a_reference_dies_after_its_minute(sign_in: SignIn, clock: FakeClock) -> None:
    """RFC 9126 §2.2: a link that was seen is worth nothing for long. No parameter stays."""
    reference = pushed(sign_in, unknown="x" * 9000)
    assert not any("unknown" in each for each in stored(sign_in))
    clock.advance(61)
    sign_in.sweep()

    assert follow(sign_in, reference).status_code == 400
    assert {*stored(sign_in)} == {"{}"}


@pytest.mark.parametrize(
    "changes",
    [
        *({"client_id": each} for each in ("", "\x00", "unknown")),
        *({"request_uri": PREFIX + each} for each in ("", "x", "ä\x00")),
        *({name: TWICE} for name in ("client_id", "request_uri")),
    ],
)
def test_a_reference_that_leads_nowhere_is_shown(
    sign_in: SignIn, changes: dict[str, str]
) -> None:
    """No redirect URI is known, so nothing is redirected; and never a server error."""
    ours = {"client_id": sign_in.shop.client.client_id, "request_uri": pushed(sign_in)}
    sent = [*(ours | changes).items()]
    if TWICE in changes.values():
        sent = [*ours.items(), *changes.items()]

    answer = sign_in.authorize(sent)

    assert (answer.status_code, "location" in answer.headers) == (400, False)


def test_a_client_can_be_bound_to_push(sign_in: SignIn) -> None:
    """RFC 9126 §6: require_pushed_authorization_requests, per client."""
    strict = sign_in.another(require_par=True)

    assert response_of(strict.ask())["error"] == "invalid_request"
    other = strict.ask(request_uri="https://x.example")
    assert response_of(other)["error"] == "request_uri_not_supported"
    assert is_asked(follow(strict, pushed(strict)))
