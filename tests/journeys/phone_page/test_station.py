"""A station: a browser of the operator's, at which people sign in without a phone."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.journeys.phone_page.conftest import NewPhone
from tests.support.phone.camera import frame_of
from tests.support.servers.bookshop import open_bookshop
from tests.support.service.journey import World

pytestmark = [pytest.mark.browser, pytest.mark.journey, pytest.mark.hands]

ADA = 0
COUNTER = {
    "viewport": {"width": 1440, "height": 900},
    "device_scale_factor": 1,
    "is_mobile": False,
    "has_touch": False,
}
KEPT = "() => [...Object.keys(sessionStorage), ...Object.keys(localStorage)]"


@pytest.fixture(scope="module")
def canteen(world: World) -> Iterator[str]:
    """Open an app that accepts stations."""
    with open_bookshop(world.service, "Canteen", "--accept-stations") as address:
        yield address


def added(world: World, name: str) -> str:
    """Add a station as its operator does; return the code."""
    said = world.service.run("station", "add", name, "--challenge", "none", "--json")
    return str(json.loads(said)["code"])


def test_somebody_signs_in_at_a_station_without_a_phone(
    world: World, new_phone: NewPhone, canteen: str
) -> None:
    """From the operator's code to the app, and whatever else is opened there shows nothing."""
    station = new_phone(**COUNTER)
    page, issuer = station.page, world.service.issuer
    station.open(f"{issuer}/station")
    station.shows("station_code")
    page.fill("#station-code", "AAAA-BBBB")
    station.press("continue")
    expect(page.locator("#missing")).not_to_be_empty()
    page.fill("#station-code", added(world, "Canteen, left"))
    station.press("continue")
    station.shows("station")
    expect(page.locator("h1")).to_have_text("Canteen, left")

    station.camera.show(frame_of(world.person(ADA).palm))
    _ask_to_sign_in(page, canteen)
    station.shows("capture")
    station.sends("picture")
    station.shows("approve")
    station.press("approve")
    page.wait_for_url(f"{canteen}/")
    claims = page.locator("main")
    expect(claims).to_contain_text("acr/palm-at-station")

    station.open(f"{issuer}/m")
    station.shows("station")
    assert page.evaluate(KEPT) == []
    with world.begin() as login:
        station.open(login.link)
        station.shows("end_station_elsewhere")
    world.service.run("station", "remove", "Canteen, left")
    station.press("back_here")
    station.shows("station_code")
    page.goto(canteen)
    page.click("#sign-in")
    expect(page.locator("#phone-link")).to_have_text("Use this device")


def test_whoever_declines_at_a_station_is_back_in_the_app(
    world: World, new_phone: NewPhone, canteen: str
) -> None:
    """By the link that the command printed; a code that is used makes nobody else a station."""
    station, code = new_phone(**COUNTER), added(world, "Canteen, right")
    link = f"{world.service.issuer}/station#{code}"
    station.open(link)
    station.shows("station")
    station.camera.show(frame_of(world.person(ADA).palm))
    _ask_to_sign_in(station.page, canteen)
    station.shows("approve")
    station.press("decline")
    station.page.wait_for_url(f"{canteen}/**", timeout=30_000)
    other = new_phone(**COUNTER)
    other.open(link)

    expect(station.page.locator("main")).to_contain_text("access_denied")
    other.shows("station_code")
    expect(other.page.locator("#missing")).not_to_be_empty()


def _ask_to_sign_in(page: Page, app: str) -> None:
    page.goto(app)
    page.click("#sign-in")
    link = page.locator("#phone-link")
    expect(link).to_have_text("Show your palm here")
    link.click()
