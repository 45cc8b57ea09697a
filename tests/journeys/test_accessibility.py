"""The computer's pages for everybody: consent page and error pages.

The portal: ``tests/oidc/browser/test_portal_in_chromium.py``.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.browser import axe
from tests.support.browser.chromium import open_chromium
from tests.support.browser.shots import picture_of
from tests.support.servers.bookshop import open_bookshop
from tests.support.service.journey import World

pytestmark = [pytest.mark.browser]

ADA = 0

HANDHELD = {"viewport": {"width": 360, "height": 740}, "is_mobile": True, "has_touch": True}

OVERFLOWS = "() => document.documentElement.scrollWidth > innerWidth"


class Judge:
    """Looks for barriers in what a browser shows, by day and by night."""

    def __init__(self, browser: Browser, artefacts: Path) -> None:
        self._browser, self._artefacts = browser, artefacts
        self.found: list[str] = []
        self.closing = ExitStack()

    def page(self, **given: Any) -> Page:
        """Open a browser profile; errors of its console count as barriers."""
        context = self._browser.new_context(**given)
        self.closing.callback(context.close)
        page = context.new_page()
        page.on("pageerror", lambda fault: self.found.append(str(fault)))
        return page

    def look(self, page: Page, name: str) -> None:
        """Look at a page, and take a picture of it."""
        for scheme in ("dark", "light"):
            page.emulate_media(color_scheme=scheme)
            self.found += [f"{name}, {scheme}: {each}" for each in axe.barriers(page)]
        picture_of(page, path=self._artefacts / f"computer-{name}.png", full_page=True)
        if page.evaluate(OVERFLOWS):
            self.found.append(f"{name}: wider than the screen")


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Start Debian's Chromium without a screen."""
    missing = axe.what_is_missing()
    if missing:
        pytest.skip(missing)
    with open_chromium() as browser:
        yield browser


@pytest.fixture
def judge(chromium: Browser, artefacts: Path) -> Iterator[Judge]:
    """Give a judge who must have found nothing in the end."""
    judge = Judge(chromium, artefacts)
    with judge.closing:
        yield judge
    assert judge.found == []


@pytest.fixture(scope="module")
def careful_shop(world: World) -> Iterator[str]:
    """Open a relying party that always wants a code to be typed."""
    with open_bookshop(world.service, "Careful Shop", "--confirm-code", "always") as address:
        yield address


def begin(page: Page, shop: str) -> str:
    """Press the shop's button; return the link behind the QR code."""
    page.goto(shop)
    page.click("#sign-in")
    expect(page.locator("#qr")).to_be_visible()
    href = page.locator("#phone-link").evaluate("link => link.href")
    assert isinstance(href, str)
    return href.removesuffix("&here")


def approve(world: World, link: str) -> str:
    """Let a person approve with a phone; return the code that it shows, if any."""
    person = world.person(ADA)
    return person.phone.sign_in(link, person.palm).confirmation_code or ""


@pytest.mark.parametrize(
    ("look", "given"), [("wide", {}), ("handheld", HANDHELD), ("arabic", {"locale": "ar-EG"})]
)
def test_the_consent_page_has_no_barrier_in_any_state(
    world: World, judge: Judge, careful_shop: str, look: str, given: dict[str, Any]
) -> None:
    """Waiting, scanned, a code wanted, a wrong one, declined; cancelled, and the shop away."""
    page = judge.page(**given)
    link = begin(page, careful_shop)
    judge.look(page, f"consent-waiting-{look}")
    phone = world.person(ADA).phone
    phone.scan(link)
    expect(page.locator("#qr")).to_be_hidden()
    judge.look(page, f"consent-scanned-{look}")
    code = approve(world, link)
    expect(page.locator("#code")).to_be_visible()
    expect(page.locator("#code")).to_be_focused()
    judge.look(page, f"consent-code-{look}")
    page.fill("#code", f"{(int(code) + 1) % 10_000:04}")
    page.click("#code-form button")
    expect(page.locator("#tries")).to_be_visible()
    judge.look(page, f"consent-code-retry-{look}")

    page = judge.page(**given)
    # Stays where it says how it ended; else it leads on while it is looked at.
    page.route("**/continue", lambda route: route.fulfill(status=204))
    link = begin(page, careful_shop)
    phone.decline(phone.scan(link).login_id)
    expect(page.locator("#qr")).to_be_hidden()
    expect(page.locator('#login[data-hint="declined"]')).to_be_visible()
    judge.look(page, f"consent-declined-{look}")

    page = judge.page(**given)
    page.route("**/callback?*", lambda route: route.fulfill(status=204))
    begin(page, careful_shop)
    page.click("#cancel")
    expect(page.locator("#late")).to_be_visible()
    judge.look(page, f"return-{look}")


def test_error_and_sign_out_pages_have_no_barrier(world: World, judge: Judge) -> None:
    """Where something went wrong, everybody must be able to read what."""
    page = judge.page()
    query = urlencode({"client_id": "unknown", "redirect_uri": "https://other.example"})
    page.goto(f"{world.service.issuer}/oauth/authorize?{query}")
    judge.look(page, "error")
    page.goto(f"{world.service.issuer}/oauth/logout")
    judge.look(page, "sign-out")
