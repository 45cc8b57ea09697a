"""A challenge on the phone's page, followed by a drawn hand before the browser's camera."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from benchmarks.phone_page.challenge import ChallengeFault, FollowingHand
from engine.types import Hand
from tests.fakes.browser.drawn_person import DrawnPerson
from tests.fakes.browser.phone_camera import FileCamera
from tests.fakes.browser.phone_screen import PhoneScreen
from tests.fakes.journey import Serve, World
from tests.journeys.phone_page.conftest import NewPhone

pytestmark = [pytest.mark.browser, pytest.mark.journey, pytest.mark.hands]

EVE = 31

TRIES = 3
"""Some drawn hands are refused, as some people are: they try again."""


@pytest.fixture(scope="module")
def judging(serve: Serve) -> Iterator[World]:
    """Give a service that asks for challenges, and waits for the hand to be drawn."""
    settings = {"THENAR_MOBILE_CHALLENGE_STEP_S": "120"}
    with serve(THENAR_ENGINE_ATTACK_DETECTION="challenge", **settings) as world:
        yield world


def follow(phone: PhoneScreen, camera: FileCamera, person: DrawnPerson) -> None:
    """Show an open palm, and follow the challenge that the page then asks for."""
    hand = FollowingHand(phone.page, camera.file, person)
    hand.begin()
    for left in reversed(range(TRIES)):
        hand.show_open(person.palm())
        try:
            hand.follow()
        except ChallengeFault:
            if not left:
                raise
        else:
            break
        phone.shows("challenge_failed", shot=False)
        phone.press("try_again")


def test_a_moving_hand_is_set_up(
    judging: World, new_phone: NewPhone, camera: FileCamera
) -> None:
    """First use as it is shipped: each palm in a challenge."""
    phone = new_phone()
    with judging.begin() as login:
        phone.open(login.link)
        phone.shows("who_asks", shot=False)
        phone.sends("picture")
        phone.press("first_time")
        phone.shows("consent", shot=False)
        phone.page.check("#agreed")
        phone.press("agree")
        for hand in (Hand.RIGHT, Hand.LEFT):
            phone.shows(f"palm_{hand}", shot=False)
            phone.sends("picture")
            phone.press("start_camera")
            follow(phone, camera, DrawnPerson(EVE, hand))
        phone.shows("enrolled", shot=False)

    assert not any(url.endswith("/templates") for url in phone.requests)
