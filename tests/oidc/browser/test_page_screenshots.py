"""Every state of the page, drawn: for eyes, and for what a person must be able to do there."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from oidc.types import Authenticated, ConfirmCode, Level, LoginId, Mismatched
from tests.support.browser.consent_page import ARTEFACTS, claim
from tests.support.browser.shots import picture_of
from tests.support.service.sign_in import ANNA, PHONE, SignIn

pytestmark = pytest.mark.browser

PHONE_AGENT = "Mozilla/5.0 (Linux; Android 15; Pixel 9) Chrome/150.0.0.0 Mobile Safari/537.36"
DESKTOP_AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0"

Scheme = Literal["light", "dark"]
VARIANTS: dict[str, tuple[int, Scheme, str, str]] = {
    "desktop": (1200, "light", "en", DESKTOP_AGENT),
    "desktop-dark": (1200, "dark", "de", DESKTOP_AGENT),
    "phone": (390, "light", "fr", PHONE_AGENT),
    "phone-rtl": (390, "dark", "ar", PHONE_AGENT),
}
"""Ways to look at a page: width, colours, language, browser."""


@dataclass
class Stage:
    """One login in one browser, brought to where it shall be drawn."""

    served: SignIn
    context: BrowserContext
    url: str

    def open(self) -> Page:
        """Open the consent page again."""
        page = self.context.new_page()
        page.goto(self.url)
        return page

    def scanned(self, page: Page) -> LoginId:
        """Let a phone scan it."""
        login_id: LoginId = claim(self.served, page).login_id
        return login_id

    def shown(self, page: Page, *outcomes: Mismatched, level: Level | None = None) -> LoginId:
        """Let palms be shown: Anna's, on a trusted phone unless another level is named."""
        login_id = self.scanned(page)
        own = Authenticated(ANNA, self.served.clock(), level or Level.PALM_AND_PHONE)
        for outcome in outcomes or (own,):
            self.served.handoff.record_outcome(login_id, PHONE, outcome)
        return login_id

    def approved(self, page: Page, wrong_codes: int = 0) -> None:
        """Let the person say yes, and type other codes than the phone shows."""
        code = self.served.handoff.approve(self.shown(page), PHONE).confirmation_code
        for _ in range(wrong_codes):
            look_again(page)
            page.fill("#code", f"{(int(code or 0) + 1) % 10_000:04}")
            page.click("#code-form button")


def look_again(page: Page) -> None:
    """Load the page again, whatever its own refresh is doing at this moment."""
    page.goto(page.url, wait_until="commit")
    page.wait_for_load_state("domcontentloaded")


STATES: dict[str, Callable[[Stage, Page], object]] = {
    "wait_scan": lambda stage, page: None,
    "wait_palm": lambda stage, page: stage.scanned(page),
    "palm_retry": lambda stage, page: stage.shown(page, Mismatched()),
    "wait_approve": lambda stage, page: stage.shown(page),
    "wait_code": lambda stage, page: stage.approved(page),
    "code_retry": lambda stage, page: stage.approved(page, wrong_codes=1),
    "code_locked": lambda stage, page: stage.approved(page, wrong_codes=3),
    "declined": lambda stage, page: stage.served.handoff.decline(stage.shown(page), PHONE),
    "reported": lambda stage, page: stage.served.handoff.report(stage.scanned(page), PHONE),
    "locked": lambda stage, page: stage.shown(page, *[Mismatched()] * 3),
    "expired": lambda stage, page: stage.served.clock.advance(180),
    "superseded": lambda stage, page: stage.open().close(),
    "phone_not_trusted": lambda stage, page: stage.shown(page, level=Level.PALM),
}


@pytest.fixture
def stage(served: SignIn, shop: str, chromium: Browser) -> Iterator[Stage]:
    """Give a browser without scripts: nothing moves by itself."""
    client = served.another("Corner Bookshop", shop, confirm_code=ConfirmCode.ALWAYS)
    url = client.authorization_url(scope="openid offline_access")
    context = chromium.new_context(java_script_enabled=False)
    yield Stage(served, context, url)
    context.close()


@pytest.mark.parametrize("state", STATES)
def test_every_state_says_what_happens_and_offers_a_way_on(state: str, stage: Stage) -> None:
    """In every size, scheme and direction; nothing is wider than the window; no dead end.

    Slow because it draws: four pictures of each state are what eyes need to judge a page.
    """
    ARTEFACTS.mkdir(parents=True, exist_ok=True)
    page = stage.open()
    STATES[state](stage, page)

    for name, (width, scheme, language, agent) in VARIANTS.items():
        page.set_viewport_size({"width": width, "height": 850})
        page.emulate_media(color_scheme=scheme)
        page.set_extra_http_headers({"Accept-Language": language, "User-Agent": agent})
        look_again(page)
        picture_of(page, path=ARTEFACTS / f"{state}-{name}.png", full_page=True)
        assert page.get_attribute("#login", "data-hint") == state
        assert page.locator("#status").inner_text().strip()
        assert page.locator("button:visible").count() >= 1
        assert page.evaluate("document.documentElement.scrollWidth") <= width
