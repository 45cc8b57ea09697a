"""Signing in with the page behind the QR code: first use, every choice, every end."""

import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.journeys.phone_page.conftest import NewPhone
from tests.support.browser.shots import picture_of
from tests.support.phone.camera import frame_of
from tests.support.phone.screen import PhoneScreen, scanned
from tests.support.service.journey import Login, World

pytestmark = [pytest.mark.browser]

ADA, BEN = 0, 1


def test_first_use_then_login_on_a_computer(
    world: World, phone: PhoneScreen, computer: Page, bookshop: str, complaints: list[str]
) -> None:
    """The whole way, with nothing installed: scan, set up both palms, show one, approve.

    The next time, in a browser and a network of theirs, it is one press, unless they are named.
    """
    ben = world.people[BEN]
    for page in (phone.page, computer):
        page.set_extra_http_headers({"X-Forwarded-For": "203.0.113.7"})
    computer.goto(bookshop)
    computer.click("#sign-in")
    expect(computer.locator("#qr")).to_be_visible()
    phone.open(scanned(computer))
    phone.shows("who_asks")
    expect(phone.page.locator("#client-name")).to_have_text("Corner Bookshop")
    assert urlsplit(phone.page.url).fragment == ""

    phone.sends("template")
    phone.press("first_time")
    phone.enrol(ben)
    phone.camera.show(frame_of(ben.palm))
    phone.press("continue")
    phone.approve()
    computer.wait_for_url(f"{bookshop}/")

    expect(computer.locator("#subject")).not_to_be_empty()
    for again, press, end in (
        ("sign-in", "show_palm", "end_go"), ("verify-again", "continue", "approve"),
    ):  # fmt: skip
        computer.click(f"#{again}")
        phone.open(str(computer.get_attribute("#phone-link", "href")))
        phone.shows("who_asks")
        phone.shoot(f"who_asks_{again}")
        picture_of(computer, path=phone.artefacts / f"computer-{again}.png")
        phone.press(press)
        phone.shows(end)
        if end == "end_go":
            computer.wait_for_url(f"{bookshop}/")
    assert complaints == []


def test_no_picture_leaves_and_no_third_party_hears_of_it(
    world: World, login: Login, phone: PhoneScreen, complaints: list[str]
) -> None:
    """In the default mode only templates leave the phone, and only to the service."""
    ada = world.person(ADA)
    bodies: list[str] = []
    phone.page.on(
        "request",
        lambda r: (
            bodies.append(r.headers.get("content-type", "")) if r.method != "GET" else None
        ),
    )
    phone.opens(login)
    phone.present(ada.palm)
    phone.approve()
    assert "code" in login.finish().parameters

    assert "application/vnd.thenar.template" in bodies
    assert not any(kind.startswith("image/") for kind in bodies)
    assert {urlsplit(url).netloc for url in phone.requests} == {urlsplit(login.link).netloc}
    assert complaints == []


def test_use_this_device_comes_back_by_itself(
    world: World, phone: PhoneScreen, bookshop: str
) -> None:
    """The consent page is in the same browser: no second device, no going back by hand."""
    phone.page.goto(bookshop)
    phone.page.click("#sign-in")
    phone.page.click("#phone-link")
    phone.shows("who_asks")
    phone.present(world.person(ADA).palm)
    phone.shows("approve")
    phone.press("approve")
    phone.page.wait_for_url(f"{bookshop}/")

    expect(phone.page.locator("#subject")).not_to_be_empty()


@pytest.mark.parametrize("choice", ["decline", "report"])
def test_declining_is_one_press(login: Login, phone: PhoneScreen, choice: str) -> None:
    """Before any palm, as easy as going on; the relying party is notified."""
    phone.opens(login)
    phone.press(choice)
    phone.shows("end_declined" if choice == "decline" else "end_reported")

    assert login.finish().parameters["error"] == "access_denied"


def test_a_second_phone_and_a_dead_link_get_an_explanation(
    login: Login, phone: PhoneScreen, new_phone: NewPhone
) -> None:
    """One phone answers a login; a link of no login says no more than that."""
    second, link = new_phone(), login.link
    phone.open(link)
    phone.shows("who_asks")
    second.open(link)
    second.shows("end_already_claimed")
    second.open(re.sub(r"#.*", "#" + "A" * 43, link))
    second.shows("end_login_gone")
    second.open(re.sub(r"#.*", "#not a ticket", link))
    second.shows("home")
