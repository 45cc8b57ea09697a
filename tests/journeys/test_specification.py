"""The specification, rule by rule: each test quotes the rule it would see broken.

The service is a real process, reached over HTTP; people are drawn and show drawn palms.
"""

from __future__ import annotations

import base64
import hashlib
import json
import time
import uuid
from collections.abc import Iterator
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx2
import pytest
from joserfc import jwt

from benchmarks.harness.browser import Browser, Callback
from benchmarks.harness.html_page import Page
from mobile_api.errors import PhoneRefused
from tests.support.service.journey import Serve, SignedIn, World

pytestmark = [pytest.mark.journey, pytest.mark.hands]

ADA, BEN, VISITOR = 0, 1, 2
"""Two people who are enrolled, and one who is enrolled and deleted again."""

STATE = "s p a c e & ü ~ \" ' < % + /=?#"
"""A state with all that is easily mangled on the way."""


@pytest.fixture(scope="module")
def ada(world: World) -> SignedIn:
    """Give one plain login of one person, for tests that only look at its tokens."""
    return world.log_in(world.person(ADA))


@pytest.fixture(scope="module")
def offline(world: World) -> SignedIn:
    """Give one login with ``offline_access``."""
    return world.log_in(world.person(ADA), scope="openid offline_access", nonce="n-0S6")


def refused(answer: httpx2.Response, status: int, error: str) -> bool:
    """Tell whether the token endpoint refused with a status and an error code."""
    body = answer.json()
    assert "access_token" not in body
    return (answer.status_code, body["error"]) == (status, error)


def sent_back(there: Page | Callback) -> dict[str, str]:
    """Return the parameters of an error redirect."""
    assert isinstance(there, Callback), "a page instead of an error redirect"
    assert "code" not in there.parameters
    return there.parameters


# §1 What the service does


def test_external_user_id_is_the_sub_of_both_places(ada):
    """“the same value as the `sub` claim of the ID token and of the userinfo response”."""
    userinfo = ada.party.userinfo(ada.tokens["access_token"]).json()

    assert ada.claims["external_user_id"] == ada.claims["sub"] == userinfo["sub"]


def test_the_relying_party_learns_no_biometrics_and_no_raw_user_id(world, ada):
    """“No biometric data and no raw user ID is given to the relying application”."""
    access = json.loads(_claims_segment(ada.tokens["access_token"]))
    given = json.dumps([ada.claims, access, {**ada.tokens, "id_token": "", "access_token": ""}])

    for account in accounts_of(world):
        assert account.hex not in given
        assert str(account) not in given
    assert set(ada.claims) <= {
        "iss", "sub", "aud", "exp", "iat", "nbf", "jti", "auth_time", "amr", "acr", "at_hash",
        "nonce", "sid", "external_user_id",
    }  # fmt: skip


def test_the_identifier_is_persistent(world, ada):
    """“The identifier is persistent across sessions.” Another browser, another phone."""
    again = world.log_in(world.person(ADA))

    with world.begin() as login:
        login.answer(world.person(ADA), phone=world.new_phone())
        elsewhere = login.redeem()

    assert again.subject == elsewhere.subject == ada.subject


def test_the_identifier_is_scoped_to_the_app(world, ada):
    """“Each user gets an app-scoped identifier”: another one at another client."""
    at_library = world.log_in(world.person(ADA), world.library)

    assert at_library.subject != ada.subject


def test_people_are_told_apart(world, ada):
    """“link accounts, track activity, manage rewards”: no two people share an identifier."""
    assert world.log_in(world.person(BEN)).subject != ada.subject


def test_the_consent_page_shows_a_qr_code(world):
    """“the consent page shows a QR code; the user scans a palm with the mobile app”."""
    with world.begin() as login:
        assert "qr" in login.page.elements
        assert login.page.element("client-name").text.strip() == "Corner Bookshop"
        assert urlsplit(login.link).fragment
        assert login.hint == "wait_scan"


def test_after_verification_the_browser_gets_a_code(world):
    """“after successful verification the browser is redirected … with an … code”."""
    callback = world.callback(world.person(ADA))

    assert callback.status in {302, 303}
    assert len(callback.parameters["code"]) >= 22, "fewer than 128 bits"


def test_before_verification_there_is_no_code(world):
    """“after successful verification”: neither unscanned, scanned nor verified is enough."""
    person = world.person(ADA)
    with world.begin() as login:
        early = [login.browser.submit(login.page, "continue")]
        claimed = login.claim(person.phone)
        early.append(login.browser.submit(login.page, "continue"))
        person.phone.answer_picture(claimed.login_id, person.palm)
        early.append(login.browser.submit(login.page, "continue"))

    assert all(isinstance(there, Page) for there in early)


def test_the_palm_comes_before_the_approval(world):
    """“a user proves identity by a palm scan”: approving without a palm is refused."""
    phone = world.person(ADA).phone
    with world.begin() as login:
        claimed = login.claim(phone)
        with pytest.raises(PhoneRefused) as refusal:
            phone.approve(claimed.login_id)

    assert refusal.value.status == 409


def test_the_access_token_is_a_bearer_token(ada):
    """“the app uses the access token as a bearer token on protected resources”."""
    assert ada.tokens["token_type"] == "Bearer"
    assert ada.party.userinfo(ada.tokens["access_token"]).status_code == 200


def test_registration_gives_credentials_and_takes_redirect_uris(world):
    """“to receive `client_id` and `client_secret` and to register its redirect URIs”."""
    added = world.service.add_client("New app", "http://127.0.0.1:9/new")
    listed = world.service.run("client", "list")

    assert len(added.client_secret) >= 43, "fewer than 256 bits"
    assert added.client_id in listed
    assert added.client_secret not in listed


def test_the_provider_has_an_address_for_operators(world):
    """“the app operator contacts the provider by e-mail (<SUPPORT_EMAIL>)”: it is published."""
    consent = httpx2.get(f"{world.service.local_url}/mobile/v1/consent").json()

    assert consent["support_email"].count("@") == 1


# §2 Resources and their fields


@pytest.mark.parametrize(
    "change",
    [
        "/", "?x=1", "#", "/../callback", "%2f", "@evil.test", ".evil.test", "/extra",
    ],
)  # fmt: skip
def test_the_redirect_uri_must_match_exactly(world, change):
    """“`redirect_uri` … must match a registered one exactly.” Else: no redirect."""
    there = world.visit(redirect_uri=world.shop.registration.redirect_uri + change)

    assert isinstance(there, Page)
    assert there.status == 400


@pytest.mark.parametrize(
    ("old", "new"), [("http:", "HTTP:"), ("127.0.0.1", "localhost"), ("callback", "Callback")]
)
def test_a_redirect_uri_that_only_means_the_same_is_another(world, old, new):
    """“compared exactly” (§5): no normalisation of case, host names or paths."""
    uri = world.shop.registration.redirect_uri.replace(old, new)
    there = world.visit(redirect_uri=uri)

    assert isinstance(there, Page)
    assert there.status == 400


def test_every_registered_redirect_uri_works(world):
    """“redirect URIs: registered in advance”: the second one too, and the code with it."""
    second = f"{world.shop.registration.redirect_uri}/2"
    with Browser(second) as browser:
        page = browser.open_page(world.shop.authorization_url(redirect_uri=second))
        person = world.person(ADA)
        person.phone.sign_in(page.address("phone-link", "href"), person.palm)
        code = browser.finish(page).parameters["code"]

    assert world.shop.exchange(code, redirect_uri=second).status_code == 200


@pytest.mark.parametrize("wrong", ["", "guess", "x" * 5000])
def test_the_client_secret_is_checked(world, offline, wrong):
    """“client_secret: secret”: without the right one there are no tokens, for no grant."""
    token = offline.tokens["refresh_token"]

    assert refused(world.shop.refresh(token, client_secret=wrong), 401, "invalid_client")
    assert refused(world.shop.exchange("a-code", client_secret=wrong), 401, "invalid_client")


def test_the_secret_of_another_client_is_of_no_use(world):
    """“client_id, client_secret: issued at registration”: they belong together."""
    secret = world.library.registration.client_secret

    assert refused(world.shop.exchange("a", client_secret=secret), 401, "invalid_client")


def test_the_access_token_is_a_jwt_of_one_hour(ada):
    """“JWT for API access. Expires after 1 hour”."""
    token = ada.party.read_token(ada.tokens["access_token"])

    assert token.claims["exp"] - token.claims["iat"] == 3600
    assert ada.tokens["expires_in"] == 3600
    assert token.header["typ"] == "at+jwt"


def test_the_id_token_is_signed_and_addressed(world, ada):
    """“OIDC identity token”: Core §2 — issuer, audience, times, and a key in the JWKS."""
    token = ada.party.read_token(ada.tokens["id_token"])

    assert token.header["alg"] == "RS256"
    assert token.header["kid"]
    assert token.claims["iss"] == world.service.issuer
    assert token.claims["aud"] in (
        [world.shop.registration.client_id],
        world.shop.registration.client_id,
    )
    assert token.claims["iat"] < token.claims["exp"]
    assert isinstance(token.claims["auth_time"], int)


def test_the_id_tokens_sub_holds_the_external_user_id(world, ada):
    """“Its `sub` claim holds the user's `external_user_id`.” A client may have it left out."""
    at_library = world.log_in(world.person(ADA), world.library)

    assert ada.claims["external_user_id"] == ada.claims["sub"]
    assert "external_user_id" not in at_library.claims


def test_a_refresh_token_comes_only_with_offline_access(ada, offline):
    """“Returned only when the scope `offline_access` was requested”."""
    assert "refresh_token" not in ada.tokens
    assert offline.tokens["refresh_token"]


def test_the_nonce_is_echoed_when_sent(ada, offline):
    """“the `nonce` value echoed when a nonce was sent”."""
    assert offline.claims["nonce"] == "n-0S6"
    assert "nonce" not in ada.claims


def test_userinfo_gives_the_same_identifier(ada):
    """“The same identifier as `sub` / `external_user_id` in the ID token.” And nothing else."""
    answer = ada.party.userinfo(ada.tokens["access_token"])

    assert answer.headers["content-type"].startswith("application/json")
    assert answer.json() == {"sub": ada.subject}


# §4 Endpoints


@pytest.mark.parametrize("path", ["/token", "/oauth/token"])
def test_both_token_paths_are_accepted(world, path):
    """“both forms are listed and a builder should accept both”: the token endpoint."""
    code = world.callback(world.person(ADA)).parameters["code"]
    answer = world.shop.request_tokens(
        {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": world.shop.registration.redirect_uri,
        },
        endpoint=world.service.local_url + path,
    )

    assert answer.status_code == 200


@pytest.mark.parametrize("path", ["/userinfo", "/oauth/userinfo"])
def test_both_userinfo_paths_are_accepted(world, ada, path):
    """“both forms are listed and a builder should accept both”: the userinfo endpoint."""
    endpoint = world.service.local_url + path

    assert ada.party.userinfo(ada.tokens["access_token"], endpoint=endpoint).status_code == 200


# §4.1 Start authorization


def test_the_answer_is_a_302_to_the_consent_page(world):
    """“Response: HTTP 302 redirect to the consent page, which shows the QR code”."""
    answer = httpx2.get(world.shop.authorization_url())

    assert answer.status_code == 302
    assert urlsplit(answer.headers["location"]).path.startswith("/oauth/consent/")


@pytest.mark.parametrize("value", [None, "", "token", "code id_token", "CODE"])
def test_response_type_must_be_code(world, value):
    """“response_type: yes. Fixed value `code`”."""
    parameters = sent_back(world.visit(response_type=value, state=STATE))

    assert parameters["error"] in {"invalid_request", "unsupported_response_type"}
    assert parameters["error_description"]
    assert parameters["state"] == STATE


@pytest.mark.parametrize("value", [None, "", "unknown", "x" * 2000])
def test_client_id_is_required(world, value):
    """“client_id: yes. The app's client ID.” A stranger is told on a page, never redirected."""
    there = world.visit(client_id=value)

    assert isinstance(there, Page)
    assert there.status == 400


@pytest.mark.parametrize("value", [None, "", "https://evil.test/callback"])
def test_redirect_uri_is_required(world, value):
    """“redirect_uri: yes. Must match a registered redirect URI exactly”."""
    there = world.visit(redirect_uri=value)

    assert isinstance(there, Page)
    assert there.status == 400


@pytest.mark.parametrize("value", [None, "", "offline_access", "profile", "openidx", "OPENID"])
def test_scope_must_include_openid(world, value):
    """“scope: yes. Must include `openid`”."""
    parameters = sent_back(world.visit(scope=value, state=STATE))

    assert parameters["error"] in {"invalid_scope", "invalid_request"}
    assert parameters["state"] == STATE


@pytest.mark.parametrize("value", ["openid offline_access", "offline_access openid"])
def test_scope_is_a_list_in_any_order(world, value):
    """“Space-separated … May include `offline_access` to obtain a refresh token”."""
    tokens = world.log_in(world.person(ADA), scope=value).tokens

    assert tokens["refresh_token"]
    assert set(tokens["scope"].split()) == {"openid", "offline_access"}


@pytest.mark.parametrize("state", [STATE, "s" * 500, "ü" * 500])
def test_state_comes_back_unchanged(world, state):
    """“at most 500 characters. Returned unchanged on the callback”."""
    callback = world.callback(world.person(ADA), state=state)

    assert callback.parameters["state"] == state


@pytest.mark.parametrize("state", ["s" * 501, "ü" * 501])
def test_a_state_of_501_characters_is_refused(world, state):
    """“state length: at most 500 characters.” Refused, and still returned unchanged."""
    parameters = sent_back(world.visit(state=state))

    assert parameters["error"] == "invalid_request"
    assert parameters["error_description"]
    assert parameters["state"] == state


def test_state_is_only_recommended(world):
    """“state: recommended”: without it a login works, and none is invented."""
    callback = world.callback(world.person(ADA), state=None)

    assert callback.parameters["code"]
    assert "state" not in callback.parameters


def test_a_nonce_correlates_request_and_response(world):
    """“nonce: optional. Value included in the ID token.” Unchanged, whatever it holds."""
    assert world.log_in(world.person(ADA), nonce=STATE).claims["nonce"] == STATE


def test_user_id_verifies_that_user(world, ada):
    """“user_id: … of an already linked user, to verify that user”."""
    again = world.log_in(world.person(ADA), user_id=ada.subject)

    assert again.subject == ada.subject


def test_an_empty_user_id_is_none(world):
    """“The parameter is omitted when no existing linked user is targeted”: empty is omitted."""
    assert world.log_in(world.person(BEN), user_id="").subject


def test_the_authorization_endpoint_is_at_the_base_url_too(world):
    """“(it is also listed as `{base_url}/oauth/authorize`)”."""
    query = urlsplit(world.shop.authorization_url()).query
    answer = httpx2.get(f"{world.service.local_url}/oauth/authorize?{query}")

    assert answer.status_code == 302


# §4.2 Callback


def test_a_callback_goes_to_the_registered_uri_and_keeps_its_query(world):
    """“redirected … to the registered `redirect_uri`”: its own query survives."""
    callback = world.callback(world.person(ADA), world.library, state="s")
    query = parse_qs(urlsplit(callback.url).query)

    assert query["from"] == ["thenar"]
    assert callback.parameters["state"] == "s"


def test_a_failure_carries_error_description_and_state(world):
    """“On failure … carries `error`, `error_description` and the original `state`”."""
    person = world.person(ADA)
    with world.begin(state=STATE) as login:
        claimed = login.claim(person.phone)
        person.phone.answer_picture(claimed.login_id, person.palm)
        person.phone.decline(claimed.login_id)
        parameters = sent_back(login.finish())

    assert parameters["error"] == "access_denied"
    assert parameters["error_description"]
    assert parameters["state"] == STATE


# §4.3 Exchange code for tokens


def test_tokens_come_as_json_that_nobody_stores(ada):
    """“Response 200: JSON with `access_token`, `id_token`.” RFC 6749 §5.1: no-store."""
    assert ada.answer.headers["content-type"].startswith("application/json")
    assert "no-store" in ada.answer.headers["cache-control"]
    assert {"access_token", "id_token"} <= set(ada.tokens)


@pytest.mark.parametrize("content_type", ["application/json", "text/plain", ""])
def test_the_form_must_be_a_form(world, content_type):
    """“Request: `Content-Type: application/x-www-form-urlencoded`”."""
    code = world.callback(world.person(ADA)).parameters["code"]
    registration = world.shop.registration
    fields = {
        "grant_type": "authorization_code",
        "client_id": registration.client_id,
        "client_secret": registration.client_secret,
        "code": code,
        "redirect_uri": registration.redirect_uri,
    }
    body = json.dumps(fields) if content_type.endswith("json") else urlencode(fields)
    answer = httpx2.post(
        world.shop.discovery["token_endpoint"],
        content=body,
        headers={"Content-Type": content_type},
    )

    assert answer.status_code in {400, 415}
    assert answer.json()["error"] == "invalid_request"
    assert world.shop.exchange(code).status_code == 200, "a refused form spent the code"


@pytest.mark.parametrize(
    ("field", "value", "status", "errors"),
    [
        ("grant_type", None, 400, {"invalid_request", "unsupported_grant_type"}),
        ("grant_type", "password", 400, {"unsupported_grant_type"}),
        ("grant_type", "client_credentials", 400, {"unsupported_grant_type"}),
        ("client_id", None, 401, {"invalid_client"}),
        ("client_id", "unknown", 401, {"invalid_client"}),
        ("client_secret", None, 401, {"invalid_client"}),
        ("code", None, 400, {"invalid_request"}),
        ("code", "invented", 400, {"invalid_grant"}),
        ("redirect_uri", None, 400, {"invalid_request", "invalid_grant"}),
        ("redirect_uri", "", 400, {"invalid_request", "invalid_grant"}),
        ("redirect_uri", "http://127.0.0.1:9/callback/2", 400, {"invalid_grant"}),
        ("redirect_uri", "http://127.0.0.1:9/callback/", 400, {"invalid_grant"}),
    ],
)
def test_every_field_of_the_exchange_is_required(world, field, value, status, errors):
    """“grant_type, client_id, client_secret, code: yes; redirect_uri: the same URI used”."""
    code = world.callback(world.person(ADA)).parameters["code"]

    answer = world.shop.exchange(code, **{field: value})

    assert answer.status_code in {status, 400} if errors == {"invalid_client"} else {status}
    assert answer.json()["error"] in errors
    assert "access_token" not in answer.json()


def test_a_code_works_once(world):
    """“The app's server exchanges the code”: once. A replay also kills what it gave."""
    code = world.callback(world.person(ADA), scope="openid offline_access").parameters["code"]
    first = world.shop.exchange(code)
    second = world.shop.exchange(code)

    assert first.status_code == 200
    assert refused(second, 400, "invalid_grant")
    token = first.json()["refresh_token"]
    assert refused(world.shop.refresh(token), 400, "invalid_grant")


def test_a_code_belongs_to_its_client(world):
    """“code: authorization code from the callback”: of no other client's callback."""
    code = world.callback(world.person(ADA)).parameters["code"]
    uri = world.shop.registration.redirect_uri

    assert refused(world.library.exchange(code, redirect_uri=uri), 400, "invalid_grant")


def test_get_is_no_way_to_send_a_secret(world):
    """“`POST {base_url}/token`”: a secret in a URL would be logged."""
    assert httpx2.get(world.shop.discovery["token_endpoint"]).status_code == 405


# §4.4 Refresh access token


def test_a_refresh_gives_a_new_access_token_of_the_same_user(world):
    """“Response: a new access token is obtained”."""
    first = world.log_in(world.person(ADA), scope="openid offline_access")
    answer = world.shop.refresh(first.tokens["refresh_token"])
    access = answer.json()["access_token"]

    assert answer.status_code == 200
    assert access != first.tokens["access_token"]
    assert world.shop.userinfo(access).json()["sub"] == first.subject


@pytest.mark.parametrize(
    ("field", "value", "error"),
    [
        ("grant_type", None, {"invalid_request", "unsupported_grant_type"}),
        ("client_id", None, {"invalid_client"}),
        ("client_secret", None, {"invalid_client"}),
        ("refresh_token", None, {"invalid_request"}),
        ("refresh_token", "invented", {"invalid_grant"}),
    ],
)
def test_every_field_of_the_refresh_is_required(world, offline, field, value, error):
    """“grant_type, client_id, client_secret, refresh_token: yes”."""
    answer = world.shop.refresh(offline.tokens["refresh_token"], **{field: value})

    assert answer.status_code in {400, 401}
    assert answer.json()["error"] in error


def test_a_refresh_token_belongs_to_its_client(world, offline):
    """“A valid refresh token”: valid for whom it was issued."""
    token = offline.tokens["refresh_token"]

    assert refused(world.library.refresh(token), 400, "invalid_grant")


def test_an_access_token_is_no_refresh_token(world, offline):
    """“A valid refresh token”: nothing else that we signed will do."""
    for name in ("access_token", "id_token"):
        assert refused(world.shop.refresh(offline.tokens[name]), 400, "invalid_grant")


def test_a_refresh_token_works_at_the_other_path_too(world):
    """“`POST {base_url}/token`, same content type”: and `{base_url}/oauth/token`."""
    first = world.log_in(world.person(ADA), scope="openid offline_access")
    answer = world.shop.request_tokens(
        {"grant_type": "refresh_token", "refresh_token": first.tokens["refresh_token"]},
        endpoint=f"{world.service.local_url}/oauth/token",
    )

    assert answer.status_code == 200


# §4.5 Userinfo


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer"},
        {"Authorization": "Bearer invented"},
        {"Authorization": "Basic dXNlcjpwYXNz"},
    ],
)
def test_userinfo_wants_a_bearer_token(world, headers):
    """“Authentication: header `Authorization: Bearer <ACCESS_TOKEN>`.” RFC 6750 §3."""
    answer = httpx2.get(world.shop.discovery["userinfo_endpoint"], headers=headers)

    assert answer.status_code == 401
    assert answer.headers["www-authenticate"].startswith("Bearer")


def test_an_id_token_opens_nothing(ada):
    """“the app uses the access token”: an ID token is for the app's eyes, not a key."""
    assert ada.party.userinfo(ada.tokens["id_token"]).status_code == 401


def test_a_token_signed_by_another_opens_nothing(ada):
    """“Bearer access token (JWT)”: the signature is what makes it one."""
    head, claims, signature = ada.tokens["access_token"].split(".")
    forged = json.loads(_claims_segment(ada.tokens["access_token"])) | {"sub": "somebody"}
    body = base64.urlsafe_b64encode(json.dumps(forged).encode()).rstrip(b"=").decode()
    none = base64.urlsafe_b64encode(b'{"alg":"none","typ":"at+jwt"}').rstrip(b"=").decode()

    for token in (f"{head}.{body}.{signature}", f"{none}.{claims}."):
        assert ada.party.userinfo(token).status_code == 401


# §4.6 Verifying an existing linked user


def test_the_identifier_is_checked_before_anything_is_shown(world):
    """“The service validates the identifier before showing consent and palm verification”."""
    answer = httpx2.get(world.shop.authorization_url(user_id="unknown"))

    assert answer.status_code == 302
    assert answer.headers["location"].startswith(f"{world.shop.registration.redirect_uri}?")
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    "value", ["unknown", str(uuid.UUID(int=7)), "ada@example.com", "x" * 3000, "'; --", "\x00"]
)
def test_an_unknown_user_id_is_an_error_redirect(world, value):
    """“unknown …: `error=invalid_request`, an `error_description`, and the … `state`”."""
    parameters = sent_back(world.visit(user_id=value, state=STATE))

    assert parameters["error"] == "invalid_request"
    assert parameters["error_description"]
    assert parameters["state"] == STATE


def test_an_internal_account_id_is_never_accepted(world):
    """“The value must never be an internal account ID”."""
    world.person(ADA)
    accounts = accounts_of(world)

    assert accounts
    for account in accounts:
        parameters = sent_back(world.visit(user_id=str(account)))
        assert parameters["error"] == "invalid_request"


def test_an_identifier_of_another_client_is_never_accepted(world, ada):
    """“… or an identifier issued to a different OAuth client.” Answered exactly as unknown."""
    foreign = sent_back(world.visit(world.library, user_id=ada.subject, state="s"))
    unknown = sent_back(world.visit(world.library, user_id="unknown", state="s"))

    assert foreign == unknown
    assert foreign["error"] == "invalid_request"


def test_a_revoked_identifier_is_an_error_redirect(world):
    """“If the identifier is unknown or revoked …”: here by the person's own deletion."""
    person = world.person(VISITOR)
    subject = world.log_in(person).subject
    person.phone.delete_account(person.palm)
    del person.phone

    parameters = sent_back(world.visit(user_id=subject, state=STATE))

    assert parameters["error"] == "invalid_request"
    assert parameters["error_description"]
    assert parameters["state"] == STATE


def test_a_linked_users_palm_must_be_that_users(world, ada):
    """“to verify that user”: somebody else's palm is a mismatch, and Ada may still come."""
    ben, person = world.person(BEN), world.person(ADA)
    with world.begin(user_id=ada.subject) as login:
        phone = world.new_phone()
        claimed = phone.scan(login.link)
        wrong = phone.answer_picture(claimed.login_id, ben.palm)
        right = phone.answer_picture(claimed.login_id, person.palm)
        phone.approve(claimed.login_id)
        signed_in = login.redeem()

    assert wrong.hint == "palm_retry"
    assert right.hint == "wait_approve"
    assert signed_in.subject == ada.subject


# §5 Authentication


def test_credentials_may_be_sent_by_http_basic_too(world):
    """“sent as form fields to the token endpoint”: and, as every library does, by Basic."""
    code = world.callback(world.person(ADA)).parameters["code"]
    registration = world.shop.registration
    answer = httpx2.post(
        world.shop.discovery["token_endpoint"],
        data={
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": registration.redirect_uri,
        },
        auth=(registration.client_id, registration.client_secret),
    )

    assert answer.status_code == 200


def test_a_resource_server_can_verify_the_access_token(world, ada):
    """“Bearer access token (JWT)”: RFC 9068 — issuer, audience, client, scope, type, key."""
    token = jwt.decode(ada.tokens["access_token"], ada.party.keys, algorithms=["ES256"])

    assert token.header["typ"] == "at+jwt"
    assert token.claims["iss"] == world.service.issuer
    assert token.claims["aud"] in (world.service.local_url, [world.service.local_url])
    assert token.claims["client_id"] == world.shop.registration.client_id
    assert token.claims["scope"] == "openid"
    assert token.claims["sub"] == ada.subject
    assert token.claims["jti"]


def test_a_login_with_pkce_needs_its_verifier(world):
    """“OAuth 2.0 Authorization Code flow”: with PKCE S256 a stolen code is worthless."""
    verifier = "v" * 43
    extra = {"code_challenge": _s256(verifier), "code_challenge_method": "S256"}
    code = world.callback(world.person(ADA), **extra).parameters["code"]

    assert refused(world.shop.exchange(code, code_verifier="w" * 43), 400, "invalid_grant")
    code = world.callback(world.person(ADA), **extra).parameters["code"]
    assert world.shop.exchange(code, code_verifier=verifier).status_code == 200


# §8 Limits: lifetimes, on a service whose clocks run out sooner


@pytest.fixture(scope="module")
def expired(serve: Serve) -> Iterator[tuple[World, SignedIn, str]]:
    """Give tokens and a code that were good a moment ago, at a service whose time is short."""
    with serve(
        THENAR_OIDC_REFRESH_TOKEN_LIFETIME_S="7",
        THENAR_OIDC_ACCESS_TOKEN_LIFETIME_S="6",
        THENAR_OIDC_CODE_LIFETIME_S="5",
    ) as world:
        person = world.person(ADA)
        signed_in = world.log_in(person, scope="openid offline_access")
        early = world.shop.refresh(signed_in.tokens["refresh_token"])
        fresh = SignedIn(world.shop, early)
        assert world.shop.userinfo(fresh.tokens["access_token"]).status_code == 200
        code = world.callback(person).parameters["code"]
        time.sleep(7.5)
        yield world, fresh, code


def test_an_expired_refresh_token_is_refused(expired):
    """“used before the refresh token expires (non-expired refresh token required)”."""
    world, signed_in, _ = expired

    assert refused(world.shop.refresh(signed_in.tokens["refresh_token"]), 400, "invalid_grant")


def test_an_expired_access_token_is_refused(expired):
    """“access token lifetime”: a token that has expired opens nothing."""
    world, signed_in, _ = expired
    late = world.shop.userinfo(signed_in.tokens["access_token"])

    assert late.status_code == 401
    assert 'error="invalid_token"' in late.headers["www-authenticate"]


def test_an_expired_code_is_refused(expired):
    """“Lifetimes of … the authorization code: not shown”: ours end (RFC 6749 §4.1.2)."""
    world, _, code = expired

    assert refused(world.shop.exchange(code), 400, "invalid_grant")


def accounts_of(world: World) -> list[uuid.UUID]:
    """Return the internal accounts, read from the database behind the service's back."""
    rows = world.in_database("SELECT account FROM accounts")
    return [uuid.UUID(str(row[0])) for row in rows]


def _claims_segment(token: str) -> bytes:
    """Return the claims of a JWT, unverified."""
    part = token.split(".")[1]
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


def _s256(verifier: str) -> str:
    """Return the PKCE challenge of a verifier."""
    digest = hashlib.sha256(verifier.encode()).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
