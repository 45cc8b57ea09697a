"""The consent page in a real browser: policy, live state, dark mode, phone width."""

from collections.abc import Callable
from urllib.parse import parse_qsl

import cv2
import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from oidc.client import ConfirmCode
from oidc.types import Authenticated, Level
from tests.support.browser.consent_page import claim, link_on, show_palm
from tests.support.browser.shots import picture_of
from tests.support.service.sign_in import ANNA, PHONE, SignIn, query_of

pytestmark = pytest.mark.browser

WAIT_MS = 30_000
"""A busy machine is no fault of the page."""


def scanned(page: Page) -> tuple[str, str]:
    """Return what a scanner reads from the screen, and what it should read."""
    picture = cv2.imdecode(np.frombuffer(picture_of(page), np.uint8), cv2.IMREAD_GRAYSCALE)
    assert picture is not None
    text, _, _ = cv2.QRCodeDetector().detectAndDecode(picture)
    return text, link_on(page)


@pytest.mark.parametrize("scripts", [True, False])
def test_an_answer_by_form_post_arrives_with_and_without_scripts(
    served: SignIn, chromium: Browser, shop: str, *, scripts: bool
) -> None:
    """The policy of the page lets its form through; the button is there without scripts."""
    client, state = served.another("Corner Bookshop", shop), "<\"'&ä +%"
    page = chromium.new_context(java_script_enabled=scripts).new_page()
    page.goto(client.authorization_url(response_mode="form_post", prompt="none", state=state))

    if not scripts:
        page.click("#answer button")
    page.wait_for_url(shop)

    response = dict(parse_qsl(page.inner_text("body")))
    page.context.close()
    assert response["error"] == "login_required"
    assert response["state"] == state


def test_the_page_follows_the_phone_and_goes_back_by_itself(
    served: SignIn, start: Callable[..., Page], shop: str
) -> None:
    """The claimed code gives way to a drawing of the same size; without a press."""
    page, complaints = start(), list[str]()
    page.on("console", lambda message: complaints.append(message.text))
    page.reload()
    size = page.locator("#login").bounding_box()
    login = claim(served, page)
    expect(page.locator("#qr")).to_have_count(0, timeout=WAIT_MS)
    served.handoff.record_outcome(
        login.login_id, PHONE, Authenticated(ANNA, served.clock(), Level.PALM_AND_PHONE)
    )
    page.wait_for_selector("#login[data-hint=wait_approve]", timeout=WAIT_MS)
    assert page.locator("#login").bounding_box() == size
    served.handoff.approve(login.login_id, PHONE)
    page.wait_for_url(f"{shop}?*", timeout=WAIT_MS)

    response = query_of(page.url)
    assert response["state"] == "af0ifjsldkj"
    assert "code" in response
    assert complaints == []


@pytest.mark.parametrize("served", [{"demo_command_template": "answer {link}"}], indirect=True)
@pytest.mark.parametrize(
    ("cameras", "is_open"), [("[]", True), ("[{kind: 'videoinput'}]", False)]
)
def test_the_demos_command_is_open_where_there_is_no_camera(
    start: Callable[..., Page], cameras: str, *, is_open: bool
) -> None:
    """Nothing else leads on there: it is not folded."""
    page = start()
    page.add_init_script(f"navigator.mediaDevices.enumerateDevices = async () => {cameras}")
    page.reload()
    page.wait_for_selector("#copy:not([hidden])", state="attached")

    expect(page.locator("#demo-command")).to_be_visible(visible=is_open, timeout=WAIT_MS)


def test_a_decline_can_be_read_before_the_page_goes_back(
    served: SignIn, start: Callable[..., Page], shop: str
) -> None:
    """A page that vanishes without a word is what people complain about."""
    page = start()
    served.handoff.decline(claim(served, page).login_id, PHONE)
    page.wait_for_selector("#login[data-hint=declined]", timeout=WAIT_MS)
    said, next_step = page.inner_text("#status"), page.inner_text("#next")
    page.wait_for_url(f"{shop}?*", timeout=WAIT_MS)

    assert "You declined" in said
    assert next_step == "To sign in, start again in the app."
    assert query_of(page.url)["error"] == "access_denied"


def test_where_streams_are_refused_the_page_polls(
    served: SignIn, start: Callable[..., Page], shop: str, chromium: Browser
) -> None:
    """A proxy that breaks event streams must not break the login."""
    page = start()
    page.route("**/events", lambda route: route.fulfill(status=503))
    page.reload()
    served.handoff.decline(claim(served, page).login_id, PHONE)

    page.wait_for_url(f"{shop}?*", timeout=WAIT_MS)
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


def test_the_code_on_the_screen_changes_and_stays_the_one_that_is_good(
    served: SignIn, start: Callable[..., Page]
) -> None:
    """By events, without a reload; picture, link and ticket change together."""
    page = start()
    counted = page.inner_text("#countdown")

    def renewed() -> tuple[str, str]:
        before = link_on(page)
        served.clock.advance(20)
        page.wait_for_function(
            "old => document.getElementById('phone-link').href.indexOf(old) < 0", arg=before
        )
        return scanned(page)

    # OpenCV fails on about two perfect codes of a hundred.
    text, link = next((read for read in (renewed() for _ in range(5)) if read[0]), ("", "none"))

    assert text == link
    assert page.inner_text("#countdown") != counted
    assert claim(served, page).hint == "wait_palm"


def test_a_page_whose_time_ran_out_offers_a_new_code_and_waits(
    served: SignIn, start: Callable[..., Page], shop: str
) -> None:
    """It does not run away; the button shows a code that can be scanned."""
    page = start()
    address = page.url
    served.clock.advance(180)
    page.wait_for_selector("#renew-form button:visible", timeout=WAIT_MS)
    page.wait_for_timeout(2500)
    stayed = page.url
    page.click("#renew-form button")
    page.wait_for_selector("#login[data-hint=wait_scan]")
    served.handoff.decline(claim(served, page).login_id, PHONE)
    page.wait_for_url(f"{shop}?*", timeout=WAIT_MS)

    assert stayed == address
    assert query_of(page.url)["error_description"] == "the person declined on the phone"


def test_the_code_of_the_phone_is_requested_with_the_cursor_in_place(
    served: SignIn, start: Callable[..., Page], shop: str
) -> None:
    """By keyboard alone: the field has the focus when it appears, Enter sends it."""
    page = start(confirm_code=ConfirmCode.ALWAYS)
    code = served.handoff.approve(show_palm(served, page), PHONE).confirmation_code
    page.wait_for_selector("#code:visible", timeout=WAIT_MS)
    focused = page.evaluate("document.activeElement.id")
    page.keyboard.type(str(code))
    page.keyboard.press("Enter")
    page.wait_for_url(f"{shop}?*", timeout=WAIT_MS)

    assert focused == "code"
    assert "code" in query_of(page.url)
