"""The portal in Chromium: with and without scripts, on a phone, in the dark, from the right.

Every page that is drawn is looked at for barriers.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from oidc.storage.stores.logins import Ended
from oidc.types import LoginState
from tests.support.browser import axe
from tests.support.browser.consent_page import ARTEFACTS, show_palm
from tests.support.browser.shots import picture_of
from tests.support.service.portal_developer import invite
from tests.support.service.sign_in import PHONE, SignIn

pytestmark = pytest.mark.browser

PICTURES = ARTEFACTS.parent / "portal"


@dataclass
class Stage:
    """A developer's browser.

    Attributes:
        complaints: of the browser.
        barriers: of the pages that were drawn.
    """

    served: SignIn
    page: Page
    has_scripts: bool = True
    complaints: list[str] = field(default_factory=list)
    barriers: list[str] = field(default_factory=list)

    @property
    def portal(self) -> str:
        """Where the portal is."""
        return f"{self.served.settings.auth_url}/portal"

    def show_palm(self) -> None:
        """Scan, be recognised, say yes, type the code; without scripts after a reload."""
        login = show_palm(self.served, self.page)
        code = self.served.handoff.approve(login, PHONE).confirmation_code
        if not self.has_scripts:
            self.page.reload()
        self.page.fill("#code", str(code))
        self.page.click("#code-form button")
        self.page.wait_for_url(f"{self.portal}**")

    def join(self) -> None:
        """Use an invitation."""
        link = f"{self.portal}/join#{invite(self.served)}"
        self.page.goto(link)
        if not self.page.input_value("#invitation"):
            self.page.fill("#invitation", link)
        self.page.click("main button")
        self.show_palm()

    def register(self, name: str, redirect: str = "https://app.example/callback") -> None:
        """Register a client."""
        self.page.click("#new-client")
        self.page.fill("#client_name", name)
        self.page.fill("#redirect_uris", redirect)
        self.page.click("#client-form button")

    def draw(self, name: str) -> None:
        """Keep a picture of the whole page, and note what is wrong with it."""
        PICTURES.mkdir(parents=True, exist_ok=True)
        picture_of(self.page, path=PICTURES / f"{name}.png", full_page=True)
        if self.has_scripts and not axe.what_is_missing():
            self.barriers += [f"{name}: {each}" for each in axe.barriers(self.page)]
        if _is_wider_than_the_window(self.page):
            self.barriers.append(f"{name}: wider than the window")


@pytest.fixture(
    params=[
        pytest.param({"name": "desktop", "viewport": (1200, 860)}, id="desktop"),
        pytest.param(
            {"name": "phone-dark", "viewport": (390, 844), "dark": True, "locale": "ar-EG"},
            id="phone",
        ),
        pytest.param({"name": "plain", "viewport": (800, 600), "plain": True}, id="no-scripts"),
    ]
)
def dressed(
    request: pytest.FixtureRequest, served: SignIn, chromium: Browser
) -> Iterator[tuple[str, Stage]]:
    """Give a browser in one of three dresses."""
    dress: dict[str, Any] = request.param
    width, height = dress["viewport"]
    context = chromium.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if dress.get("dark") else "light",
        java_script_enabled=not dress.get("plain"),
        locale=dress.get("locale", "en-GB"),
    )
    stage = Stage(served, context.new_page(), has_scripts=not dress.get("plain"))
    stage.page.on("console", lambda said: stage.complaints.append(said.text))
    stage.page.on("pageerror", lambda fault: stage.complaints.append(str(fault)))
    yield dress["name"], stage
    context.close()
    assert stage.barriers == []


def _is_wider_than_the_window(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth > innerWidth"))


def count_sign_ins(served: SignIn, client_id: str) -> None:
    """Let sign-ins of four weeks have ended, each day others."""
    ends = LoginState.COMPLETED, LoginState.DECLINED, LoginState.EXPIRED, LoginState.LOCKED
    ended = {
        Ended(served.clock() - timedelta(days=age), end, client_id): (7 * age + 1) % 30 // order
        for age in range(28)
        for order, end in enumerate(ends, start=1)
    }
    with served.database.write() as stores:
        stores.login_days.add(ended)


def test_a_developers_whole_way(dressed: tuple[str, Stage]) -> None:
    """Invitation, palm, client, rotation, error, trial: each page drawn, nothing complained."""
    name, stage = dressed
    page = stage.page
    page.goto(stage.portal)
    stage.draw(f"1-welcome-{name}")
    stage.join()
    stage.draw(f"2-clients-{name}")
    page.click("#new-client")
    stage.draw(f"3-form-{name}")
    page.go_back()
    stage.register("Garden App of the long name that goes on and on, as names of apps do")
    secret = page.inner_text("#client-secret")
    client_id = page.inner_text("#client-id")
    stage.draw(f"4-secret-{name}")
    page.click("a.primary")
    served = stage.served
    served.ask(client_id=client_id, redirect_uri="https://typo.example/")
    served.authorize(
        served.request(
            client_id=client_id, redirect_uri="https://app.example/callback", scope="email"
        )
    )
    page.click("#tab-credentials")
    page.click("#rotate button")
    renewed = page.inner_text("#client-secret")
    assert len(secret) == len(renewed) == 43 and secret != renewed
    count_sign_ins(served, client_id)
    _look_at_tabs(name, stage)
    page.click("#remove")
    stage.draw(f"6-remove-{name}")
    page.click("nav a[href$='/trial']")
    stage.draw(f"7-trial-{name}")
    page.click("#try")
    stage.show_palm()
    stage.draw(f"7-trial-result-{name}")
    assert page.locator("pre").count() == 5
    assert stage.complaints == []
    page.goto(f"{stage.portal}/clients/unknown")
    stage.draw(f"8-missing-{name}")


def _look_at_tabs(name: str, stage: Stage) -> None:
    """Draw each page of an app, and search its errors; end at its settings."""
    page = stage.page
    page.click("#tab-errors")
    page.fill("#q", "invalid_scope")
    page.press("#q", "Enter")
    assert page.locator("#errors > li").count() == 1
    for tab in ("overview", "credentials", "errors", "team", "sandbox", "change"):
        page.click(f"#tab-{tab}")
        stage.draw(f"5-{tab}-{name}")
        if tab == "credentials":
            assert ("UTC" in page.inner_text("#rollover")) is not stage.has_scripts
