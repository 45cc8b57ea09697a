"""Answers on their way to the client: in the query, or in a form that the browser posts."""

import re
from html import unescape
from typing import Any
from urllib.parse import urlencode

from oidc.types import Level, LoginLimits
from tests.support.clock import FakeClock
from tests.support.service.sign_in import REDIRECT_URI, SignIn

ISSUER = "https://id.example"
NASTY = "<\"'&>;ä%20+ \U0001f600"
BY_FORM = {"response_mode": "form_post"}


def form_of(answer: Any) -> dict[str, str]:
    """Return what a browser would post."""
    assert answer.status_code == 200, answer.text
    assert f'method="post" action="{REDIRECT_URI}"' in answer.text
    found = re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)">', answer.text)
    return {unescape(name): unescape(value) for name, value in found}


def test_a_code_by_form_post_is_in_the_body_only(sign_in: SignIn) -> None:
    """OAuth 2.0 Form Post Response Mode §2: no code in any address, log or history."""
    page = sign_in.open_page(**BY_FORM, state=NASTY)
    sign_in.approve(page)

    answer = sign_in.proceed(page)

    form = form_of(answer)
    assert "location" not in answer.headers
    assert set(form) == {"code", "state", "iss"}
    assert (form["state"], form["iss"]) == (NASTY, ISSUER)
    assert sign_in.redeem(form["code"]).status_code == 200
    assert "Max-Age=0" in answer.headers["set-cookie"]


def test_the_page_that_leads_on_may_lead_anywhere(sign_in: SignIn) -> None:
    """Its own script only, no framing, nothing kept; a button for browsers without scripts."""
    answer = sign_in.ask(**BY_FORM, prompt="none")

    policy = answer.headers["content-security-policy"].split("; ")
    assert "form-action" not in answer.headers["content-security-policy"]
    assert "script-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert answer.headers["cache-control"] == "no-store"
    assert '<button class="primary" type="submit">' in answer.text
    script = re.search(r'<script src="https://id.example(/oauth/static/return.js[^"]*)"',
                       answer.text)  # fmt: skip
    assert script is not None
    assert "requestSubmit" in sign_in.browser.get(script[1]).text


def test_a_refused_login_is_posted_too(sign_in: SignIn, clock: FakeClock) -> None:
    """However a login ends, it ends in the requested way."""
    page = sign_in.open_page(**BY_FORM)
    there = sign_in.another("Bank", REDIRECT_URI).open_page(**BY_FORM)
    sign_in.recognise(there, level=Level.PALM)

    assert form_of(sign_in.browser.post(f"{page}/cancel"))["error"] == "access_denied"
    clock.advance(LoginLimits().scanned_s)
    assert form_of(sign_in.proceed(there))["error"] == "unmet_authentication_requirements"


def test_an_app_without_a_web_address_cannot_be_posted_to(sign_in: SignIn) -> None:
    """Browsers do not post to private-use schemes."""
    answer = sign_in.another("App", "com.example.app:/cb").ask(**BY_FORM)

    assert answer.headers["location"].startswith("com.example.app:/cb?error=invalid_request&")


def test_the_query_of_a_post_is_not_read(sign_in: SignIn) -> None:
    """Two places for one parameter would be two readings of one request."""
    url = "/oauth/authorize?" + urlencode(sign_in.request())

    assert sign_in.browser.post(url, data={"state": "x"}).status_code == 400
