"""A station: a browser of the operator's, at which people sign in without a phone."""

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.journeys.phone_page.conftest import NewPhone
from tests.support.phone.camera import frame_of
from tests.support.servers.bookshop import open_bookshop
from tests.support.service.journey import World

pytestmark = [pytest.mark.browser, pytest.mark.pictures]

ADA = 0
NAME = "Canteen, left"
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


def test_a_person_signs_in_at_a_station_without_a_phone(
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
    said = world.service.run("station", "add", NAME, "--challenge", "none", "--json")
    page.goto("about:blank")
    station.open(json.loads(said)["link"])
    station.shows("station")
    expect(page.locator("h1")).to_have_text(NAME)

    station.camera.show(frame_of(world.person(ADA).palm))
    for choice, reported in (("decline", "access_denied"), ("approve", "acr/palm-at-station")):
        page.goto(canteen)
        page.click("#sign-in")
        expect(page.locator("#phone-link")).to_have_text("Show your palm here")
        page.click("#phone-link")
        station.sends()
        station.shows("approve")
        station.press(choice)
        page.wait_for_url(f"{canteen}/**")
        expect(page.locator("main")).to_contain_text(reported)

    station.open(f"{issuer}/m")
    station.shows("station")
    assert page.evaluate(KEPT) == []
    with world.begin() as login:
        station.open(login.link)
        station.shows("end_station_elsewhere")
    world.service.run("station", "remove", NAME)
    station.press("back_here")
    station.shows("station_code")
    page.goto(canteen)
    page.click("#sign-in")
    expect(page.locator("#phone-link")).to_have_text("Use this device")
