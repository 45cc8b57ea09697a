"""RFC 6749, RFC 7636 and RFC 9700 as a table: one thing wrong, one answer, one section each.

Every row starts from a request that is right and changes one thing. The answer must be the
error that the section names, reach nobody it must not reach, and issue nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import pytest

from oidc.clients.registry import RegisteredClient
from oidc.types import Authentication
from tests.support.clock import FakeClock
from tests.support.service.sign_in import CHALLENGE, REDIRECT_URI, VERIFIER, SignIn, query_of

SHOWN = "shown to the browser, told to nobody"
PUBLIC_URI = "https://browser.example/cb"
PKCE = {"code_challenge": CHALLENGE, "code_challenge_method": "S256"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}

Fields = dict[str, str | None]


@dataclass(frozen=True)
class Asked:
    """One authorization request with one thing wrong.

    Attributes:
        section: that forbids it.
        changes: to a request that is right.
        error: that the client is told, or ``SHOWN``.
    """

    section: str
    changes: Fields
    error: str = "invalid_request"


def elsewhere(section: str, redirect_uri: str | None) -> Asked:
    """Return a request with an address that is not exactly the registered one."""
    return Asked(section, {"redirect_uri": redirect_uri}, SHOWN)


ASKED = (
    Asked("RFC 6749 §3.1.1 response_type is missing", {"response_type": None}),
    Asked("RFC 6749 §3.1.1 empty counts as missing", {"response_type": ""}),
    Asked(
        "RFC 6749 §3.1.1 unknown response type",
        {"response_type": "x"},
        "unsupported_response_type",
    ),
    Asked(
        "RFC 6749 §3.1.1 response types have a case",
        {"response_type": "CODE"},
        "unsupported_response_type",
    ),
    Asked(
        "RFC 9700 §2.1.2 no implicit grant",
        {"response_type": "token"},
        "unsupported_response_type",
    ),
    Asked(
        "RFC 9700 §2.1.2 no implicit ID token",
        {"response_type": "id_token"},
        "unsupported_response_type",
    ),
    Asked(
        "RFC 9700 §2.1.2 no token from the authorization endpoint beside a code",
        {"response_type": "code token"},
        "unsupported_response_type",
    ),
    Asked(
        "RFC 9700 §2.1.2 no ID token from the authorization endpoint beside a code",
        {"response_type": "code id_token"},
        "unsupported_response_type",
    ),
    Asked("OAuth multiple response types §2.1 mode", {"response_mode": "fragment"}),
    Asked("RFC 6749 §3.3 scope without openid", {"scope": "profile"}, "invalid_scope"),
    Asked("RFC 6749 §3.3 no scope", {"scope": None}, "invalid_scope"),
    Asked("RFC 6749 §3.3 scopes have a case", {"scope": "OpenID"}, "invalid_scope"),
    Asked("RFC 6749 §3.3 scopes part at spaces", {"scope": "openid,x"}, "invalid_scope"),
    Asked("RFC 6749 §3.3 openid begins a word", {"scope": "openidx profile"}, "invalid_scope"),
    Asked("RFC 6749 §3.3 offline_access alone", {"scope": "offline_access"}, "invalid_scope"),
    Asked("specification §8 nonce is too long", {"nonce": "n" * 501}),
    Asked("Core §3.1.2.6 nobody is signed in", {"prompt": "none"}, "login_required"),
    Asked("Core §3.1.2.1 none stands alone", {"prompt": "none login"}),
    Asked(
        "Core §6.1 request", {"request": "eyJhbGciOiJub25lIn0.e30."}, "request_not_supported"
    ),
    Asked(
        "Core §6.2 request_uri",
        {"request_uri": "https://shop.example/r"},
        "request_uri_not_supported",
    ),
    Asked("Core §7.2.1 registration", {"registration": "{}"}, "registration_not_supported"),
    Asked("RFC 6749 §4.1.1 client_id is missing", {"client_id": None}, SHOWN),
    Asked("RFC 6749 §4.1.1 client_id is empty", {"client_id": ""}, SHOWN),
    Asked("RFC 6749 §4.1.2.1 endless client_id", {"client_id": "c" * 5000}, SHOWN),
    Asked("RFC 6749 §4.1.2.1 unknown client", {"client_id": "0" * 32}, SHOWN),
    Asked("RFC 6749 §4.1.2.1 hostile client_id", {"client_id": "a\x00b"}, SHOWN),
    elsewhere("RFC 6749 §4.1.2.1 redirect_uri is missing", None),
    elsewhere("RFC 6749 §3.1.2.4 unregistered address", "https://evil.example/callback"),
    elsewhere("RFC 6749 §3.1.2 fragment", f"{REDIRECT_URI}#x"),
    elsewhere("RFC 6749 §3.1.2 relative address", "/callback?tenant=1"),
    elsewhere("RFC 6749 §3.1.2 no scheme", "//evil.example"),
    elsewhere("RFC 9700 §4.11 a script", "javascript:alert(1)"),
    elsewhere("RFC 9700 §2.1 shorter", "https://shop.example/callback"),
    elsewhere("RFC 9700 §2.1 longer", f"{REDIRECT_URI}&x=1"),
    elsewhere("RFC 9700 §2.1 a slash more", "https://shop.example/callback/?tenant=1"),
    elsewhere("RFC 9700 §2.1 another case", "https://shop.example/Callback?tenant=1"),
    elsewhere(
        "RFC 9700 §2.1 another case of the host", "https://SHOP.example/callback?tenant=1"
    ),
    elsewhere("RFC 9700 §2.1 the default port", "https://shop.example:443/callback?tenant=1"),
    elsewhere("RFC 9700 §2.1 another scheme", "http://shop.example/callback?tenant=1"),
    elsewhere("RFC 9700 §2.1 a subdomain", "https://a.shop.example/callback?tenant=1"),
    elsewhere(
        "RFC 9700 §2.1 a path that returns", "https://shop.example/x/../callback?tenant=1"
    ),
    elsewhere("RFC 9700 §2.1 percent encoding", "https://shop.example/%63allback?tenant=1"),
    elsewhere("RFC 9700 §4.1.1 user information", "https://shop.example@evil.example/callback"),
    elsewhere(
        "RFC 9700 §4.1.1 a host that ends alike", "https://shop.example.evil.example/callback"
    ),
    elsewhere("RFC 9700 §4.1.1 a backslash", "https://evil.example\\shop.example/callback"),
    elsewhere("RFC 9700 §4.1.1 a tab", f"{REDIRECT_URI}\t"),
    Asked("RFC 7636 §4.3 no method means plain", {"code_challenge": CHALLENGE}),
    Asked(
        "RFC 7636 §4.4.1 plain is not supported",
        {"code_challenge": CHALLENGE, "code_challenge_method": "plain"},
    ),
    Asked(
        "RFC 7636 §4.4.1 unknown method",
        {"code_challenge": CHALLENGE, "code_challenge_method": "S512"},
    ),
    Asked(
        "RFC 7636 §4.3 methods have a case",
        {"code_challenge": CHALLENGE, "code_challenge_method": "s256"},
    ),
    Asked("RFC 7636 §4.3 a method without a challenge", {"code_challenge_method": "S256"}),
    Asked("RFC 7636 §4.2 too short", {**PKCE, "code_challenge": CHALLENGE[:-1]}),
    Asked("RFC 7636 §4.2 too long", {**PKCE, "code_challenge": f"{CHALLENGE}A"}),
    Asked("RFC 7636 §4.2 padded", {**PKCE, "code_challenge": f"{CHALLENGE[:-1]}="}),
    Asked("RFC 7636 §4.2 base64, not base64url", {**PKCE, "code_challenge": "+" * 43}),
)


@pytest.mark.parametrize("row", ASKED, ids=lambda row: row.section)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_an_authorization_request_with_one_thing_wrong(
    sign_in: SignIn, row: Asked, method: str
) -> None:
    """Told to the client with its state and ``iss``, or shown; never a login."""
    asked = sign_in.request(**row.changes)

    answer = sign_in.send(method, asked)

    assert "set-cookie" not in answer.headers
    if row.error == SHOWN:
        assert answer.status_code == 400
        assert "location" not in answer.headers
        assert "evil" not in answer.text
        assert "help@id.example" in answer.text
        return
    assert answer.status_code == (302 if method == "GET" else 303)
    assert answer.headers["location"].startswith(f"{REDIRECT_URI}&")
    told = query_of(answer.headers["location"])
    assert told["error"] == row.error
    assert told["state"] == "af0ifjsldkj"
    assert told["iss"] == "https://id.example"
    assert "code" not in told


REPEATED = (
    "acr_values", "client_id", "code_challenge", "code_challenge_method", "display",
    "login_hint", "nonce", "prompt", "redirect_uri", "response_type", "scope", "state",
    "ui_locales", "user_id",
)  # fmt: skip


@pytest.mark.parametrize("name", REPEATED)
def test_a_parameter_that_comes_twice(sign_in: SignIn, name: str) -> None:
    """RFC 6749 §3.1: also with the same value; a state that came twice is not sent back."""
    asked = {**sign_in.request(nonce="n", prompt="login"), **PKCE, "user_id": "x"}

    answer = sign_in.authorize([*asked.items(), *[(name, asked.get(name, "x"))] * 2])

    if name in ("client_id", "redirect_uri"):
        assert answer.status_code == 400
        return
    told = query_of(answer.headers["location"])
    assert told["error"] == "invalid_request"
    assert ("state" in told) == (name != "state")


def test_a_public_client_without_pkce(sign_in: SignIn) -> None:
    """RFC 9700 §2.1.1: compulsory for public clients."""
    public = sign_in.register("Browser", PUBLIC_URI, authentication=Authentication.NONE)

    told = query_of(sign_in.authorize(sign_in.request(public)).headers["location"])

    assert told["error"] == "invalid_request"


@dataclass(frozen=True)
class Exchanged:
    """One token request with one thing wrong.

    Attributes:
        section: that forbids it.
        changes: to the fields of a request that is right.
        error: of the answer.
        status: of the answer.
        asked: changes to the authorization request before.
        after_s: how late it comes.
        headers: sent along.
    """

    section: str
    changes: Fields
    error: str = "invalid_grant"
    status: int = 400
    asked: Fields | None = None
    after_s: float = 0
    headers: dict[str, str] | None = None


def unproved(section: str, **changes: str | None) -> Exchanged:
    """Return a request whose client is not who it says."""
    return Exchanged(section, changes, "invalid_client", 401)


def with_pkce(section: str, verifier: str | None, error: str = "invalid_grant") -> Exchanged:
    """Return a request with a wrong verifier."""
    return Exchanged(section, {"code_verifier": verifier}, error, asked=dict(PKCE))


EXCHANGED = (
    Exchanged("RFC 6749 §4.1.3 grant_type is missing", {"grant_type": None}, "invalid_request"),
    Exchanged(
        "RFC 6749 §5.2 unknown grant type", {"grant_type": "x"}, "unsupported_grant_type"
    ),
    Exchanged(
        "RFC 9700 §2.4 no password grant",
        {"grant_type": "password", "username": "a", "password": "b"},
        "unsupported_grant_type",
    ),
    Exchanged(
        "RFC 6749 §4.4 no client credentials grant",
        {"grant_type": "client_credentials"},
        "unsupported_grant_type",
    ),
    Exchanged("RFC 6749 §4.1.3 code is missing", {"code": None}, "invalid_request"),
    Exchanged("RFC 6749 §3.2 empty counts as missing", {"code": ""}, "invalid_request"),
    Exchanged("RFC 6749 §5.2 unknown code", {"code": "x"}),
    Exchanged("RFC 6749 §5.2 hostile code", {"code": "\x00"}),
    Exchanged("RFC 6749 §4.1.2 late", {}, after_s=60),
    Exchanged(
        "RFC 6749 §4.1.3 redirect_uri is missing", {"redirect_uri": None}, "invalid_request"
    ),
    Exchanged(
        "RFC 6749 §4.1.3 another redirect_uri",
        {"redirect_uri": "https://shop.example/callback"},
    ),
    unproved("RFC 6749 §3.2.1 no secret", client_secret=None),
    unproved("RFC 6749 §5.2 wrong secret", client_secret="x"),
    unproved("RFC 6749 §5.2 unknown client", client_id="0" * 32),
    unproved("RFC 6749 §5.2 hostile client", client_id="\x00"),
    unproved("RFC 6749 §3.2.1 no client at all", client_id=None, client_secret=None),
    Exchanged(
        "RFC 6749 §2.3 two ways of authentication",
        {},
        "invalid_request",
        headers={"Authorization": "Basic eDp5"},
    ),
    Exchanged(
        "RFC 6749 §2.3.1 Basic that is no UTF-8",
        {"client_secret": None},
        "invalid_client",
        401,
        headers={"Authorization": "Basic //8="},
    ),
    with_pkce("RFC 7636 §4.5 no verifier", None, "invalid_request"),
    with_pkce("RFC 7636 §4.6 another verifier", "x" * 43),
    with_pkce("RFC 7636 §4.6 the challenge itself (plain)", CHALLENGE),
    Exchanged(
        "RFC 9700 §4.8.2 a verifier where no challenge was (downgrade)",
        {"code_verifier": VERIFIER},
        "invalid_request",
    ),
)


@pytest.mark.parametrize("row", EXCHANGED, ids=lambda row: row.section)
def test_a_token_request_with_one_thing_wrong(
    sign_in: SignIn, clock: FakeClock, row: Exchanged
) -> None:
    """RFC 6749 §5.2: JSON, no-store, and 401 with a challenge for unproved clients."""
    code = sign_in.code(**(row.asked or {}))
    clock.advance(row.after_s)
    fields = sign_in.token_request(**{"code": code, **row.changes})

    answer = sign_in.post_token(fields, headers=row.headers)

    assert (answer.status_code, answer.json()["error"]) == (row.status, row.error)
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["cache-control"] == "no-store"
    assert ("www-authenticate" in answer.headers) == (row.status == 401)
    assert "access_token" not in answer.text


@pytest.mark.parametrize("length", [0, 1, 42, 129])
def test_a_verifier_of_a_wrong_length_is_never_right(sign_in: SignIn, length: int) -> None:
    """RFC 7636 §4.1: 43 to 128 characters."""
    answer = sign_in.redeem(sign_in.code(**PKCE), code_verifier="v" * length)

    assert answer.status_code == 400


BODIES: dict[str, tuple[Callable[[dict[str, str]], bytes], dict[str, str]]] = {
    "RFC 6749 §3.2 a parameter twice": (
        lambda fields: f"{urlencode(fields)}&code=x".encode(),
        FORM,
    ),
    "RFC 6749 §4.1.3 not a form": (
        lambda fields: urlencode(fields).encode(),
        {"Content-Type": "application/json"},
    ),
    "RFC 6749 §4.1.3 no content type": (lambda fields: urlencode(fields).encode(), {}),
    "RFC 6749 appendix B not UTF-8": (
        lambda fields: f"{urlencode(fields)}&x=%ff".encode(),
        FORM,
    ),
    "RFC 6749 appendix B raw bytes": (
        lambda fields: urlencode(fields).encode() + b"&x=\xff",
        FORM,
    ),
    "longer than any honest form": (
        lambda fields: f"{urlencode(fields)}&x={'x' * 20_000}".encode(),
        FORM,
    ),
    "more fields than any honest form": (
        lambda fields: f"{urlencode(fields)}{'&x=1' * 60}".encode(),
        FORM,
    ),
}


@pytest.mark.parametrize(("body", "headers"), BODIES.values(), ids=BODIES.keys())
@pytest.mark.parametrize("path", ["token", "revoke", "introspect", "par"])
def test_a_form_that_two_readers_could_read_differently(
    sign_in: SignIn,
    body: Callable[[dict[str, str]], bytes],
    headers: dict[str, str],
    path: str,
) -> None:
    """One answer wherever clients send forms."""
    fields = sign_in.token_request(code="c")

    answer = sign_in.new_browser().post(f"/{path}", content=body(fields), headers=headers)

    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_request")


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_the_token_endpoint_is_posted_to(sign_in: SignIn, method: str) -> None:
    """RFC 6749 §3.2: codes and secrets in an address would end in logs."""
    fields = sign_in.token_request(code=sign_in.code())

    assert sign_in.browser.request(method, "/token", params=fields).status_code == 405


def test_credentials_in_the_address_are_not_read(sign_in: SignIn) -> None:
    """RFC 6749 §2.3.1."""
    fields = sign_in.token_request(code=sign_in.code())

    answer = sign_in.new_browser().post("/token", params=fields, headers=FORM)

    assert answer.status_code == 400


@pytest.fixture
def other(sign_in: SignIn) -> RegisteredClient:
    """Give another client with the same redirect URI."""
    return sign_in.register("Other", REDIRECT_URI)


def test_a_code_of_another_client(sign_in: SignIn, other: RegisteredClient) -> None:
    """RFC 6749 §4.1.3, §10.5: refused, and not burnt by the stranger."""
    code = sign_in.code()
    named = {"client_id": other.client.client_id, "client_secret": other.secret}

    stolen = sign_in.redeem(code, **named)

    assert stolen.json()["error"] == "invalid_grant"
    assert sign_in.redeem(code).status_code == 200


def test_a_code_twice(sign_in: SignIn) -> None:
    """RFC 6749 §4.1.2, RFC 9700 §4.3.1: refused, and what it gave is dead."""
    code = sign_in.code(scope="openid offline_access")
    first = sign_in.redeem(code).json()

    assert sign_in.redeem(code).json()["error"] == "invalid_grant"
    assert sign_in.userinfo(first["access_token"]).status_code == 401
    assert sign_in.refresh(first["refresh_token"]).json()["error"] == "invalid_grant"


REFRESHED: dict[str, tuple[Fields, str]] = {
    "RFC 6749 §6 refresh_token is missing": ({"refresh_token": None}, "invalid_request"),
    "RFC 6749 §5.2 unknown refresh token": ({"refresh_token": "x"}, "invalid_grant"),
    "RFC 6749 §6 more scope than was granted": (
        {"scope": "openid offline_access profile"},
        "invalid_scope",
    ),
    "RFC 6749 §6 no scope at all": ({"scope": " "}, "invalid_scope"),
    "RFC 6749 §6 wrong secret": ({"client_secret": "x"}, "invalid_client"),
}


@pytest.mark.parametrize(("changes", "error"), REFRESHED.values(), ids=REFRESHED.keys())
def test_a_refresh_with_one_thing_wrong(sign_in: SignIn, changes: Fields, error: str) -> None:
    """The token stays good for whoever asks rightly."""
    token = sign_in.tokens(scope="openid offline_access")["refresh_token"]
    fields: Fields = {
        "grant_type": "refresh_token",
        "redirect_uri": None,
        "refresh_token": token,
        **changes,
    }

    answer = sign_in.post_token(sign_in.token_request(**fields))

    assert answer.json()["error"] == error
    assert sign_in.refresh(token).status_code == 200


def test_a_refresh_token_of_another_client(sign_in: SignIn, other: RegisteredClient) -> None:
    """RFC 6749 §10.4: bound to the client it was issued to, and not burnt by a stranger."""
    token = sign_in.tokens(scope="openid offline_access")["refresh_token"]
    named = {"client_id": other.client.client_id, "client_secret": other.secret}

    assert sign_in.refresh(token, **named).json()["error"] == "invalid_grant"
    assert sign_in.refresh(token).status_code == 200


def test_a_refresh_token_that_was_replaced(sign_in: SignIn, clock: FakeClock) -> None:
    """RFC 9700 §4.14.2: its reuse ends the family, the access token too."""
    first = sign_in.tokens(scope="openid offline_access")
    second = sign_in.refresh(first["refresh_token"]).json()
    clock.advance(sign_in.settings.refresh_grace_s + 1)

    assert sign_in.refresh(first["refresh_token"]).json()["error"] == "invalid_grant"
    assert sign_in.refresh(second["refresh_token"]).json()["error"] == "invalid_grant"
    assert sign_in.userinfo(second["access_token"]).status_code == 401


def test_no_refresh_token_without_its_scope(sign_in: SignIn) -> None:
    """RFC 9700 §2.2.2 and OpenID Connect Core §11: only where the person agreed to it."""
    assert "refresh_token" not in sign_in.tokens()


def test_what_protects_the_pages(sign_in: SignIn) -> None:
    """RFC 9700 §4.16 framing, §4.2.4 referrers, §4.12 the redirect after a form is a 303."""
    page = sign_in.open_page()
    shown = sign_in.browser.get(page)
    sign_in.approve(page)
    back = sign_in.proceed(page)

    assert "frame-ancestors 'none'" in shown.headers["content-security-policy"]
    assert shown.headers["x-frame-options"] == "DENY"
    assert back.status_code == 303
    assert back.headers["referrer-policy"] == "no-referrer"
    assert query_of(back.headers["location"])["iss"] == "https://id.example"


def test_an_access_token_in_an_address(sign_in: SignIn) -> None:
    """RFC 9700 §4.3.2, RFC 6750 §5.3: not read."""
    token: Any = sign_in.tokens()["access_token"]

    answer = sign_in.new_browser().get("/userinfo", params={"access_token": token})

    assert answer.status_code == 401


UNKNOWN = {"x": "1", "Client_ID": "evil", "resource": "https://api.example", "username": "a"}


def test_what_is_not_known_is_ignored(sign_in: SignIn) -> None:
    """RFC 6749 §3.1, §3.2: at both endpoints, and nothing of it comes back."""
    code = sign_in.code(**UNKNOWN)
    answer = sign_in.redeem(code, **UNKNOWN)

    assert answer.status_code == 200
    assert "evil" not in answer.text


@pytest.mark.parametrize("name", ["state", "nonce"])
def test_an_empty_parameter_is_left_out(sign_in: SignIn, name: str) -> None:
    """RFC 6749 §3.1: sent without a value, as if it were not there."""
    told = query_of(
        sign_in.authorize(sign_in.request(**{name: "", "scope": "x"})).headers["location"]
    )

    assert told["error"] == "invalid_scope"
    assert told.get("state") == (None if name == "state" else "af0ifjsldkj")


@pytest.mark.parametrize(
    "state", ["a\r\nSet-Cookie: x=y", "\x00", "<script>", "é", "a b&c=d#e"]
)
def test_a_hostile_state_comes_back_as_it_was_sent_and_does_nothing(
    sign_in: SignIn, state: str
) -> None:
    """RFC 6749 §10.14: the client's, encoded; never a header, never a second parameter."""
    answer = sign_in.authorize(sign_in.request(state=state, scope="x"))

    assert "set-cookie" not in answer.headers
    assert query_of(answer.headers["location"])["state"] == state
    assert answer.headers["location"].isprintable()


@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS"])
def test_no_script_of_another_site_reads_the_authorization_endpoint(
    sign_in: SignIn, method: str
) -> None:
    """RFC 9700 §2.6: CORS must not be supported there."""
    browser, origin = sign_in.new_browser(), {"Origin": "https://shop.example"}
    asked = {"Access-Control-Request-Method": "GET"} if method == "OPTIONS" else {}

    answer = browser.request(
        method, "/oauth/authorize", params=sign_in.request(), headers=origin | asked
    )

    assert not [name for name in answer.headers if name.startswith("access-control")]


def test_no_answer_of_the_authorization_endpoint_is_kept(sign_in: SignIn) -> None:
    """RFC 9700 §4.2.4, §4.3.2: codes stand in it, or will."""
    page = sign_in.open_page()
    sign_in.approve(page)
    answers = [
        sign_in.authorize(sign_in.request()),
        sign_in.authorize(sign_in.request(scope="x")),
        sign_in.authorize(sign_in.request(client_id="0" * 32)),
        sign_in.proceed(page),
    ]

    assert {answer.headers["cache-control"] for answer in answers} == {"no-store"}
    for answer in answers:
        leads_away = "location" in answer.headers
        told = "no-referrer" if leads_away else "same-origin"
        assert answer.headers["referrer-policy"] == told


VERIFIERS: dict[str, str] = {
    "RFC 7636 §4.1 a character that is not allowed": VERIFIER[:-1] + "+",
    "RFC 7636 §4.1 another case": VERIFIER.swapcase(),
    "RFC 7636 §4.6 the right one and more": VERIFIER + "A",
    "RFC 7636 §4.6 all but the last character": VERIFIER[:-1],
    "RFC 7636 §4.6 padded": VERIFIER + "=",
    "RFC 7636 §4.6 a space before it": " " + VERIFIER,
    "RFC 7636 §4.1 not ASCII": VERIFIER[:-1] + "é",
}


@pytest.mark.parametrize("verifier", VERIFIERS.values(), ids=VERIFIERS)
def test_a_verifier_with_one_thing_wrong(sign_in: SignIn, verifier: str) -> None:
    """Refused; the right one is not told apart from any other."""
    answer = sign_in.redeem(sign_in.code(**PKCE), code_verifier=verifier)

    assert answer.status_code == 400
    assert answer.json()["error"] in ("invalid_grant", "invalid_request")


@pytest.fixture
def public(sign_in: SignIn) -> RegisteredClient:
    """Give a public client."""
    return sign_in.register("Browser", PUBLIC_URI, authentication=Authentication.NONE)


def public_tokens(sign_in: SignIn, public: RegisteredClient) -> dict[str, Any]:
    """Go all the way to tokens of a public client."""
    page = sign_in.authorize(
        sign_in.request(public, scope="openid offline_access", **PKCE)
    ).headers["location"]
    sign_in.approve(page)
    code = query_of(sign_in.proceed(page).headers["location"])["code"]
    proof = {"redirect_uri": PUBLIC_URI, "code_verifier": VERIFIER}
    body: dict[str, Any] = public_redeem(sign_in, public, code=code, **proof).json()
    return body


def public_redeem(sign_in: SignIn, public: RegisteredClient, **fields: str) -> Any:
    """Send a token request of a public client."""
    kind = "refresh_token" if "refresh_token" in fields else "authorization_code"
    named = {"client_id": str(public.client.client_id), "grant_type": kind}
    return sign_in.post_token(named | fields)


def test_a_code_of_a_confidential_client_in_public_hands(
    sign_in: SignIn, public: RegisteredClient
) -> None:
    """RFC 6749 §4.1.3: issued to whoever is named, or refused; and not burnt."""
    code = sign_in.code(**PKCE)

    stolen = public_redeem(
        sign_in, public, code=code, redirect_uri=REDIRECT_URI, code_verifier=VERIFIER
    )

    assert stolen.json()["error"] == "invalid_grant"
    assert sign_in.redeem(code, code_verifier=VERIFIER).status_code == 200


def test_a_public_clients_refresh_token_is_rotated(
    sign_in: SignIn, public: RegisteredClient, clock: FakeClock
) -> None:
    """RFC 9700 §2.2.2, §4.14.2: a must where no key binds it; its reuse ends the family."""
    first = public_tokens(sign_in, public)["refresh_token"]
    second = public_redeem(sign_in, public, refresh_token=first).json()["refresh_token"]
    clock.advance(sign_in.settings.refresh_grace_s + 1)

    assert second != first
    for token in (first, second):
        answer = public_redeem(sign_in, public, refresh_token=token)
        assert answer.json()["error"] == "invalid_grant"


def test_nobody_without_a_secret_refreshes_for_whoever_has_one(sign_in: SignIn) -> None:
    """RFC 6749 §6: whoever was given credentials must show them."""
    token = sign_in.tokens(scope="openid offline_access")["refresh_token"]

    assert sign_in.refresh(token, client_secret=None).json()["error"] == "invalid_client"
    assert sign_in.refresh(token).status_code == 200


def test_what_is_issued_cannot_be_guessed(sign_in: SignIn) -> None:
    """RFC 6749 §10.10: 160 bits and more, and never the same twice."""
    codes = {sign_in.code() for _ in range(3)}
    tokens = [sign_in.tokens(scope="openid offline_access") for _ in range(2)]

    assert len(codes) == 3
    assert min(map(len, codes)) >= 43  # 256 bits in base64url
    assert len({each["refresh_token"] for each in tokens}) == 2
    assert min(len(each["refresh_token"]) for each in tokens) >= 43
