"""Every state of the page, drawn: for eyes, and for what a person must be able to do there."""

from __future__ import annotations

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

PHONE_AGENT = (
    "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko)"
    " Chrome/150.0.0.0 Mobile Safari/537.36"
)
DESKTOP_AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0"


@dataclass(frozen=True)
class Variant:
    """One way to look at a page."""

    name: str
    width: int
    height: int
    scheme: Literal["light", "dark"]
    language: str
    agent: str

    def dress(self, page: Page) -> None:
        """Let a page be looked at like this, and load it anew."""
        page.set_viewport_size({"width": self.width, "height": self.height})
        page.emulate_media(color_scheme=self.scheme)
        page.set_extra_http_headers(
            {"Accept-Language": self.language, "User-Agent": self.agent}
        )
        look_again(page)

    def draw(self, page: Page, name: str) -> None:
        """Keep a picture of the whole page."""
        ARTEFACTS.mkdir(parents=True, exist_ok=True)
        picture_of(page, path=ARTEFACTS / f"{name}-{self.name}.png", full_page=True)


VARIANTS = (
    Variant("desktop", 1200, 860, "light", "en", DESKTOP_AGENT),
    Variant("desktop-dark", 1200, 860, "dark", "de", DESKTOP_AGENT),
    Variant("phone", 390, 844, "light", "fr", PHONE_AGENT),
    Variant("phone-rtl", 390, 844, "dark", "ar", PHONE_AGENT),
)


@dataclass
class Stage:
    """One login in one browser, brought to where it shall be drawn."""

    served: SignIn
    context: BrowserContext
    url: str

    def open(self) -> Page:
        """Open the consent page anew."""
        page = self.context.new_page()
        page.goto(self.url)
        return page

    def scanned(self, page: Page) -> LoginId:
        """Let a phone scan it."""
        login_id: LoginId = claim(self.served, page).login_id
        return login_id

    def shown(self, page: Page, *outcomes: Authenticated | Mismatched) -> LoginId:
        """Let palms be shown."""
        login_id = self.scanned(page)
        for outcome in outcomes or (
            Authenticated(ANNA, self.served.clock(), Level.PALM_AND_PHONE),
        ):
            self.served.handoff.record_outcome(login_id, PHONE, outcome)
        return login_id

    def approved(self, page: Page) -> str:
        """Let the person say yes; return the code that the phone shows."""
        state = self.served.handoff.approve(self.shown(page), PHONE)
        assert state.confirmation_code is not None
        return state.confirmation_code

    def type(self, page: Page, code: str) -> None:
        """Type a confirmation code."""
        look_again(page)
        page.fill("#code", code)
        page.click("#code-form button")

    def type_wrong(self, page: Page, times: int) -> None:
        """Type another code than the phone shows."""
        wrong = _another(self.approved(page))
        for _ in range(times):
            self.type(page, wrong)

    def begin_untrusted(self, page: Page) -> None:
        """Answer an app that asks for a trusted phone with a new one."""
        self.shown(page, Authenticated(ANNA, self.served.clock(), Level.PALM))


def look_again(page: Page) -> None:
    """Load the page anew, whatever its own refresh is doing at this moment."""
    page.goto(page.url, wait_until="commit")
    page.wait_for_load_state("domcontentloaded")


STATES: dict[str, Callable[[Stage, Page], object]] = {
    "wait_scan": lambda stage, page: None,
    "wait_palm": lambda stage, page: stage.scanned(page),
    "palm_retry": lambda stage, page: stage.shown(page, Mismatched()),
    "wait_approve": lambda stage, page: stage.shown(page),
    "wait_code": lambda stage, page: stage.approved(page),
    "code_retry": lambda stage, page: stage.type_wrong(page, 1),
    "code_locked": lambda stage, page: stage.type_wrong(page, 3),
    "declined": lambda stage, page: stage.served.handoff.decline(stage.shown(page), PHONE),
    "reported": lambda stage, page: stage.served.handoff.report(stage.scanned(page), PHONE),
    "locked": lambda stage, page: stage.shown(page, *[Mismatched()] * 3),
    "expired": lambda stage, page: stage.served.clock.advance(180),
    "superseded": lambda stage, page: stage.open().close(),
    "phone_not_trusted": lambda stage, page: stage.begin_untrusted(page),
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
    page = stage.open()
    STATES[state](stage, page)
    for variant in VARIANTS:
        variant.dress(page)
        variant.draw(page, state)

        assert page.get_attribute("#login", "data-hint") == state
        assert page.locator("#status").inner_text().strip()
        assert page.locator("button:visible").count() >= 1
        assert page.evaluate("document.documentElement.scrollWidth") <= variant.width


def _another(code: str) -> str:
    return f"{(int(code) + 1) % 10_000:04}"
