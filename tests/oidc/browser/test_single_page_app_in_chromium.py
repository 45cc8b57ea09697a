"""An app that lives in a browser, in a real one: preflights, WebCrypto, bound tokens."""

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from oidc.client import Authentication
from oidc.web import pages
from tests.support.browser.consent_page import show_palm
from tests.support.service.sign_in import PHONE, SignIn

pytestmark = pytest.mark.browser


ELEMENT = Path(pages.__file__).with_name("static") / "thenar-sign-in.js"

SHOW = """async ({issuer, client}) => {
  const element = document.createElement("thenar-sign-in");
  element.setAttribute("issuer", issuer);
  element.setAttribute("client-id", client);
  const done = new Promise((resolve) => ["signed-in", "sign-in-failed"].forEach((name) =>
    element.addEventListener(name, ({detail}) => resolve(detail.claims?.sub ?? detail.error))));
  const isBack = location.search !== "";
  document.body.replaceChildren(element);
  return isBack ? done : null;
}"""


@pytest.fixture
def page(chromium: Browser, shop: str) -> Iterator[Page]:
    """Give the app's own page, on another origin than the provider."""
    context = chromium.new_context()
    page = context.new_page()
    page.goto(shop)
    yield page
    context.close()


@pytest.mark.parametrize("approves", [True, False])
def test_the_button_signs_in_by_itself(
    served: SignIn, page: Page, shop: str, *, approves: bool
) -> None:
    """With PKCE, and an event for either end; it weighs little."""
    app = served.another("Browser App", shop, authentication=Authentication.NONE)
    given = {"issuer": served.settings.issuer, "client": app.shop.client.client_id}

    def shown() -> Any:
        page.add_script_tag(content=ELEMENT.read_text("utf-8"), type="module")
        return page.evaluate(SHOW, given)

    shown()
    page.click("thenar-sign-in")
    page.wait_for_selector("#qr")
    end = served.handoff.approve if approves else served.handoff.decline
    end(show_palm(served, page), PHONE)
    page.wait_for_url(f"{shop}?*")
    response = shown()

    assert response == (app.subject(app.tokens()) if approves else "access_denied")
    assert len(gzip.compress(ELEMENT.read_bytes())) <= 6000
