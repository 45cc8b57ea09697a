"""A browser at the logout endpoint: RP-Initiated Logout 1.0."""

from typing import Any

from starlette.testclient import TestClient

from tests.support.service.html_page import Page, read_page
from tests.support.service.sign_in import SignIn, response_of

LOGOUT = "/oauth/logout"
BYE = "https://shop.example/bye?tenant=1"
"""Where the client lets the browser come back to."""


def sign_out(shop: SignIn, **fields: str) -> Any:
    """Send the browser to the logout endpoint."""
    return shop.browser.get(LOGOUT, params=fields)


def page_of(answer: Any) -> Page:
    """Return the page of an answer that must not lead anywhere."""
    assert "location" not in answer.headers
    return read_page(LOGOUT, answer.status_code, dict(answer.headers), answer.text)


def agree(browser: TestClient, asked: Any, form: str = "sign-out", **changes: str) -> Any:
    """Press the button of the page that asks."""
    found = page_of(asked).element(form)
    return browser.post(found.attributes["action"], data={**found.fields, **changes})


def is_signed_in(shop: SignIn, browser: TestClient | None = None) -> bool:
    """Return whether ``prompt=none`` succeeds."""
    return "code" in response_of(shop.ask(browser, prompt="none"))
