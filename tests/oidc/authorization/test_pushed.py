"""Pushed authorization requests: RFC 9126."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from oidc.clients.registry import RegisteredClient
from oidc.types import Authentication
from tests.support.clock import FakeClock
from tests.support.service.sign_in import CHALLENGE, VERIFIER, SignIn, query_of

PKCE = {"code_challenge": CHALLENGE, "code_challenge_method": "S256"}
ISSUER = "https://id.example"
PREFIX = "urn:ietf:params:oauth:request_uri:"


def push(sign_in: SignIn, fields: dict[str, str], by: RegisteredClient | None = None) -> Any:
    """Push a request."""
    return sign_in.new_browser().post("/par", data=fields, headers=sign_in.basic(by))


def pushed(sign_in: SignIn, by: RegisteredClient | None = None, **changes: str | None) -> str:
    """Push a valid request, changed; return its reference."""
    answer = push(sign_in, sign_in.request(by, **changes), by)
    assert answer.status_code == 201, answer.text
    reference: str = answer.json()["request_uri"]
    return reference


def follow(
    sign_in: SignIn, reference: str, by: RegisteredClient | None = None, **more: str
) -> Any:
    """Send the browser with a reference."""
    client_id = (by or sign_in.shop).client.client_id
    return sign_in.authorize({"client_id": client_id, "request_uri": reference, **more})


def test_a_pushed_request_is_followed_once(sign_in: SignIn) -> None:
    """The whole flow; nothing of the request was in an address."""
    answer = push(sign_in, sign_in.request(nonce="n", **PKCE))
    reference = answer.json()["request_uri"]

    page = follow(sign_in, reference).headers["location"]
    sign_in.approve(page)
    told = query_of(sign_in.proceed(page).headers["location"])

    assert (answer.status_code, answer.json()["expires_in"]) == (201, 60)
    assert answer.headers["cache-control"] == "no-store"
    assert reference.startswith(PREFIX)
    assert len(reference) == len(PREFIX) + 43
    assert told["state"] == sign_in.request()["state"]
    assert sign_in.redeem(told["code"], code_verifier=VERIFIER).status_code == 200
    again = follow(sign_in, reference)
    assert (again.status_code, "location" in again.headers) == (400, False)


def test_what_comes_beside_the_reference_is_not_read(sign_in: SignIn) -> None:
    """RFC 9126 §4: whoever holds the browser can change nothing."""
    page = follow(
        sign_in, pushed(sign_in), state="evil", scope="profile", redirect_uri="//evil"
    ).headers["location"]

    told = query_of(sign_in.browser.post(f"{page}/cancel").headers["location"])

    assert told["state"] == sign_in.request()["state"]


def test_a_browser_may_post_a_reference(sign_in: SignIn) -> None:
    """By GET and by POST, as every request."""
    fields = {"client_id": sign_in.shop.client.client_id, "request_uri": pushed(sign_in)}

    assert "/oauth/consent/" in sign_in.send("POST", fields).headers["location"]


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"scope": "profile"}, "invalid_scope"),
        ({"state": "s" * 501}, "invalid_request"),
        ({"code_challenge": CHALLENGE}, "invalid_request"),
        ({"redirect_uri": None}, "invalid_request"),
        ({"redirect_uri": "https://evil.example/"}, "invalid_request"),
        ({"client_id": "another"}, "invalid_request"),
        ({"request_uri": "urn:x"}, "invalid_request"),
        ({"request": "e30.e30."}, "request_not_supported"),
        ({"prompt": "none login"}, "invalid_request"),
    ],
)
def test_a_wrong_request_is_refused_at_once(
    sign_in: SignIn, change: dict[str, str | None], error: str
) -> None:
    """RFC 9126 §2.3: the client learns it before any person sees a page."""
    answer = push(sign_in, sign_in.request(**change))

    assert (answer.status_code, answer.json()["error"]) == (400, error)
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
    app = sign_in.register("App", "com.example.app:/cb", authentication=Authentication.NONE)

    answer = sign_in.browser.post("/par", data=sign_in.request(app, **PKCE))

    assert follow(sign_in, answer.json()["request_uri"], app).status_code == 302


def test_a_reference_is_its_clients_own(sign_in: SignIn) -> None:
    """Another client can neither use nor burn it."""
    other = sign_in.register("Other", "https://other.example/cb")
    reference = pushed(sign_in)

    assert follow(sign_in, reference, other).status_code == 400
    assert follow(sign_in, reference).status_code == 302


def test_a_reference_dies_after_its_minute(sign_in: SignIn, clock: FakeClock) -> None:
    """And is swept away."""
    reference = pushed(sign_in)
    clock.advance(60)

    assert follow(sign_in, reference).status_code == 400
    clock.advance(1)
    sign_in.sweep()
    with sign_in.database.write() as stores:
        assert stores.pushed.purge(clock()) == 0


def test_whoever_goes_back_to_a_used_reference_is_told_what_to_do(sign_in: SignIn) -> None:
    """The button “back” of a browser leads there."""
    reference = pushed(sign_in)
    follow(sign_in, reference)

    again = follow(sign_in, reference)

    assert again.status_code == 400
    assert "Go back to the app and start again" in again.text


@pytest.mark.parametrize("client_id", ["", "\x00", "unknown"])
def test_a_reference_without_its_client_is_shown(sign_in: SignIn, client_id: str) -> None:
    """No redirect URI is known, so nothing is redirected."""
    fields = {"client_id": client_id, "request_uri": pushed(sign_in)}

    assert sign_in.authorize(fields).status_code == 400


@pytest.mark.parametrize("reference", [PREFIX, PREFIX + "x", PREFIX + "ä\x00"])
def test_an_unknown_reference_is_shown(sign_in: SignIn, reference: str) -> None:
    """Never a server error."""
    assert follow(sign_in, reference).status_code == 400


@pytest.mark.parametrize("name", ["client_id", "request_uri"])
def test_a_repeated_reference_is_shown(sign_in: SignIn, name: str) -> None:
    """Which of the two?"""
    reference = pushed(sign_in)
    pairs = [("client_id", sign_in.shop.client.client_id), ("request_uri", reference)]

    assert sign_in.authorize([*pairs, (name, "x")]).status_code == 400


def test_of_concurrent_browsers_one_gets_the_request(sign_in: SignIn) -> None:
    """One DELETE: a copied address is worth nothing a moment later."""
    reference = pushed(sign_in)

    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda _: follow(sign_in, reference).status_code, range(6)))

    assert sorted(answers) == [302] + [400] * 5


def test_a_client_can_be_bound_to_push(sign_in: SignIn) -> None:
    """RFC 9126 §6: require_pushed_authorization_requests, per client."""
    strict = sign_in.register("Strict", "https://strict.example/cb", require_par=True)

    plain = sign_in.authorize(sign_in.request(strict)).headers["location"]
    other = sign_in.authorize(sign_in.request(strict, request_uri="https://x.example"))

    assert query_of(plain)["error"] == "invalid_request"
    assert query_of(other.headers["location"])["error"] == "request_uri_not_supported"
    assert follow(sign_in, pushed(sign_in, strict), strict).status_code == 302


def test_no_secret_is_kept_with_a_request(sign_in: SignIn, folder: Any) -> None:
    """Neither the client's, nor the reference."""
    fields = sign_in.request() | {"client_secret": sign_in.shop.secret}
    answer = sign_in.browser.post("/par", data=fields)

    stored = b"".join(path.read_bytes() for path in folder.glob("protocol.sqlite3*"))
    assert answer.status_code == 201
    assert sign_in.shop.secret.encode() not in stored
    assert answer.json()["request_uri"].removeprefix(PREFIX).encode() not in stored


def test_the_endpoint_is_promised(sign_in: SignIn) -> None:
    """At its address; not required of everybody."""
    document = sign_in.browser.get("/.well-known/openid-configuration").json()

    assert document["pushed_authorization_request_endpoint"] == f"{ISSUER}/par"
    assert document["require_pushed_authorization_requests"] is False
