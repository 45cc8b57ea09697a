"""The OpenID Foundation's demands: Basic OP and Form Post OP, one test for each module.

Each test has its module's name and states its demand in our words. Form Post OP has the modules
of Basic OP with ``response_mode=form_post``: each test runs once for each. The provider
remembers a palm as by default, which three of the modules need.
"""

import base64
import json

import pytest

from tests.support.service.conformance_suite import (
    SESSION_MINUTES,
    Suite,
    entropy_bits,
    has_right_hash,
)
from tests.support.service.sign_in import (
    CHALLENGE,
    REDIRECT_URI,
    VERIFIER,
    MakeSignIn,
    error_of,
)

EXPECTED_CLAIMS = {
    "iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "acr", "amr", "azp", "at_hash",
    "c_hash", "s_hash", "nbf", "jti", "sid", "txn",
}  # fmt: skip
"""Any other claim in an ID token costs a warning."""

OFFLINE = "openid offline_access"


@pytest.fixture(params=["query", "form_post"])
def suite(request: pytest.FixtureRequest, make_sign_in: MakeSignIn) -> Suite:
    """Give the suite: as Basic OP, and as Form Post OP."""
    return Suite(make_sign_in(session_minutes=SESSION_MINUTES), request.param)


def request_object(**claims: str) -> str:
    """Return an unsigned request object. OpenID Connect Core §6.1."""
    parts = ({"alg": "none"}, claims)
    encoded = (base64.urlsafe_b64encode(json.dumps(part).encode()) for part in parts)
    return ".".join(part.rstrip(b"=").decode() for part in encoded) + "."


def test_oidcc_server(suite: Suite) -> None:
    """The full flow; a code that cannot be guessed; nothing unexpected in the ID token."""
    finished = suite.log_in()

    assert len(finished.code) >= 16
    assert entropy_bits(finished.code) >= 96
    assert finished.tokens["expires_in"] == 3600
    assert finished.tokens["token_type"] == "Bearer"
    assert has_right_hash(finished)
    # The specification's own claim: one warning.
    assert finished.claims.keys() - EXPECTED_CLAIMS == {"external_user_id"}


def test_oidcc_response_type_missing(suite: Suite) -> None:
    """A request without response_type ends in an error for the client."""
    response = suite.refused(suite.sign_in.authorize(suite.request(response_type=None)))

    assert response["error"] in {"invalid_request", "unsupported_response_type"}


def test_oidcc_idtoken_signature(suite: Suite) -> None:
    """RS256 unless the client chose otherwise, and the header says which key."""
    header = suite.log_in().header

    assert header["alg"] == "RS256"
    assert header["kid"]


def test_oidcc_idtoken_unsigned(suite: Suite) -> None:
    """An unsigned ID token would need the client's wish; it is not on offer, so: skipped."""
    metadata = suite.sign_in.metadata

    assert "none" not in metadata["id_token_signing_alg_values_supported"]
    assert suite.log_in().header["alg"] != "none"


def test_oidcc_userinfo_get(suite: Suite) -> None:
    """By GET with a bearer token: JSON, the same subject."""
    finished = suite.log_in()

    answer = suite.sign_in.userinfo(finished.tokens["access_token"])

    suite.check_userinfo(answer, finished.claims)
    assert isinstance(answer.json()["sub"], str)


def test_oidcc_userinfo_post_header(suite: Suite) -> None:
    """By POST with the token in the header."""
    finished = suite.log_in()
    headers = {"Authorization": f"Bearer {finished.tokens['access_token']}"}

    answer = suite.sign_in.browser.post("/userinfo", headers=headers)

    suite.check_userinfo(answer, finished.claims)


def test_oidcc_userinfo_post_body(suite: Suite) -> None:
    """By POST with the token in the form."""
    finished = suite.log_in()
    form = {"access_token": finished.tokens["access_token"]}

    answer = suite.sign_in.browser.post("/userinfo", data=form)

    suite.check_userinfo(answer, finished.claims)


def test_oidcc_ensure_request_without_nonce_succeeds_for_code_flow(suite: Suite) -> None:
    """The nonce is optional in the code flow, and not invented by the provider."""
    assert "nonce" not in suite.log_in(nonce=None).claims


@pytest.mark.parametrize(
    "scope",
    [
        pytest.param("profile", id="oidcc-scope-profile"),
        pytest.param("email", id="oidcc-scope-email"),
        pytest.param("address", id="oidcc-scope-address"),
        pytest.param("phone", id="oidcc-scope-phone"),
        pytest.param("profile email address phone", id="oidcc-scope-all"),
    ],
)
def test_oidcc_scope(suite: Suite, scope: str) -> None:
    """Not offered, so skipped; a client that asks all the same gets the subject alone."""
    metadata = suite.sign_in.metadata

    finished = suite.log_in(scope=f"openid {scope}")

    assert not set(scope.split()) & set(metadata["scopes_supported"])
    assert suite.sign_in.userinfo(finished.tokens["access_token"]).json().keys() == {"sub"}
    assert "email" not in finished.claims


def test_oidcc_alternate_happy_flow(suite: Suite) -> None:
    """Scope values and parameters may come in any order."""
    request = suite.request(scope="offline_access openid")
    turned = dict(reversed(request.items()))

    finished = suite.complete(suite.sign_in.authorize(turned), turned)

    assert "refresh_token" in finished.tokens


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"display": "page"}, id="oidcc-display-page"),
        pytest.param({"display": "popup"}, id="oidcc-display-popup"),
        pytest.param(
            {"unknown_parameter": "with a value"},
            id="oidcc-ensure-request-with-unknown-parameter-succeeds",
        ),
        pytest.param({"login_hint": "buffy@sunnydale.example"}, id="oidcc-login-hint"),
        pytest.param({"ui_locales": "se no"}, id="oidcc-ui-locales"),
        pytest.param({"claims_locales": "se no"}, id="oidcc-claims-locales"),
        pytest.param(
            {"claims": '{"userinfo": {"name": {"essential": true}}}'},
            id="oidcc-claims-essential",
        ),
    ],
)
def test_tolerated(suite: Suite, changes: dict[str, str]) -> None:
    """What the provider does not use, or only as a hint, never breaks a login."""
    assert suite.log_in(**changes).claims["sub"]


def test_oidcc_ensure_request_with_acr_values_succeeds(suite: Suite) -> None:
    """Tolerated; if requested, and discovery offers it, the ID token says so."""
    metadata = suite.sign_in.metadata
    offered = metadata["acr_values_supported"]

    finished = suite.log_in(acr_values=" ".join(["1", *offered]))

    assert finished.claims["acr"] in offered


def test_oidcc_prompt_login(suite: Suite) -> None:
    """A browser that has just signed in is asked again, and auth_time moves forward."""
    first = suite.log_in()
    suite.sign_in.clock.advance(2)

    second = suite.log_in(prompt="login")

    assert second.claims["sub"] == first.claims["sub"]
    assert second.claims["auth_time"] > first.claims["auth_time"]


def test_oidcc_prompt_none_not_logged_in(suite: Suite) -> None:
    """Without a person who is known already, the client gets an error at once."""
    response = suite.refused(suite.sign_in.authorize(suite.request(prompt="none")))

    assert response["error"] in {
        "login_required", "interaction_required", "consent_required",
        "account_selection_required",
    }  # fmt: skip


def test_oidcc_prompt_none_logged_in(suite: Suite) -> None:
    """A browser in which the person has just signed in: no page, the same person and palm."""
    first = suite.log_in()
    suite.sign_in.clock.advance(2)

    second = suite.log_in_silently(prompt="none")

    assert second.claims["sub"] == first.claims["sub"]
    assert second.claims["auth_time"] == first.claims["auth_time"]


def test_oidcc_id_token_hint(suite: Suite) -> None:
    """With the first ID token as hint it succeeds without a page, too."""
    first = suite.log_in()

    second = suite.log_in_silently(prompt="none", id_token_hint=first.tokens["id_token"])

    assert second.claims["sub"] == first.claims["sub"]


def test_oidcc_max_age_10000(suite: Suite) -> None:
    """A recent palm is not requested again; auth_time is that of the palm."""
    first = suite.log_in(max_age="15000")
    suite.sign_in.clock.advance(2)

    second = suite.log_in_silently(max_age="10000")

    assert second.claims["auth_time"] == first.claims["auth_time"]


def test_oidcc_max_age_1(suite: Suite) -> None:
    """After more than a second the person is asked again; auth_time is new."""
    first = suite.log_in(max_age="1")
    suite.sign_in.clock.advance(2)

    second = suite.log_in(max_age="1")

    assert second.claims["auth_time"] > first.claims["auth_time"]
    assert suite.sign_in.clock().timestamp() - second.claims["auth_time"] <= 1


def test_oidcc_codereuse(suite: Suite) -> None:
    """A code that comes back at once: invalid_grant, 400, JSON."""
    finished = suite.log_in()

    again = suite.redeem(finished.code)

    assert error_of(again) == (400, "invalid_grant")
    assert again.headers["content-type"].startswith("application/json")


def test_oidcc_codereuse_30seconds(suite: Suite) -> None:
    """Half a minute later likewise, and what the first use gave is dead."""
    finished = suite.log_in()
    suite.sign_in.clock.advance(30)

    again = suite.redeem(finished.code)

    assert error_of(again) == (400, "invalid_grant")
    assert suite.sign_in.userinfo(finished.tokens["access_token"]).status_code == 401


def test_oidcc_ensure_registered_redirect_uri(
    suite: Suite, caplog: pytest.LogCaptureFixture
) -> None:
    """An address that was not registered gets nothing: a page names the app, the log both."""
    request = suite.request(redirect_uri="https://attacker.example/callback?secret")

    answer = suite.sign_in.authorize(request)

    client_id = request["client_id"]
    assert f"client {client_id}: the redirect URI is not" in caplog.text
    assert "https://attacker.example/callback..." in caplog.text
    assert answer.status_code == 400
    assert (
        f"{suite.sign_in.shop.client.name} sent you here" in answer.text
        and client_id in answer.text
    )
    assert "location" not in answer.headers
    assert "attacker.example" not in answer.text


def test_oidcc_ensure_post_request_succeeds(suite: Suite) -> None:
    """By POST, too: the browser is sent on by GET, so that it brings its cookie."""
    request = suite.request()
    url = f"{suite.sign_in.settings.auth_url}/oauth/authorize"

    posted = suite.sign_in.browser.post(url, data=request)
    answer = suite.sign_in.browser.get(posted.headers["location"])

    assert posted.status_code == 303
    assert suite.complete(answer, request).claims["sub"]


def test_oidcc_server_client_secret_post(suite: Suite) -> None:
    """The same flow with the secret in the form."""
    code = suite.finish(suite.open_page())

    answer = suite.sign_in.redeem(code)

    assert answer.status_code == 200
    suite.check_id_token(suite.sign_in.opened(answer.json()["id_token"]).claims, "suite-nonce")


def test_oidcc_request_uri_unsigned_supported_correctly_or_rejected_as_unsupported(
    suite: Suite,
) -> None:
    """A request object by reference is not fetched, and the client gets an error."""
    request = suite.request(request_uri="https://shop.example/request.jwt")

    response = suite.refused(suite.sign_in.authorize(request))

    assert response["error"] == "request_uri_not_supported"


def test_oidcc_unsigned_request_object_supported_correctly_or_rejected_as_unsupported(
    suite: Suite,
) -> None:
    """An unsigned request object is never ignored silently: it might say something else.

    The suite writes the response mode into the object alone.
    """
    request = suite.request()
    mode = {name: request.pop(name) for name in ("response_mode",) if name in request}
    request["request"] = request_object(nonce="another", **mode)

    response = suite.refused(suite.sign_in.authorize(request))

    assert response["error"] == "request_not_supported"


def test_oidcc_ensure_request_object_with_redirect_uri(suite: Suite) -> None:
    """A wrong address beside a request object with the right one: an error page."""
    request = suite.request(
        redirect_uri=f"{REDIRECT_URI}&wrong=1",
        request=request_object(redirect_uri=REDIRECT_URI),
    )

    answer = suite.sign_in.authorize(request)

    assert answer.status_code == 400
    assert "location" not in answer.headers


def test_oidcc_refresh_token(suite: Suite) -> None:
    """A refresh keeps who it is and when; another client cannot use the token."""
    finished = suite.log_in(scope=OFFLINE)

    answer = suite.sign_in.refresh(finished.tokens["refresh_token"])
    body = answer.json()
    stolen = suite.sign_in.another("Another").refresh(body["refresh_token"])

    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("application/json")
    assert answer.headers["cache-control"] == "no-store"
    assert body["token_type"] == "Bearer"
    claims = suite.sign_in.claims(body)
    kept = ("iss", "sub", "aud", "auth_time")
    assert [claims[name] for name in kept] == [finished.claims[name] for name in kept]
    assert error_of(stolen) == (400, "invalid_grant")


def test_oidcc_ensure_request_with_valid_pkce_succeeds(suite: Suite) -> None:
    """PKCE with S256, which the suite leaves out everywhere else."""
    request = suite.request(code_challenge=CHALLENGE, code_challenge_method="S256")

    finished = suite.complete(suite.sign_in.authorize(request), request, code_verifier=VERIFIER)

    assert finished.claims["sub"]
