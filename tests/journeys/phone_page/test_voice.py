"""Instructions read aloud: only on request, and never twice."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.journeys.phone_page.conftest import NewPhone
from tests.support.phone import camera as phone_camera
from tests.support.phone.screen import PhoneScreen
from tests.support.service.journey import World

pytestmark = [pytest.mark.browser]

VOICES = Path(phone_camera.__file__).with_name("voice.js").read_text("utf-8")

REMOTE = "window.voicesOfTest = [{ lang: 'en-US', localService: false }];"

SPEAK = '[data-action="speak"]'


def at_camera(world: World, phone: PhoneScreen) -> None:
    """Go to the camera, with nothing before it, in a sign-in of no account yet."""
    with world.begin() as login:
        phone.opens(login)
        phone.sends("template")
        phone.press("show_palm")
        phone.says("show_palm")


def said(phone: PhoneScreen) -> list[dict[str, Any]]:
    """Return what the device said."""
    phrases: list[dict[str, Any]] = phone.page.evaluate("saidByTest")
    return phrases


def heard_by_screen_readers(phone: PhoneScreen) -> str:
    """Return what stands in the region that screen readers announce."""
    return phone.page.locator("#urgent").inner_text()


def test_nothing_is_said_until_the_operator_asks_and_then_only_once(
    world: World, new_phone: NewPhone
) -> None:
    """A page that speaks in a shop unasked is switched off; two voices at once are none."""
    phone = new_phone(VOICES)
    at_camera(world, phone)
    expect(phone.page.locator(SPEAK)).to_have_attribute("aria-pressed", "false")
    assert said(phone) == []
    assert heard_by_screen_readers(phone) == "Show your open palm"

    phone.page.click(SPEAK)
    expect(phone.page.locator(SPEAK)).to_have_attribute("aria-pressed", "true")
    phone.shoot("capture_aloud")
    assert said(phone) == [{"text": "Show your open palm", "voice": "near", "lang": "en-GB"}]
    assert heard_by_screen_readers(phone) == ""

    phone.camera.show(phone_camera.frame_of(world.people[0].palm, light=0.05))
    phone.says("more_light")
    phone.page.wait_for_function("() => saidByTest.at(-1).text === 'Too dark. More light'")
    assert heard_by_screen_readers(phone) == ""

    phone.page.click(SPEAK)
    phone.clear()
    phone.says("show_palm")
    assert said(phone)[-1]["text"] == "Too dark. More light"
    assert heard_by_screen_readers(phone) == "Show your open palm"
    phone.press("cancel")
    phone.shows("who_asks")
    assert heard_by_screen_readers(phone) == ""


def test_a_remote_voice_is_not_used(world: World, new_phone: NewPhone) -> None:
    """What such a voice says was sent to a service: no third party hears of a sign-in."""
    phone = new_phone(VOICES + REMOTE)
    at_camera(world, phone)

    expect(phone.page.locator(SPEAK)).to_be_hidden()
    assert said(phone) == []
