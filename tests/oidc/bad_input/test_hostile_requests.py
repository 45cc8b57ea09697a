"""Requests of attackers: no traceback, no status of ours, no foreign address."""

import asyncio
import base64
import json
from typing import Any

import pytest
from starlette.requests import Request

from oidc.web.body import read_body
from tests.support.service.sign_in import SignIn


def unsigned(header: dict[str, Any], payload: str) -> str:
    """Return a JWS without a valid signature."""
    parts = (json.dumps(header).encode(), payload.encode(), b"x")
    return ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts)


@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", "/token/"), ("POST", "/oauth/token/"), ("GET", "/userinfo/"),
     ("GET", "/oauth/authorize/")],
)  # fmt: skip
def test_a_final_slash_leads_nowhere(sign_in: SignIn, method: str, path: str) -> None:
    """A redirect made from the Host header would send secrets away. RFC 9700 §4.12."""
    answer = sign_in.new_browser().request(method, path, headers={"Host": "evil.example"})

    assert answer.status_code == 404
    assert "location" not in answer.headers


@pytest.mark.parametrize("critical", [5, None, {}, [5], "crit"])
def test_an_odd_crit_header_makes_an_invalid_token(sign_in: SignIn, critical: object) -> None:
    """RFC 7515 §4.1.11 wants a list of names; another value is answered with 401."""
    jwks = sign_in.new_browser().get("/.well-known/jwks.json").json()
    header = {"alg": "RS256", "typ": "at+jwt", "kid": jwks["keys"][0]["kid"], "crit": critical}

    assert sign_in.userinfo(unsigned(header, "{}")).status_code == 401


def test_planted_cookies_do_not_keep_a_browser_out(sign_in: SignIn) -> None:
    """Another service of the host may plant cookies of any name."""
    cookies = "; ".join(f"__Host-thenar-login-a({number})=x" for number in range(12))
    answer = sign_in.new_browser().get(
        "/oauth/authorize", params=sign_in.request(), headers={"Cookie": cookies}
    )

    assert answer.status_code == 302


def test_a_client_that_hangs_up_in_the_middle_causes_no_error() -> None:
    """Otherwise anybody could fill the log with tracebacks."""

    async def receive() -> dict[str, object]:
        return {"type": "http.disconnect"}

    request = Request({"type": "http", "method": "POST", "headers": []}, receive)

    assert asyncio.run(read_body(request)) is None


@pytest.mark.parametrize(
    "body", [b"code=%ff", b"x=%ff", b"&a=b" * 200], ids=["code", "x", "many"]
)
@pytest.mark.parametrize("action", ["continue", "cancel", "code", "renew"])
def test_a_form_of_the_page_that_cannot_be_read_is_none_of_ours(
    sign_in: SignIn, action: str, body: bytes
) -> None:
    """Nothing happens to the login, and it is no fault of the service."""
    page = sign_in.open_page()
    kind = {"Content-Type": "application/x-www-form-urlencoded"}

    answer = sign_in.browser.post(f"{page}/{action}", content=body, headers=kind)

    assert answer.status_code == 403
    assert sign_in.browser.get(f"{page}/state").json()["hint"] == "wait_scan"
