"""The whole road in a real browser, with pictures of what a person sees."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from benchmarks.phone_page.phone import FLAGS
from tests.support.browser.shots import picture_of
from tests.support.phone.screen import scanned
from tests.support.servers.bookshop import open_bookshop
from tests.support.service.journey import World

pytestmark = [pytest.mark.browser, pytest.mark.journey, pytest.mark.hands]

ADA = 0

CHROMIUM = "/usr/bin/chromium"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Start Debian's Chromium without a screen."""
    if shutil.which(CHROMIUM) is None:
        pytest.skip("Chromium is not installed: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def bookshop(world: World) -> Iterator[str]:
    """Open the demo's relying party."""
    with open_bookshop(world.service) as address:
        yield address


@pytest.fixture
def complaints() -> list[str]:
    """Collect what the browser complains about."""
    return []


@pytest.fixture
def context(chromium: Browser) -> Iterator[BrowserContext]:
    """Give a fresh browser profile."""
    context = chromium.new_context(viewport={"width": 1100, "height": 900})
    yield context
    context.close()


def listening(page: Page, complaints: list[str]) -> Page:
    """Write down errors of scripts, policies and loading."""
    page.on("console", lambda m: complaints.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda fault: complaints.append(str(fault)))
    return page


def at_consent_page(context: BrowserContext, bookshop: str, complaints: list[str]) -> Page:
    """Press the bookshop's button and wait for the consent page."""
    page = listening(context.new_page(), complaints)
    page.goto(bookshop)
    page.click("#sign-in")
    expect(page.locator("#qr")).to_be_visible()
    return page


def link_of(page: Page) -> str:
    """Return the link behind the QR code, as the page has it."""
    href = page.locator("#phone-link").evaluate("link => link.href")
    assert isinstance(href, str)
    return href


def approve(world: World, link: str) -> None:
    """Let a person answer with a phone."""
    person = world.person(ADA)
    assert person.phone is not None
    login = person.phone.claim(link)
    person.phone.show(login.login_id, person.palm)
    person.phone.approve(login.login_id)


def test_a_login_finishes_by_itself(world, context, bookshop, complaints, artefacts):
    """Button, consent page, phone: then the bookshop knows who it is, without another click."""
    page = at_consent_page(context, bookshop, complaints)
    expect(page.locator("#client-name")).to_contain_text("Corner Bookshop")
    picture_of(page, path=artefacts / "consent-page.png")

    approve(world, link_of(page))
    page.wait_for_url(f"{bookshop}/")

    expect(page.locator("#subject")).not_to_be_empty()
    expect(page.locator("#userinfo")).to_contain_text('"sub"')
    picture_of(page, path=artefacts / "bookshop-signed-in.png", full_page=True)
    subject = page.locator("#subject").inner_text()

    page.click("#verify-again")
    approve(world, link_of(page))
    page.wait_for_url(f"{bookshop}/")

    assert page.locator("#subject").inner_text() == subject
    expect(page.locator("h1")).to_have_text("It is really you.")
    assert complaints == []


def test_the_qr_code_on_the_screen_is_the_link(context, bookshop, complaints, artefacts):
    """What a camera reads off the screen is the link the page has in text; in the dark too."""
    for scheme in ("light", "dark"):
        page = at_consent_page(context, bookshop, complaints)
        page.emulate_media(color_scheme=scheme)
        picture_of(page, path=artefacts / f"consent-page-{scheme}.png")
        before = link_of(page)
        shown = scanned(page)  # the code may have changed meanwhile
        assert f"{shown}&here" in {before, link_of(page)}
    assert complaints == []


def test_the_cookie_of_plain_http_has_no_prefix(context, bookshop, complaints):
    """Chromium drops ``__Host-`` cookies on plain http, so the prefix is left out there."""
    at_consent_page(context, bookshop, complaints)
    cookies = [c for c in context.cookies() if c.get("name", "").startswith("thenar-login-")]

    assert len(cookies) == 1
    assert cookies[0].get("httpOnly")
    assert cookies[0].get("sameSite") == "Lax"


def test_a_countdown_runs(context, bookshop, complaints):
    """The page says how long the code is good for, and counts."""
    page = at_consent_page(context, bookshop, complaints)
    countdown = page.locator("#countdown")
    before = countdown.inner_text()
    page.wait_for_timeout(2200)

    assert re.search(r"\d", before)
    assert countdown.inner_text() != before


def test_the_page_follows_the_phone(world, context, bookshop, complaints, artefacts):
    """When a phone has scanned, the QR code goes and the page says what to do next."""
    page = at_consent_page(context, bookshop, complaints)
    waiting = page.locator("#status").inner_text()
    phone = world.person(ADA).phone
    assert phone is not None
    login = phone.claim(link_of(page))
    expect(page.locator("#qr")).to_be_hidden()
    picture_of(page, path=artefacts / "consent-page-scanned.png")
    scanned = page.locator("#status").inner_text()
    phone.decline(login.login_id)
    page.wait_for_url(f"{bookshop}/")

    assert scanned != waiting
    expect(page.locator("#message")).to_contain_text("access_denied")
    assert complaints == []


def test_another_browser_gets_403(
    world,
    chromium,
    context,
    bookshop,
    complaints,
):
    """The address of a consent page is worthless without the cookie of its own browser."""
    page = at_consent_page(context, bookshop, complaints)
    stranger = chromium.new_context()
    answer = stranger.new_page().goto(page.url)
    stolen = stranger.request.post(f"{page.url}/continue", max_redirects=0)
    stranger.close()

    assert answer is not None
    assert answer.status == 403
    assert stolen.status == 403


def test_of_two_tabs_in_one_browser_the_newer_counts(world, context, bookshop, complaints):
    """A newer login of one browser at one client replaces the older, which says so."""
    first = at_consent_page(context, bookshop, complaints)
    second = at_consent_page(context, bookshop, complaints)
    expect(first.locator("body")).to_contain_text("A newer sign-in has replaced this one.")
    approve(world, link_of(second))
    second.wait_for_url(f"{bookshop}/")

    expect(second.locator("#subject")).not_to_be_empty()
    assert complaints == []


def test_without_javascript(world, chromium, bookshop):
    """The page works without a script: QR code, link, and a button that finishes."""
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(bookshop)
    page.click("#sign-in")
    expect(page.locator("#qr")).to_be_visible()
    approve(world, page.get_attribute("#phone-link", "href") or "")

    page.click("#continue button")
    page.wait_for_url(f"{bookshop}/")

    expect(page.locator("#subject")).not_to_be_empty()
    context.close()


def test_cancel_goes_back_to_the_shop(context, bookshop, complaints):
    """Cancel is a button like any other: no script error, no dead end."""
    page = at_consent_page(context, bookshop, complaints)
    page.click("#cancel")
    page.wait_for_url(f"{bookshop}/")

    expect(page.locator("#message")).to_contain_text("access_denied")
    assert complaints == []


def test_the_page_cannot_be_framed(context, bookshop, complaints):
    """Clickjacking: both headers forbid frames; nothing is cached, no address leaks."""
    page = at_consent_page(context, bookshop, complaints)
    answer = page.reload()

    assert answer is not None
    headers = answer.headers
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert headers["x-frame-options"].lower() == "deny"
    assert "no-store" in headers["cache-control"]
    assert headers["referrer-policy"] in {"no-referrer", "same-origin"}
