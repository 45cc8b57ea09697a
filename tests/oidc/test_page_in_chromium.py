"""The consent page in a real browser: policy, live state, dark mode, phone width."""

from __future__ import annotations

import http.server
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qsl, urlencode

import cv2
import numpy as np
import pytest
import uvicorn
from playwright.sync_api import Browser, Page, sync_playwright

from oidc.app import utc_now
from oidc.types import Authenticated, Ticket
from tests.fakes.sign_in import ANNA, PHONE, SignIn, query_of

pytestmark = pytest.mark.browser

CHROMIUM = shutil.which("chromium")


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Give Debian's Chromium."""
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        yield browser
        browser.close()


@pytest.fixture
def shop() -> Iterator[str]:
    """Give a relying party's callback on another origin."""

    class Callback(http.server.BaseHTTPRequestHandler):
        """Says that somebody arrived."""

        def do_GET(self) -> None:
            """Answer anything."""
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"arrived")

        def do_POST(self) -> None:
            """Say what arrived."""
            body = self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"posted " + body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Callback)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/callback"
    server.shutdown()
    server.server_close()


@pytest.fixture
def served(make_sign_in: Callable[..., SignIn], free_port: int) -> Iterator[SignIn]:
    """Give a provider that really listens, with the real time."""
    sign_in = make_sign_in(issuer=f"http://127.0.0.1:{free_port}")
    sign_in.clock.now = utc_now()
    config = uvicorn.Config(sign_in.app, port=free_port, log_level="error", lifespan="off")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield sign_in
    server.should_exit = server.force_exit = True
    thread.join(10)


@pytest.fixture
def start(served: SignIn, shop: str, chromium: Browser) -> Iterator[Callable[..., Page]]:
    """Give a function that opens the consent page in a fresh browser profile."""
    registered = served.register("Corner Bookshop", shop)
    url = f"{served.settings.auth_url}/oauth/authorize?" + urlencode(served.request(registered))
    contexts = []

    def open_page(**options: Any) -> Page:
        context = chromium.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.goto(url)
        return page

    yield open_page
    for context in contexts:
        context.close()


def claim(served: SignIn, page: Page) -> Any:
    """Scan the code on the page."""
    link = page.get_attribute("#phone-link", "href") or ""
    return served.door.claim(Ticket(link.partition("#")[2]), PHONE)


def scanned(page: Page) -> tuple[str, str | None]:
    """Return what a scanner reads from the screen, and what it should read."""
    picture = cv2.imdecode(np.frombuffer(page.screenshot(), np.uint8), cv2.IMREAD_GRAYSCALE)
    assert picture is not None
    text, _, _ = cv2.QRCodeDetector().detectAndDecode(picture)
    return text, page.get_attribute("#phone-link", "href")


@pytest.mark.parametrize("scripts", [True, False])
def test_an_answer_by_form_post_arrives_with_and_without_scripts(
    served: SignIn, chromium: Browser, shop: str, *, scripts: bool
) -> None:
    """The policy of the page lets its form through; the button is there without scripts."""
    registered = served.register("Corner Bookshop", shop)
    fields = served.request(
        registered, response_mode="form_post", prompt="none", state="<\"'&ä +%"
    )
    page = chromium.new_context(java_script_enabled=scripts).new_page()
    page.goto(f"{served.settings.auth_url}/oauth/authorize?{urlencode(fields)}")

    if not scripts:
        page.click("#answer button")
    page.wait_for_url(shop)

    told = dict(parse_qsl(page.inner_text("body").removeprefix("posted ")))
    page.context.close()
    assert told["error"] == "login_required"
    assert told["state"] == fields["state"]


def test_the_page_follows_the_phone_and_goes_back_by_itself(
    served: SignIn, start: Callable[..., Page], shop: str
) -> None:
    """The code leaves the page as soon as it is claimed; nobody presses anything."""
    page, complaints = start(), list[str]()
    page.on("console", lambda message: complaints.append(message.text))
    page.reload()
    login = claim(served, page)
    page.wait_for_selector("#login[data-hint=wait_palm]", timeout=2000)
    gone = page.query_selector("#qr")
    served.door.settle(login.login_id, PHONE, Authenticated(ANNA, served.clock()))
    page.wait_for_selector("#login[data-hint=wait_approve]", timeout=2000)
    served.door.approve(login.login_id, PHONE)
    page.wait_for_url(f"{shop}?*", timeout=3000)

    told = query_of(page.url)
    assert gone is None
    assert told["state"] == "af0ifjsldkj"
    assert "code" in told
    assert complaints == []


def test_a_decline_can_be_read_before_the_page_goes_back(
    served: SignIn, start: Callable[..., Page], shop: str
) -> None:
    """A page that vanishes without a word is what people complain about."""
    page = start()
    served.door.decline(claim(served, page).login_id, PHONE)
    page.wait_for_selector("#login[data-hint=declined]", timeout=2000)
    said = page.inner_text("#status")
    page.wait_for_url(f"{shop}?*", timeout=5000)

    assert "Declined" in said
    assert query_of(page.url)["error"] == "access_denied"


def test_cancel_goes_back_at_once(start: Callable[..., Page], shop: str) -> None:
    """By keyboard: the policy lets this form lead to this client."""
    page = start()
    page.focus("#cancel")
    page.keyboard.press("Enter")
    page.wait_for_url(f"{shop}?*", timeout=3000)

    assert query_of(page.url)["error_description"] == "the person cancelled in the browser"


def test_without_scripts_a_button_goes_back(
    served: SignIn, start: Callable[..., Page], shop: str
) -> None:
    """The page refreshes itself and shows the button."""
    page = start(java_script_enabled=False)
    login = claim(served, page)
    served.door.settle(login.login_id, PHONE, Authenticated(ANNA, served.clock()))
    served.door.approve(login.login_id, PHONE)
    page.wait_for_selector("#continue button:visible", timeout=8000)
    page.click("#continue button")

    assert page.url.startswith(shop)
    assert "code" in query_of(page.url)


def test_where_streams_are_refused_the_page_polls(
    served: SignIn, start: Callable[..., Page], shop: str, chromium: Browser
) -> None:
    """A proxy that breaks event streams must not break the login."""
    page = start()
    page.route("**/events", lambda route: route.fulfill(status=503))
    page.reload()
    served.door.decline(claim(served, page).login_id, PHONE)

    page.wait_for_url(f"{shop}?*", timeout=8000)
    assert query_of(page.url)["error"] == "access_denied"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1200])
def test_the_code_can_be_scanned_from_the_screen(
    start: Callable[..., Page], width: int, scheme: str
) -> None:
    """Dark on light also in dark mode; and nothing is wider than a phone."""
    page = start(viewport={"width": width, "height": 900}, color_scheme=scheme)
    narrow_enough = page.evaluate("document.documentElement.scrollWidth") <= width

    # OpenCV fails on about two perfect codes of a hundred: another page shows another code.
    tried = [scanned(page)]
    while not tried[-1][0] and len(tried) < 5:
        another = start(viewport={"width": width, "height": 900}, color_scheme=scheme)
        tried.append(scanned(another))
    text, link = tried[-1]
    assert text == link
    assert narrow_enough


def test_the_cookie_is_out_of_reach_of_scripts(start: Callable[..., Page]) -> None:
    """HttpOnly; and no prefix on plain http, or Chromium would not keep it at all."""
    page = start()

    cookies = [each for each in page.context.cookies() if "login" in each["name"]]
    assert [each["name"].partition("-login-")[0] for each in cookies] == ["thenar"]
    assert all(each["httpOnly"] for each in cookies)
    assert page.evaluate("document.cookie") == ""
