"""Every end of a sign-in, and of setting up a palm, as the phone's page tells it."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.journeys.phone_page.conftest import NewPhone, refusing
from tests.support.phone.screen import PhoneScreen, scanned
from tests.support.servers.bookshop import open_bookshop
from tests.support.service.journey import Login, World

pytestmark = [pytest.mark.browser]

ADA, GIA = 0, 9


@pytest.fixture(scope="module")
def careful_shop(world: World) -> Iterator[str]:
    """Open a relying party that always wants a code to be typed."""
    options = ("--confirm-code", "always", "--accept-palm-alone")
    with open_bookshop(world.service, "Careful Bookshop", *options) as address:
        yield address


def wants_code(world: World, phone: PhoneScreen, computer: Page, shop: str) -> str:
    """Sign in as far as the code; return what the phone shows."""
    computer.goto(shop)
    computer.click("#sign-in")
    expect(computer.locator("#qr")).to_be_visible()
    phone.open(scanned(computer))
    phone.shows("who_asks")
    phone.present(world.person(ADA).palm)
    phone.shows("approve")
    phone.press("approve")
    phone.shows("code")
    expect(phone.page.locator("main button.filled")).to_have_count(0)  # it would be “not me”
    expect(computer.locator("#code")).to_be_visible()
    return phone.page.locator("#code").inner_text().replace(" ", "")


def type_code(computer: Page, code: str) -> None:
    """Type a code on the computer."""
    computer.fill("#code", code)
    computer.click("#code-form button")


@pytest.mark.pictures
def test_the_code_of_the_phone_finishes_on_the_computer(
    world: World, phone: PhoneScreen, computer: Page, careful_shop: str, complaints: list[str]
) -> None:
    """It stops who sent a picture of the QR code to a person and waits at another screen."""
    type_code(computer, wants_code(world, phone, computer, careful_shop))
    computer.wait_for_url(f"{careful_shop}/")
    phone.shows("end_go")

    expect(computer.locator("#subject")).not_to_be_empty()
    assert complaints == []


@pytest.mark.pictures
def test_wrong_codes_end_it_on_both_screens(
    world: World, phone: PhoneScreen, computer: Page, careful_shop: str
) -> None:
    """Four digits can be guessed, but not often."""
    code = wants_code(world, phone, computer, careful_shop)
    wrong = f"{(int(code) + 1) % 10_000:04}"
    for left in (2, 1):
        type_code(computer, wrong)
        expect(computer.locator("#tries")).to_contain_text(str(left))
    type_code(computer, wrong)
    phone.shows("end_code_locked")
    computer.wait_for_url(f"{careful_shop}/")

    expect(computer.locator("#message")).to_contain_text("access_denied")


@pytest.mark.parametrize(
    ("status", "error", "screen"),
    [
        (500, None, "end_trouble"),
        (403, "device_unbound", "end_device_unbound"),
        (403, "phone_not_trusted", "end_phone_not_trusted"),
        (409, "palm_disputed", "end_palm_disputed"),
        (410, "ticket_stale", "end_ticket_stale"),
    ],
)
def test_refusals_are_explained_in_words(
    login: Login, phone: PhoneScreen, status: int, error: str | None, screen: str
) -> None:
    """Trouble of the service, a phone or a palm that may not."""
    phone.page.route("**/mobile/v1/logins", refusing(status, error))
    phone.open(login.link)
    phone.shows(screen)


def test_a_phone_at_its_limit_reads_when_it_may_try_again(
    login: Login, new_phone: NewPhone
) -> None:
    """In local time, written as in the person's country, to the next full minute."""
    phone = new_phone(timezone_id="Asia/Tokyo")
    refused = refusing(429, "too_many_attempts", wait_s=7200)
    phone.page.route("**/mobile/v1/logins", refused)
    phone.page.clock.set_fixed_time("2026-11-23T11:59:30Z")
    phone.open(login.link)
    phone.shows("end_too_many_attempts")

    expect(phone.page.locator("main")).to_contain_text("again after 23 Nov 2026, 23:00.")


def test_a_refused_picture_has_its_cause_and_a_way_on(
    world: World, login: Login, phone: PhoneScreen
) -> None:
    """The person shows the palm again, and the sign-in goes on."""
    palm = world.person(ADA).palm
    causes = {"presentation_attack": "your own hand", "sample_cmyk": "CMYK"}
    causes |= {"service_busy": "in a moment"}
    for error in reversed(causes):  # the route that was added last comes first
        phone.page.route("**/template", refusing(422, error), times=1)
    phone.opens(login)
    phone.present(palm)
    for error, cause in causes.items():
        phone.shows("refused_busy" if error == "service_busy" else "refused_picture")
        expect(phone.page.locator("main")).to_contain_text(cause)
        phone.press("try_again")
    phone.shows("approve")


@pytest.mark.pictures
def test_an_enrolment_that_ends_badly_says_why(world: World, phone: PhoneScreen) -> None:
    """None: what the service itself says where no palm was shown at all."""
    errors = ["one_palm_twice", "enrolment_gone", "consent_changed", "palm_mismatch"]
    screens = {"one_palm_twice": "samples_disagree", None: "too_few_samples"}
    for error in (*errors, None):
        if error is not None:
            phone.page.route("**/finish", refusing(409, error), times=1)
        phone.goes_home(world)
        phone.press("set_up")
        phone.agree()
        for side in ("right", "left"):
            phone.shows(f"palm_{side}")
            phone.press("skip_hand")
        phone.shows(f"enrolment_{screens.get(error, error)}")


@pytest.mark.pictures
def test_an_enrolled_palm_is_not_set_up_again(world: World, phone: PhoneScreen) -> None:
    """It never says whose; the person signs in, or objects with a code that can be copied."""
    phone.goes_home(world)
    phone.press("set_up")
    phone.enrol(world.person(GIA), end="enrolment_already_enrolled")
    expect(phone.page.locator("#code")).to_have_text(re.compile(r"^(?:[A-Z2-7]{4}-){5}"))
    expect(phone.page.locator("main")).to_contain_text("@")
    phone.press("copy")
    phone.press("cancel")
    phone.shows("home")


def test_a_connection_that_comes_back_goes_on_with_the_palm(
    world: World, login: Login, phone: PhoneScreen
) -> None:
    """Lost between the palm and its answer: the palm is not requested again."""
    palm = world.person(ADA).palm
    phone.opens(login)
    phone.sends("template")
    phone.press("show_palm")
    phone.shows("capture")
    phone.page.context.set_offline(offline=True)
    phone.show(palm)
    expect(phone.page.locator("#connection")).to_be_visible()
    phone.shows("sending")
    phone.page.context.set_offline(offline=False)
    phone.shows("approve")

    expect(phone.page.locator("#connection")).to_be_hidden()
