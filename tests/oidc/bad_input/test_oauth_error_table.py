"""The negative tables: a request that is right, one thing changed, the answer of the standard.

RFC 6749, RFC 7636, RFC 9700, OpenID Connect Core and the specification. The answer must be the
error that the section names, reach no other receiver, and issue nothing.
"""

import base64
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import urlencode

import pytest

from tests.support.clock import FakeClock
from tests.support.service.sign_in import (
    CHALLENGE,
    REDIRECT_URI,
    VERIFIER,
    SignIn,
    error_of,
    response_of,
)

SHOWN = "shown to the browser, sent to no client"
INVALID, SCOPE, TYPE = "invalid_request", "invalid_scope", "unsupported_response_type"
PKCE = {"code_challenge": CHALLENGE, "code_challenge_method": "S256"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
UNSIGNED = "eyJhbGciOiJub25lIn0.e30."

Fields = dict[str, str | None]

ASKED: dict[str, tuple[Fields, str]] = {
    "specification §4.1 response_type is missing": ({"response_type": None}, INVALID),
    "RFC 6749 §3.1 empty counts as missing": ({"response_type": ""}, INVALID),
    "RFC 6749 §3.1.1 unknown response type": ({"response_type": "x"}, TYPE),
    "RFC 6749 §3.1.1 response types have a case": ({"response_type": "CODE"}, TYPE),
    "RFC 9700 §2.1.2 no implicit grant": ({"response_type": "token"}, TYPE),
    "RFC 9700 §2.1.2 no ID token beside a code": ({"response_type": "code id_token"}, TYPE),
    "OAuth multiple response types §2.1 mode": ({"response_mode": "fragment"}, INVALID),
    "JARM is not supported": ({"response_mode": "form_post.jwt"}, INVALID),
    "a form turns a line break into two characters": (
        {"response_mode": "form_post", "state": "line\nbreak"},
        INVALID,
    ),
    "a form carries no NUL": ({"response_mode": "form_post", "state": "nul\x00"}, INVALID),
    "specification §4.1 scope without openid": ({"scope": "profile"}, SCOPE),
    "specification §4.1 no scope": ({"scope": None}, SCOPE),
    "RFC 6749 §3.3 scopes have a case": ({"scope": "OpenID"}, SCOPE),
    "RFC 6749 §3.3 openid begins a word": ({"scope": "openidx profile"}, SCOPE),
    "specification §8 state of 501 characters": ({"state": "ä" + "s" * 500}, INVALID),
    "RFC 6749 §3.1 an empty state is none": ({"state": "", "scope": "x"}, SCOPE),
    "RFC 6749 §3.1 an empty nonce is none": ({"nonce": "", "scope": "x"}, SCOPE),
    "RFC 6749 §10.14 state with a line": ({"state": "a\r\nX: x=y", "scope": "x"}, SCOPE),
    "RFC 6749 §10.14 state with markup": ({"state": "<script>", "scope": "x"}, SCOPE),
    "nonce is too long": ({"nonce": "n" * 501}, INVALID),
    "Core §3.1.2.6 no account is signed in": ({"prompt": "none"}, "login_required"),
    "Core §3.1.2.1 none stands alone": ({"prompt": "none login"}, INVALID),
    "Initiating User Registration §4.1.1 prompt": ({"prompt": "login create"}, INVALID),
    "Core §3.1.2.1 an age is a number": ({"max_age": "soon"}, INVALID),
    "Core §3.1.2.1 an age in other digits": ({"max_age": "١"}, INVALID),
    "Core §5.5 claims are JSON": ({"claims": "[" * 5000}, INVALID),
    "Core §5.5 claims are an object": ({"claims": "[]"}, INVALID),
    "Core §5.5 each part of them, too": ({"claims": '{"id_token": []}'}, INVALID),
    "Core §6.1 request": ({"request": UNSIGNED}, "request_not_supported"),
    "Core §6.2 request_uri": ({"request_uri": "https://a/r"}, "request_uri_not_supported"),
    "Core §7.2.1 registration": ({"registration": "{}"}, "registration_not_supported"),
    "RFC 9449 §10 a thumbprint too short": ({"dpop_jkt": "x" * 42}, INVALID),
    "RFC 9449 §10 no thumbprint": ({"dpop_jkt": "=" * 43}, INVALID),
    "specification §4.1 client_id is missing": ({"client_id": None}, SHOWN),
    "RFC 6749 §4.1.2.1 endless client_id": ({"client_id": "c" * 5000}, SHOWN),
    "RFC 6749 §4.1.2.1 unknown client": ({"client_id": "0" * 32}, SHOWN),
    "RFC 6749 §4.1.2.1 hostile client_id": ({"client_id": "a\x00b"}, SHOWN),
    "RFC 7636 §4.3 no method means plain": ({"code_challenge": CHALLENGE}, INVALID),
    "RFC 7636 §4.4.1 no plain method": ({**PKCE, "code_challenge_method": "plain"}, INVALID),
    "RFC 7636 §4.3 methods have a case": ({**PKCE, "code_challenge_method": "s256"}, INVALID),
    "RFC 7636 §4.3 a method alone": ({"code_challenge_method": "S256"}, INVALID),
    "RFC 7636 §4.2 too short": ({**PKCE, "code_challenge": CHALLENGE[:-1]}, INVALID),
    "RFC 7636 §4.2 too long": ({**PKCE, "code_challenge": f"{CHALLENGE}A"}, INVALID),
    "RFC 7636 §4.2 padded": ({**PKCE, "code_challenge": f"{CHALLENGE[:-1]}="}, INVALID),
    "RFC 7636 §4.2 base64, not base64url": ({**PKCE, "code_challenge": "+" * 43}, INVALID),
}

OTHER_ADDRESSES: dict[str, str | None] = {
    "specification §4.1 redirect_uri is missing": None,
    "RFC 6749 §3.1 empty": "",
    "RFC 6749 §3.1.2 fragment": f"{REDIRECT_URI}#x",
    "RFC 6749 §3.1.2 an empty fragment": f"{REDIRECT_URI}#",
    "RFC 6749 §3.1.2 relative address": "/callback?tenant=1",
    "RFC 6749 §3.1.2 no scheme": "//evil.example",
    "RFC 9700 §4.11 a script": "javascript:alert(1)",
    "RFC 9700 §2.1 shorter": "https://shop.example/callback",
    "RFC 9700 §2.1 longer": f"{REDIRECT_URI}&x=1",
    "RFC 9700 §2.1 a slash more": "https://shop.example/callback/?tenant=1",
    "RFC 9700 §2.1 another case": "https://shop.example/Callback?tenant=1",
    "RFC 9700 §2.1 another case of the host": "https://SHOP.example/callback?tenant=1",
    "RFC 9700 §2.1 the default port": "https://shop.example:443/callback?tenant=1",
    "RFC 9700 §2.1 another scheme": "http://shop.example/callback?tenant=1",
    "RFC 9700 §2.1 a path that returns": "https://shop.example/x/../callback?tenant=1",
    "RFC 9700 §2.1 percent encoding": "https://shop.example/%63allback?tenant=1",
    "RFC 9700 §4.1.1 user information": "https://shop.example@evil.example/callback",
    "RFC 9700 §4.1.1 a host that ends alike": "https://shop.example.evil.example/callback",
    "RFC 9700 §4.1.1 a tab": f"{REDIRECT_URI}\t",
}
"""Addresses that are not exactly the registered one: specification §4.1 and §5."""

REFUSED = ASKED | {
    name: ({"redirect_uri": uri}, SHOWN) for name, uri in OTHER_ADDRESSES.items()
}


@pytest.mark.parametrize(("changes", "error"), REFUSED.values(), ids=REFUSED)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_an_authorization_request_with_one_thing_wrong(
    sign_in: SignIn, changes: Fields, error: str, method: str
) -> None:
    """Sent to the client with its state and ``iss``, or shown; never a login."""
    asked = sign_in.request(**changes)

    answer = sign_in.send(method, asked)

    assert "set-cookie" not in answer.headers
    if error == SHOWN:
        assert answer.status_code == 400
        assert "location" not in answer.headers
        assert "evil" not in answer.text
        assert "help@id.example" in answer.text
        return
    assert answer.status_code == (302 if method == "GET" else 303)
    assert answer.headers["location"].startswith(f"{REDIRECT_URI}&")
    assert answer.headers["location"].isprintable()
    said = response_of(answer)
    assert said["error"] == error
    assert said["error_description"]
    assert said.get("state") == (asked["state"] or None)
    assert said["iss"] == "https://id.example"
    assert "code" not in said


REPEATED = (
    "acr_values", "client_id", "code_challenge", "code_challenge_method", "display", "dpop_jkt",
    "login_hint", "nonce", "prompt", "redirect_uri", "response_mode", "response_type", "scope",
    "state", "ui_locales", "user_id",
)  # fmt: skip


@pytest.mark.parametrize("name", REPEATED)
def test_a_parameter_that_comes_twice(sign_in: SignIn, name: str) -> None:
    """RFC 6749 §3.1: also with the same value; a state that came twice is not sent back."""
    asked = {**sign_in.request(nonce="n", prompt="login"), **PKCE, "user_id": "x"}

    answer = sign_in.authorize([*asked.items(), *[(name, asked.get(name, "form_post"))] * 2])

    if name in ("client_id", "redirect_uri"):
        assert answer.status_code == 400
        return
    assert response_of(answer)["error"] == "invalid_request"
    assert ("state" in response_of(answer)) == (name != "state")


@dataclass(frozen=True)
class Exchanged:
    """One token request with one thing wrong.

    Attributes:
        changes: to the fields of a request that is right.
        error: of the answer.
        asked: changes to the authorization request before.
        after_s: how late it comes.
        headers: sent along.
    """

    changes: Fields
    error: str = "invalid_grant"
    asked: Fields = field(default_factory=dict)
    after_s: float = 0
    headers: dict[str, str] = field(default_factory=dict)


def unproved(**changes: str | None) -> Exchanged:
    """Return a request whose client is not who it says."""
    return Exchanged(changes, "invalid_client")


def by_header(authorization: str) -> Exchanged:
    """Return a request whose client shows a header that proves nothing."""
    changes: Fields = {"client_id": None, "client_secret": None}
    return Exchanged(changes, "invalid_client", headers={"Authorization": authorization})


def basic(pair: bytes) -> str:
    """Return an HTTP Basic header."""
    return f"Basic {base64.b64encode(pair).decode()}"


def of_kind(grant_type: str) -> Exchanged:
    """Return a request for another grant."""
    return Exchanged({"grant_type": grant_type}, "unsupported_grant_type")


def with_verifier(verifier: str | None, error: str = "invalid_grant") -> Exchanged:
    """Return a request with a wrong verifier."""
    return Exchanged({"code_verifier": verifier}, error, asked=dict(PKCE))


OTHER_HEADER = {"Authorization": "Basic eDp5"}
EXCHANGED = {
    "specification §4.3 grant_type is missing": Exchanged({"grant_type": None}, INVALID),
    "RFC 6749 §5.2 unknown grant type": of_kind("x"),
    "RFC 6749 §5.2 hostile grant type": of_kind('e"\n\\'),
    "RFC 9700 §2.4 no password grant": of_kind("password"),
    "RFC 6749 §4.4 no client credentials grant": of_kind("client_credentials"),
    "specification §4.3 code is missing": Exchanged({"code": None}, INVALID),
    "RFC 6749 §5.2 unknown code": Exchanged({"code": "x"}),
    "RFC 6749 §5.2 hostile code": Exchanged({"code": "\x00ä"}),
    "RFC 6749 §4.1.2 late": Exchanged({}, after_s=60),
    "specification §4.3 redirect_uri is missing": Exchanged({"redirect_uri": None}, INVALID),
    "RFC 6749 §4.1.3 an empty redirect_uri": Exchanged({"redirect_uri": ""}, INVALID),
    "specification §4.3 another redirect_uri": Exchanged({"redirect_uri": REDIRECT_URI[:-9]}),
    "specification §4.3 client_secret is missing": unproved(client_secret=None),
    "RFC 6749 §5.2 wrong secret": unproved(client_secret="x"),
    "specification §4.3 client_id is missing": unproved(client_id=None),
    "RFC 6749 §5.2 unknown client": unproved(client_id="0" * 32),
    "RFC 6749 §5.2 hostile client": unproved(client_id="\x00"),
    "RFC 6749 §3.2.1 no client at all": unproved(client_id=None, client_secret=None),
    "RFC 6749 §2.3 two ways of authentication": Exchanged({}, INVALID, headers=OTHER_HEADER),
    "RFC 6749 §2.3 another name beside Basic": Exchanged(
        {"client_secret": None, "client_id": "another"}, INVALID, headers=OTHER_HEADER
    ),
    "RFC 7617 §2 Basic without credentials": by_header("Basic"),
    "RFC 7617 §2 Basic that is no base64": by_header("Basic !!!"),
    "RFC 7617 §2 Basic that is no UTF-8": by_header(basic(b"\xff\xfe:secret")),
    "RFC 7617 §2 Basic without a colon": by_header(basic(b"no colon")),
    "RFC 9110 §11.6.2 two headers in one": by_header(f"{basic(b'a:b')}, Basic x"),
    "RFC 6749 §2.3 another scheme": by_header("Bearer abc"),
    "RFC 7636 §4.6 no verifier": with_verifier(None),
    "RFC 7636 §4.6 another verifier": with_verifier("x" * 43),
    "RFC 7636 §4.6 the challenge itself (plain)": with_verifier(CHALLENGE),
    "RFC 7636 §4.1 42 characters": with_verifier("v" * 42, INVALID),
    "RFC 7636 §4.1 129 characters": with_verifier("v" * 129, INVALID),
    "RFC 7636 §4.1 a forbidden character": with_verifier(VERIFIER[:-1] + "+", INVALID),
    "RFC 7636 §4.1 another case": with_verifier(VERIFIER.swapcase()),
    "RFC 7636 §4.6 the right one and more": with_verifier(VERIFIER + "A"),
    "RFC 7636 §4.6 padded": with_verifier(VERIFIER + "=", INVALID),
    "RFC 7636 §4.1 not ASCII": with_verifier(VERIFIER[:-1] + "é", INVALID),
    "RFC 9700 §4.8.2 a verifier where no challenge was (downgrade)": Exchanged(
        {"code_verifier": VERIFIER}, INVALID
    ),
}


@pytest.mark.parametrize("row", EXCHANGED.values(), ids=EXCHANGED)
def test_a_token_request_with_one_thing_wrong(
    sign_in: SignIn, clock: FakeClock, row: Exchanged
) -> None:
    """RFC 6749 §5.2: JSON, no-store, 401 with a challenge; the code survives."""
    code = sign_in.code(**row.asked)
    clock.advance(row.after_s)

    answer = sign_in.redeem(headers=row.headers, **{"code": code, **row.changes})

    status = 401 if row.error == "invalid_client" else 400
    assert error_of(answer) == (status, row.error)
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["cache-control"] == "no-store"
    challenge = answer.headers.get("www-authenticate", "")
    assert challenge.startswith('Basic realm="') == (status == 401)
    assert "access_token" not in answer.text
    description = answer.json()["error_description"]
    assert all(" " <= char <= "~" and char not in '"\\' for char in description)
    right = sign_in.redeem(code, code_verifier=VERIFIER if row.asked else None)
    assert right.status_code == (400 if row.after_s else 200)


BODIES: dict[str, tuple[Callable[[str], str | bytes], dict[str, str]]] = {
    "RFC 6749 §3.2 a parameter twice": (lambda form: f"{form}&x=1&x=1", FORM),
    "RFC 6749 §4.1.3 not a form": (lambda form: form, {"Content-Type": "application/json"}),
    "RFC 6749 §4.1.3 no content type": (lambda form: form, {}),
    "RFC 6749 §4.1.3 another kind of form": (
        lambda _form: "--x--",
        {"Content-Type": "multipart/form-data; boundary=x"},
    ),
    "RFC 6749 appendix B not UTF-8": (lambda form: f"{form}&x=%ff", FORM),
    "RFC 6749 appendix B raw bytes": (lambda form: form.encode() + b"&x=\xff", FORM),
    "RFC 6749 appendix B raw UTF-8": (lambda form: f"{form}&x=ä".encode(), FORM),
    "longer than any honest form": (lambda form: f"{form}&x={'x' * 20_000}", FORM),
    "more fields than any honest form": (lambda form: form + "&x=1" * 200, FORM),
}


@pytest.mark.parametrize(("body", "headers"), BODIES.values(), ids=BODIES)
@pytest.mark.parametrize("path", ["token", "revoke", "introspect", "par"])
def test_a_form_that_two_readers_could_read_differently(
    sign_in: SignIn, body: Callable[[str], str | bytes], headers: dict[str, str], path: str
) -> None:
    """One answer wherever clients send forms."""
    form = urlencode({**sign_in.token_request(code="c"), "token": "t"})

    answer = sign_in.new_browser().post(f"/{path}", content=body(form), headers=headers)

    assert error_of(answer) == (400, "invalid_request")


@pytest.mark.parametrize(("body", "headers"), list(BODIES.values())[1:], ids=list(BODIES)[1:])
def test_an_authorization_form_that_cannot_be_read_is_shown(
    sign_in: SignIn, body: Callable[[str], str | bytes], headers: dict[str, str]
) -> None:
    """Neither redirected nor a server error."""
    content = body(urlencode(sign_in.request()))

    answer = sign_in.browser.post("/oauth/authorize", content=content, headers=headers)

    assert (answer.status_code, "location" in answer.headers) == (400, False)
    assert "help@id.example" in answer.text


@pytest.mark.parametrize("path", ["token", "revoke", "introspect"])
@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_secrets_and_tokens_are_posted(sign_in: SignIn, path: str, method: str) -> None:
    """RFC 6749 §3.2: in an address they would end in logs; an address is not read by POST."""
    fields = {**sign_in.token_request(code="c"), "token": "t"}

    assert sign_in.browser.request(method, f"/{path}", params=fields).status_code == 405
    posted = sign_in.new_browser().post(f"/{path}", params=fields, headers=FORM)
    assert posted.status_code in {400, 401}


UNKNOWN = {"x": "1", "Client_ID": "evil", "resource": "https://api.example", "username": "a"}


def test_what_is_not_known_is_ignored(sign_in: SignIn) -> None:
    """RFC 6749 §3.1, §3.2: at both endpoints, and nothing of it comes back."""
    answer = sign_in.redeem(sign_in.code(**UNKNOWN), **UNKNOWN)

    assert answer.status_code == 200
    assert "evil" not in answer.text


def test_no_answer_of_the_authorization_endpoint_is_kept(sign_in: SignIn) -> None:
    """RFC 9700 §4.2.4, §4.3.2: codes stand in it, or will."""
    page = sign_in.open_page()
    sign_in.approve(page)
    answers = [
        sign_in.ask(),
        sign_in.ask(scope="x"),
        sign_in.ask(client_id="0" * 32),
        sign_in.proceed(page),
    ]

    assert {answer.headers["cache-control"] for answer in answers} == {"no-store"}
    for answer in answers:
        leads_away = "location" in answer.headers
        policy = "no-referrer" if leads_away else "same-origin"
        assert answer.headers["referrer-policy"] == policy
