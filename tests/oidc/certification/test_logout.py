"""The OpenID Foundation's demands: RP-Initiated Logout OP, and Back-Channel Logout OP.

One test for each module, with its module's name. Every test that the suite leaves to a person's
eyes ("an error page", "a page that says so") is automatic here.
"""

import base64
import json
from typing import Any

import pytest
from joserfc import jwt
from joserfc.jwk import RSAKey

from tests.support.servers.recording import Recorder
from tests.support.service import signing_out
from tests.support.service.conformance_suite import SESSION_MINUTES, Finished, Suite
from tests.support.service.sign_in import REDIRECT_URI, MakeSignIn, onward
from tests.support.service.signing_out import BYE, LOGOUT, agree, is_signed_in, page_of

STATE = "s" * 128
EVENT = "http://schemas.openid.net/event/backchannel-logout"


@pytest.fixture
def suite(make_sign_in: MakeSignIn, logouts: Recorder) -> Suite:
    """Give the suite: a client with one address for each kind of logout."""
    sign_in = make_sign_in(session_minutes=SESSION_MINUTES, private_logout_hosts=True)
    sign_in.shop = sign_in.register(
        "Corner Bookshop",
        REDIRECT_URI,
        post_logout_redirect_uris=[BYE],
        backchannel_logout_uri=logouts.address,
        backchannel_logout_session_required=True,
    )
    return Suite(sign_in, "query")


def sign_out(suite: Suite, **fields: str) -> Any:
    """Send the browser to the logout endpoint."""
    return signing_out.sign_out(suite.sign_in, **fields)


def check_asks_or_complains(suite: Suite, answer: Any) -> None:
    """Check that no redirect was made, and no account signed out unasked."""
    page = page_of(answer)
    assert answer.status_code == 400 or "sign-out" in page.elements
    assert is_signed_in(suite.sign_in)


def test_oidcc_rp_initiated_logout_discovery_endpoint_verification(suite: Suite) -> None:
    """The endpoint is published."""
    metadata = suite.sign_in.metadata

    assert metadata["end_session_endpoint"] == f"{suite.sign_in.settings.auth_url}{LOGOUT}"


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_oidcc_rp_initiated_logout(suite: Suite, method: str) -> None:
    """With hint, address and a long state: back with that state, and signed out."""
    hint = suite.log_in().tokens["id_token"]
    fields = {"id_token_hint": hint, "post_logout_redirect_uri": BYE, "state": STATE}
    part: dict[str, Any] = {"data" if method == "POST" else "params": fields}

    answer = suite.sign_in.browser.request(method, LOGOUT, **part)

    assert onward(answer) == f"{BYE}&state={STATE}"
    assert not is_signed_in(suite.sign_in)


def test_oidcc_rp_initiated_logout_bad_post_logout_redirect_uri(suite: Suite) -> None:
    """An address that was not registered: an error page."""
    hint = suite.log_in().tokens["id_token"]
    other_uri = "https://shop.example/other"

    answer = sign_out(suite, id_token_hint=hint, post_logout_redirect_uri=other_uri)

    assert answer.status_code == 400
    check_asks_or_complains(suite, answer)


def test_oidcc_rp_initiated_logout_query_added_to_post_logout_redirect_uri(
    suite: Suite,
) -> None:
    """A registered address with something added is another address."""
    hint = suite.log_in().tokens["id_token"]

    answer = sign_out(
        suite, id_token_hint=hint, post_logout_redirect_uri=f"{BYE}&foo=bar", state=STATE
    )

    assert answer.status_code == 400
    check_asks_or_complains(suite, answer)


def test_oidcc_rp_initiated_logout_modified_id_token_hint(suite: Suite) -> None:
    """An ID token whose signature was taken away proves nothing."""
    body = suite.log_in().tokens["id_token"].split(".")[1]
    header = base64.urlsafe_b64encode(json.dumps({"alg": "none"}).encode()).decode().rstrip("=")

    answer = sign_out(
        suite, id_token_hint=f"{header}.{body}.", post_logout_redirect_uri=BYE, state=STATE
    )

    check_asks_or_complains(suite, answer)


def test_oidcc_rp_initiated_logout_bad_id_token_hint(suite: Suite) -> None:
    """An ID token of another signer proves nothing."""
    finished = suite.log_in()
    forged = jwt.encode({**finished.header}, finished.claims, RSAKey.generate_key(2048))

    answer = sign_out(suite, id_token_hint=forged, post_logout_redirect_uri=BYE, state=STATE)

    check_asks_or_complains(suite, answer)


def test_oidcc_rp_initiated_logout_no_id_token_hint(suite: Suite) -> None:
    """An address without anything that says whose it is: the person is asked."""
    suite.log_in()

    answer = sign_out(suite, post_logout_redirect_uri=BYE, state=STATE)

    check_asks_or_complains(suite, answer)


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({}, id="oidcc-rp-initiated-logout-no-params"),
        pytest.param({"state": STATE}, id="oidcc-rp-initiated-logout-only-state"),
    ],
)
def test_oidcc_rp_initiated_logout_asks(suite: Suite, fields: dict[str, str]) -> None:
    """The person is asked, says yes, is signed out, and sees a page that says so."""
    suite.log_in()

    done = agree(suite.sign_in.browser, sign_out(suite, **fields))

    assert done.status_code == 200
    assert "You are signed out" in page_of(done).element("status").text
    assert not is_signed_in(suite.sign_in)


def test_oidcc_rp_initiated_logout_no_post_logout_redirect_uri(suite: Suite) -> None:
    """With a hint the person is not asked; a page says that it is done."""
    done = sign_out(suite, id_token_hint=suite.log_in().tokens["id_token"], state=STATE)

    assert done.status_code == 200
    assert "You are signed out" in page_of(done).element("status").text
    assert not is_signed_in(suite.sign_in)


def test_oidcc_rp_initiated_logout_no_state(suite: Suite) -> None:
    """Without a state the browser goes to the very address that was registered."""
    hint = suite.log_in().tokens["id_token"]

    answer = sign_out(suite, id_token_hint=hint, post_logout_redirect_uri=BYE)

    assert answer.headers["location"] == BYE


def test_oidcc_backchannel_discovery_endpoint_verification(suite: Suite) -> None:
    """Both promises are made: logouts are notified, with the ended session."""
    metadata = suite.sign_in.metadata

    assert metadata["backchannel_logout_supported"] is True
    assert metadata["backchannel_logout_session_supported"] is True
    assert metadata["end_session_endpoint"].startswith("https://")


def test_oidcc_backchannel_rp_initiated_logout(suite: Suite, logouts: Recorder) -> None:
    """The client gets a form with one field: a token with all that is demanded."""
    finished = suite.log_in()

    sign_out(
        suite,
        id_token_hint=finished.tokens["id_token"],
        post_logout_redirect_uri=BYE,
        state=STATE,
    )

    assert len(logouts.received) == 1
    assert logouts.received[0].path == "/logout?tenant=1"
    assert logouts.received[0].content_type == "application/x-www-form-urlencoded"
    assert [name for name, _ in logouts.received[0].fields] == ["logout_token"]
    check_logout_token(suite, logouts.tokens[0], finished)
    assert not is_signed_in(suite.sign_in)


def check_logout_token(suite: Suite, logout_token: str, finished: Finished) -> None:
    """Check the token as Back-Channel Logout 1.0 §2.6 tells a relying party to."""
    opened = suite.sign_in.opened(logout_token)
    claims, now = opened.claims, suite.sign_in.clock().timestamp()
    assert opened.header["alg"] == "RS256"
    assert opened.header["typ"] == "logout+jwt"
    assert claims["iss"] == suite.sign_in.settings.issuer
    assert claims["aud"] == suite.sign_in.shop.client.client_id
    assert now - 86_400 <= claims["iat"] <= now
    assert claims["exp"] - claims["iat"] <= 120
    assert claims["jti"]
    assert claims["events"] == {EVENT: {}}
    assert claims["sub"] == finished.claims["sub"]
    assert claims["sid"] == finished.claims["sid"]
    assert "nonce" not in claims
