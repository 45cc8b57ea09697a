"""The specification, rule by rule: what every request and token is, and who may have it.

Each test quotes its rule. What is refused stands in the tables of ``bad_input``, by the same
sections; what only a running service with drawn palms can show, in ``tests/journeys``.
"""

from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from oidc.types import Lifetimes
from tests.support.clock import FakeClock
from tests.support.service.sign_in import ANNA, BERT, REDIRECT_URI, SignIn, half_hash, onward

STATE = "s p a c e & ü ~ \" ' < % + /=?#"
"""A state with all that is easily mangled on the way."""


def test_a_person_has_one_lasting_name_for_each_app(sign_in: SignIn) -> None:
    """§1: “persistent across sessions”, “app-scoped”; no two people share an identifier."""
    first = sign_in.subject(sign_in.tokens())
    other = sign_in.another()

    assert sign_in.subject(sign_in.tokens(user_id=first)) == first
    assert sign_in.subject(sign_in.tokens()) == first
    bert = sign_in.subject(sign_in.tokens(BERT))
    assert len({first, bert, other.subject(other.tokens())}) == 3


def test_no_token_holds_a_raw_user_id(sign_in: SignIn) -> None:
    """§1: “No biometric data and no raw user ID is given to the relying application”."""
    given = sign_in.tokens(scope="openid offline_access")
    said = [sign_in.opened(given[name]).claims for name in ("id_token", "access_token")]

    assert not [form for form in (str(ANNA), ANNA.hex) if form in str([given, said])]


@pytest.mark.parametrize("url", ["auth_url", "base_url"])
def test_the_answer_is_a_302_to_the_consent_page(sign_in: SignIn, url: str) -> None:
    """§4.1: “HTTP 302 redirect to the consent page, which shows the QR code”: twice."""
    address = f"{getattr(sign_in.settings, url)}/oauth/authorize"
    answer = sign_in.browser.get(address, params=sign_in.request())
    page = sign_in.browser.get(answer.headers["location"])

    assert answer.status_code == 302
    assert urlsplit(answer.headers["location"]).path.startswith("/oauth/consent/")
    assert 'id="qr"' in page.text


@pytest.mark.parametrize("state", [STATE, "s" * 500, "ü" * 500, None])
def test_the_callback_has_a_code_and_the_state(sign_in: SignIn, state: str | None) -> None:
    """§4.2, §4.1: “Returned unchanged”, at most 500 characters, “recommended”."""
    page = sign_in.open_page(state=state)
    sign_in.approve(page)

    location = onward(sign_in.proceed(page))

    said = parse_qs(urlsplit(location).query, keep_blank_values=True)
    assert location.startswith(f"{REDIRECT_URI}&code=")
    assert len(said["code"][0]) >= 43, "fewer than 256 bits"
    assert said.get("state") == (None if state is None else [state])


def test_every_registered_redirect_uri_works(sign_in: SignIn) -> None:
    """§2: “redirect URIs: registered in advance”: the second one too, and the code with it."""
    uri = "https://shop.example/second"
    with sign_in.database.write() as stores:
        stores.clients.replace(replace(sign_in.shop.client, redirect_uris=(REDIRECT_URI, uri)))

    code = sign_in.code(redirect_uri=uri)

    assert sign_in.redeem(code, redirect_uri=uri).status_code == 200


@pytest.mark.parametrize("path", ["token", "oauth/token"])
def test_a_code_becomes_tokens(sign_in: SignIn, path: str) -> None:
    """§4.3: JSON with both tokens; “Returned only when … `offline_access` was requested”."""
    fields = sign_in.token_request(code=sign_in.code())
    kind = {"Content-Type": "application/x-www-form-urlencoded; charset=UTF-8"}

    answer = sign_in.browser.post(f"/{path}", data=fields, headers=kind)

    body = answer.json()
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["content-type"] == "application/json"
    assert set(body) == {"access_token", "id_token", "token_type", "expires_in", "scope"}
    assert (body["token_type"], body["expires_in"], body["scope"]) == ("Bearer", 3600, "openid")


def test_an_id_token_says_who_and_when_and_nothing_else(sign_in: SignIn) -> None:
    """§2: `sub`, `external_user_id`, “the `nonce` value echoed”. OpenID Connect Core §2.

    Every further claim would be a way to recognise a person; ``sid`` differs for every client.
    """
    body = sign_in.tokens(nonce=STATE)

    token = sign_in.opened(body["id_token"])
    claims, now = token.claims, int(sign_in.clock().timestamp())
    assert token.header["alg"] == "RS256"
    assert token.header["kid"]
    assert claims.pop("jti")
    assert claims.pop("sid")
    assert claims.pop("sub") == claims.pop("external_user_id")
    assert claims == {
        "iss": "https://id.example",
        "aud": sign_in.shop.client.client_id,
        "iat": now,
        "nbf": now,
        "exp": now + 3600,
        "auth_time": now,
        "nonce": STATE,
        "at_hash": half_hash(body["access_token"]),
        "acr": "https://id.example/acr/palm-and-phone",
        "amr": ["user", "swk", "mfa"],
    }


def test_an_access_token_is_a_jwt_of_one_hour(sign_in: SignIn, clock: FakeClock) -> None:
    """§2: “JWT for API access. Expires after 1 hour.” RFC 9068 §2, ``nbf`` of RFC 7519."""
    body = sign_in.tokens()
    another = sign_in.opened(sign_in.tokens()["access_token"]).claims

    token = sign_in.opened(body["access_token"])
    claims, now = token.claims, int(clock().timestamp())
    assert token.header["typ"] == "at+jwt"
    assert claims["sub"] == sign_in.subject(body)
    assert claims["aud"] == claims["iss"] == "https://id.example"
    assert claims["client_id"] == sign_in.shop.client.client_id
    assert claims["scope"] == "openid"
    assert (claims["iat"], claims["nbf"], claims["exp"]) == (now, now, now + 3600)
    assert claims["jti"] != another["jti"]
    found = []
    for seconds in (-70, 70 + Lifetimes().access_token_s - 1, 1):
        clock.advance(seconds)
        found.append(sign_in.userinfo(body["access_token"]).status_code)
    assert found == [401, 200, 401]


@pytest.mark.parametrize("path", ["/userinfo", "/oauth/userinfo"])
def test_userinfo_says_the_subject_and_nothing_else(sign_in: SignIn, path: str) -> None:
    """§4.5: “JSON with `sub`”, “the same identifier as … in the ID token”.

    OpenID Connect Core §5.3.1: by GET and POST; some libraries post the token in the form.
    """
    body = sign_in.tokens()
    header = {"Authorization": f"bearer  {body['access_token']}"}

    answers = [
        sign_in.browser.get(path, headers=header),
        sign_in.browser.post(path, headers=header),
        sign_in.browser.post(path, headers=header, data={"other": "x"}),
        sign_in.browser.post(path, data={"access_token": body["access_token"]}),
    ]

    for answer in answers:
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "application/json"
        assert answer.headers["cache-control"] == "no-store"
        assert answer.json() == {"sub": sign_in.subject(body)}


def test_credentials_may_be_sent_by_http_basic_too(sign_in: SignIn) -> None:
    """§5: “sent as form fields”, and, as every library does, by Basic: RFC 6749 §2.3.1."""
    for changes in ({"client_id": None, "client_secret": None}, {"client_secret": None}):
        answer = sign_in.redeem(sign_in.code(), headers=sign_in.basic(), **changes)
        assert answer.status_code == 200


def test_no_secret_is_stored_readably(sign_in: SignIn, folder: Path) -> None:
    """§5: “Refresh tokens are to be stored securely.” A copied database opens nothing."""
    page = sign_in.open_page(scope="openid offline_access")
    ticket, cookie = sign_in.ticket_on(page), next(iter(sign_in.browser.cookies.values()))
    code = sign_in.code_on(page)
    body = sign_in.redeem(code).json()
    second = sign_in.refresh(body["refresh_token"]).json()["refresh_token"]
    pushed = sign_in.browser.post("/par", data=sign_in.request() | sign_in.token_request())
    reference = pushed.json()["request_uri"].rpartition(":")[2]

    stored = b"".join(path.read_bytes() for path in folder.glob("protocol.sqlite3*"))
    given = [
        ticket, cookie, code, body["refresh_token"], second, sign_in.shop.secret, reference,
    ]  # fmt: skip
    assert [secret for secret in given if secret.encode() in stored] == []
    assert sign_in.subject(body).encode() in stored
