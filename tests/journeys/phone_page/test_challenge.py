"""Challenges on the phone's page, followed by a drawn hand before the browser's camera."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from engine.types import Hand
from tests.journeys.phone_page.conftest import PALM_ALONE, NewPhone, refusing
from tests.support.phone.camera import FileCamera
from tests.support.phone.drawn_hand import DrawnHand, draw_hand
from tests.support.phone.following_hand import FollowingHand
from tests.support.phone.screen import PhoneScreen
from tests.support.service.journey import Serve, World

pytestmark = [pytest.mark.browser, pytest.mark.timeout(1500)]

EVE, LYING = 31, 3
"""A drawn person, and a session of hers whose camera has the browser's format."""

TRIES = 6
"""Some drawn hands are refused, as some people are: they try again."""


@pytest.fixture(scope="module")
def judging(serve: Serve) -> Iterator[World]:
    """Give a service that asks for challenges, as it is shipped."""
    with serve(THENAR_ENGINE_ATTACK_DETECTION="challenge", **PALM_ALONE) as world:
        yield world


def follow(phone: PhoneScreen, camera: FileCamera, drawn: DrawnHand) -> None:
    """Follow challenges until one is passed."""
    hand = FollowingHand(phone.page, camera.file, drawn)
    for _ in range(TRIES):
        if hand.follow() != "challenge_failed":
            return
        phone.press("try_again")


def test_a_moving_hand_is_enrolled_and_signs_in_on_a_second_phone(
    judging: World, new_phone: NewPhone, camera: FileCamera
) -> None:
    """Each palm in a challenge; then a phone that is not trusted yet."""
    hands = {hand: draw_hand(EVE, LYING, hand) for hand in (Hand.RIGHT, Hand.LEFT)}
    phone, second = new_phone(), new_phone()
    with judging.begin() as login:
        phone.opens(login)
        phone.sends("picture")
        phone.press("first_time")
        phone.shows("consent")
        phone.page.check("#agreed")
        phone.press("agree")
        for hand, drawn in hands.items():
            phone.shows(f"palm_{hand}")
            phone.sends("picture")
            phone.press("start_camera")
            follow(phone, camera, drawn)
        phone.shows("enrolled")
    with judging.begin() as login:
        second.open(login.link)
        second.shows("who_asks")
        second.sends("picture")
        second.press("show_palm")
        follow(second, camera, hands[Hand.RIGHT])
        second.shows("approve")
        second.press("approve")
        second.shows("end_go")

        assert "code" in login.finish().parameters
    assert not any(url.endswith("/templates") for url in (*phone.requests, *second.requests))


def test_a_challenge_waits_for_no_networks_and_says_where_it_failed(
    judging: World, phone: PhoneScreen
) -> None:
    """The phone sees no hand then and goes by the clock: the service judges what it is sent."""
    phone.page.route("**/hand_landmarks-*.bin", lambda _: None)
    phone.show(judging.people[0].palm)
    with judging.begin() as login:
        phone.opens(login)
        phone.press("show_palm")
        expect(phone.page.locator("#instruction")).to_contain_text("of 9 MB")
        phone.shoot("challenge_waits")
        phone.press("motions")
        phone.shows("motions")
        phone.page.uncheck("#loose_fist")
        phone.press("continue")
        phone.press("no_wait")
        phone.shows("challenge_failed")
        expect(phone.page.locator("main")).to_contain_text("needs a code")
        phone.press("motions")
        phone.page.check("#loose_fist")
        phone.press("continue")
        phone.page.route("**/steps/2", refusing(409, "challenge_failed"))
        phone.press("no_wait")
        for number in (1, 2):
            expect(phone.page.locator("#count")).to_contain_text(f"Motion {number} of")
            phone.shoot(f"challenge_{number}")
        phone.shows("challenge_failed")
        expect(phone.page.locator("main")).to_contain_text("It stopped at motion 2 of")
        phone.shoot("challenge_stopped")
