"""Back to the app in three engines: from every form of ours, wherever the app leads on.

Chromium and WebKit apply ``form-action`` to each redirect that follows a form (Content
Security Policy Level 3 §6.4.2).
"""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from playwright.sync_api import Page

from oidc.client import ConfirmCode
from oidc.types import Authenticated, Level, Ticket
from tests.support.browser import firefox, webkit
from tests.support.browser.chromium import open_chromium
from tests.support.browser.driven import Driven
from tests.support.servers.certificates import make_certificate
from tests.support.servers.recording import Recorder, recording
from tests.support.service.sign_in import ANNA, PHONE, SignIn

pytestmark = [
    pytest.mark.browser,
    pytest.mark.parametrize("served", [{"session_minutes": 10}], indirect=True),
]

APP: Final = "com.example.app:/done"
UNKNOWN: Final = "NS_ERROR_UNKNOWN_PROTOCOL"
"""All that Firefox says of a redirect to a scheme that no program opens."""

IS_LATE: Final = (
    "document.getElementById('late')?.checkVisibility({visibilityProperty: true}) ?? false"
)
"""Whether the page says what to do."""

POSTED: Final = """(() => {
  const form = Object.assign(document.createElement('form'), {method: 'post'});
  for (const [name, value] of Object.entries(%s))
    form.append(Object.assign(document.createElement('input'), {name, value}));
  form.action = '%s';
  document.body.append(form);
  form.submit();
})()"""

HOPS: Final = {
    "none": ("http://127.0.0.1", ""),
    "https to the app's scheme": ("https://127.0.0.1", APP),
    "http to https": ("http://127.0.0.1", "https://127.0.0.1"),
    "localhost to 127.0.0.1": ("http://localhost", "http://127.0.0.1"),
}
"""Origin of the redirect URI, and where the app leads on from there."""


@dataclass
class Chromium(Driven):
    """A tab of Chromium."""

    page: Page
    _reached: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("request", lambda request: self._reached.append(request.url))

    def open(self, address: str) -> None:
        """Go to an address."""
        self._reached.clear()
        self.page.goto(address)

    def run(self, script: str) -> Any:
        """Return what an expression gives."""
        return self.page.evaluate(script)

    def reached(self) -> list[str]:
        """Return where it went; events come while it waits."""
        self.page.wait_for_timeout(50)
        return self._reached


@contextmanager
def open_tab(_folder: Path) -> Iterator[Chromium]:
    """Start Chromium."""
    with open_chromium() as started:
        yield Chromium(started.new_context(ignore_https_errors=True).new_page())


ENGINES: Final[Mapping[str, Callable[[Path], AbstractContextManager[Driven]]]] = {
    "chromium": open_tab,
    "firefox": firefox.open_firefox,
    "webkit": webkit.open_webkit,
}
"""Browsers that trust every certificate."""


@pytest.fixture(scope="module", params=ENGINES)
def browser(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Driven]:
    """Start a browser."""
    with ENGINES[request.param](tmp_path_factory.mktemp(request.param)) as started:
        yield started


@dataclass(frozen=True)
class Way:
    """From a redirect URI to where the app leads on.

    Attributes:
        redirect_uri: of the client.
        callback: what came there.
        end: where the browser must be at last.
    """

    redirect_uri: str
    callback: Recorder
    end: str


@pytest.fixture
def lead(tmp_path: Path) -> Iterator[Callable[[str], Way]]:
    """Give a function that serves a hop."""
    tls, _ = make_certificate(tmp_path)
    with ExitStack() as stack:

        def served_at(origin: str, path: str) -> Recorder:
            secure = tls if origin.startswith("https:") else None
            return stack.enter_context(recording(path, tls=secure))

        def way(hop: str) -> Way:
            origin, onward = HOPS[hop]
            callback = served_at(origin, "/cb")
            redirect_uri = callback.address.replace("http://127.0.0.1", origin)
            if not onward:
                return Way(redirect_uri, callback, redirect_uri)
            end = APP if onward == APP else served_at(onward, "/done").address
            callback.status, callback.location = 302, end
            return Way(redirect_uri, callback, end)

        yield way


def click(browser: Driven, selector: str) -> None:
    """Press a button as soon as it is shown."""
    found = f"document.querySelector('{selector}')"
    browser.wait_for(f"{found}?.checkVisibility()")
    browser.run(f"{found}.click()")


def learned(browser: Driven, way: Way) -> dict[str, str]:
    """Wait until the browser is where the app leads on; return what the app learned."""
    if way.end == APP:
        browser.wait_until(
            lambda: any(each.startswith((APP, UNKNOWN)) for each in browser.reached())
        )
    else:
        loaded = "document.readyState === 'complete' && location.href"
        browser.wait_until(lambda: str(browser.run(loaded)).startswith(way.end))
    first = way.callback.received[0]
    return dict(parse_qsl(urlsplit(first.path).query) + parse_qsl(first.body.decode()))


def approve(served: SignIn, browser: Driven) -> str:
    """Say yes on a phone; return the code that it shows, if any."""
    link = "document.querySelector('#phone-link')?.href"
    browser.wait_for(link)
    ticket = Ticket(browser.run(link).partition("#")[2].removesuffix("&here"))
    login_id = served.handoff.claim(ticket, PHONE).login_id
    outcome = Authenticated(ANNA, served.clock(), Level.PALM_AND_PHONE)
    served.handoff.record_outcome(login_id, PHONE, outcome)
    return served.handoff.approve(login_id, PHONE).confirmation_code or ""


@pytest.mark.parametrize("mode", ["query", "form_post"])
@pytest.mark.parametrize("hop", HOPS)
def test_an_answer_arrives_wherever_the_app_leads_on(
    served: SignIn, browser: Driven, lead: Callable[[str], Way], hop: str, mode: str
) -> None:
    """The page stood still, with a spent code, where the origin or the scheme changed."""
    way = lead(hop)
    client = served.another("Shop", way.redirect_uri)

    browser.open(client.authorization_url(response_mode=mode))
    click(browser, "#cancel")
    response = learned(browser, way)

    assert (response["error"], response["state"]) == ("access_denied", "af0ifjsldkj")
    assert bool(way.callback.received[0].body) == (mode == "form_post")


def test_an_approved_sign_in_and_its_sign_out_lead_on(
    served: SignIn, browser: Driven, lead: Callable[[str], Way]
) -> None:
    """The first by itself, the second by its page's button."""
    way, bye = lead("http to https"), lead("http to https")
    client = served.another(
        "Shop", way.redirect_uri, post_logout_redirect_uris=[bye.redirect_uri]
    )

    browser.open(client.authorization_url(prompt="login"))
    approve(served, browser)
    signed_in = learned(browser, way)
    query = {
        "client_id": client.shop.client.client_id,
        "post_logout_redirect_uri": bye.redirect_uri,
        "state": "ä &",
    }
    browser.open(f"{served.settings.auth_url}/oauth/logout?{urlencode(query)}")
    click(browser, "#sign-out button")

    assert "code" in signed_in
    assert learned(browser, bye) == {"state": "ä &"}


def test_a_form_of_an_app_ends_the_session(
    served: SignIn, browser: Driven, lead: Callable[[str], Way]
) -> None:
    """It brings no cookie of ours: SameSite. Our page submits it once more, with the cookie."""
    way, bye = lead("none"), lead("none")
    client = served.another(
        "Shop", way.redirect_uri, post_logout_redirect_uris=[bye.redirect_uri]
    )
    browser.open(client.authorization_url(prompt="login", scope="openid offline_access"))
    approve(served, browser)
    hint = client.redeem(learned(browser, way)["code"]).json()["id_token"]
    form = {"id_token_hint": hint, "post_logout_redirect_uri": bye.redirect_uri}

    browser.open(way.redirect_uri.replace("127.0.0.1", "localhost"))  # another site
    browser.run(POSTED % (json.dumps(form), f"{served.settings.auth_url}/oauth/logout"))
    learned(browser, bye)

    with served.database.engine.connect() as stored:
        left = stored.exec_driver_sql("SELECT count(*) FROM browser_sessions").scalar_one()
    assert left == 0


def test_a_typed_code_leads_on(
    served: SignIn, browser: Driven, lead: Callable[[str], Way]
) -> None:
    """The third form that ends at the app."""
    way = lead("localhost to 127.0.0.1")
    client = served.another("Bank", way.redirect_uri, confirm_code=ConfirmCode.ALWAYS)

    browser.open(client.authorization_url(prompt="login"))
    typed = approve(served, browser)
    browser.run(f"document.getElementById('code').value = '{typed}'")
    click(browser, "#code-form button")

    assert "code" in learned(browser, way)


def test_an_app_with_its_own_scheme_is_opened(served: SignIn, browser: Driven) -> None:
    """No program need be there: the browser went that far."""
    client = served.another("App", APP)

    def is_there() -> bool:
        if isinstance(browser, firefox.Firefox):
            # It hides which schemes no program opens: all there is to see is the page.
            return bool(browser.run(IS_LATE))
        return any(f"{APP}?error=" in each for each in browser.reached())

    browser.open(client.authorization_url())
    click(browser, "#cancel")

    browser.wait_until(is_there)


def test_a_page_that_could_not_lead_on_says_what_to_do(
    served: SignIn, browser: Driven, lead: Callable[[str], Way]
) -> None:
    """After some seconds; and its button leads on once more."""
    way = lead("none")
    way.callback.status = 204  # a browser stays where it is

    browser.open(served.another("Shop", way.redirect_uri).authorization_url())
    click(browser, "#cancel")
    browser.wait_for(IS_LATE)
    click(browser, "#answer")

    browser.wait_until(lambda: browser.reached() and len(way.callback.received) == 2)
    assert "start again" in browser.run("document.getElementById('late').textContent")
