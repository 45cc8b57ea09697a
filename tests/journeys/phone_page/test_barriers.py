"""The page for everybody: axe-core, the keyboard, large text, dark, right to left."""

from typing import Any

import pytest
from playwright.sync_api import Page

from tests.journeys.phone_page.conftest import NewPhone
from tests.support.browser import axe
from tests.support.browser.shots import picture_of
from tests.support.phone.screen import FOCUSED, PhoneScreen
from tests.support.service.journey import World

pytestmark = [pytest.mark.browser]

# English, by day and by night: the screens of other journeys, see ``PhoneScreen.shows``.
LOOKS: dict[str, dict[str, Any]] = {
    "dark": {"color_scheme": "dark", "locale": "de-DE"},
    "right_to_left": {"locale": "ar-EG"},
    "narrow": {"viewport": {"width": 320, "height": 568}, "locale": "fr-FR"},
    "landscape": {"viewport": {"width": 800, "height": 380}, "locale": "ja-JP"},
}

LARGE = "() => { document.documentElement.style.fontSize = '200%' }"

OVERFLOWS = "() => document.documentElement.scrollWidth > innerWidth"


@pytest.fixture(scope="module", autouse=True)
def axe_is_there() -> None:
    """Skip where axe-core cannot be installed."""
    missing = axe.what_is_missing()
    if missing:
        pytest.skip(missing)


def looked_at(phone: PhoneScreen, name: str, look: str) -> list[str]:
    """Wait for a screen; return what is wrong with it."""
    phone.shows(name)
    page = phone.page
    wrong = axe.barriers(page)
    if page.evaluate(OVERFLOWS):
        wrong.append("wider than the screen")
    picture_of(page, path=phone.artefacts / f"phone-{name}-{look}.png".replace("_", "-"))
    page.evaluate(LARGE)
    if page.evaluate(OVERFLOWS):
        wrong.append("wider than the screen with large text")
    page.evaluate("() => document.documentElement.removeAttribute('style')")
    return [f"{name}: {each}" for each in wrong]


@pytest.mark.parametrize("look", LOOKS)
def test_no_screen_has_a_serious_barrier(world: World, new_phone: NewPhone, look: str) -> None:
    """Neither in another light, nor in another direction, nor with text twice as large."""
    phone = new_phone(**LOOKS[look])
    phone.open(f"{world.service.issuer}/m")
    wrong = looked_at(phone, "home", look)
    phone.press("set_up")
    wrong += looked_at(phone, "consent", look)
    phone.page.check("#agreed")
    phone.press("agree")
    phone.sends("template")
    wrong += looked_at(phone, "palm_right", look)
    with world.begin() as login:
        phone.open(login.link)
        wrong += looked_at(phone, "who_asks", look)
        phone.sends("template")
        phone.press("show_palm")
        wrong += looked_at(phone, "capture", look)
        phone.press("cancel")
        phone.press("decline")
        wrong += looked_at(phone, "end_declined", look)

    assert wrong == []


def pressed_by_keyboard(page: Page, control: str, key: str = "Enter") -> None:
    """Reach a control with the tabulator key, and press a key."""
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate(FOCUSED) == control:
            page.keyboard.press(key)
            return
    raise AssertionError(f"{control} cannot be reached")


def test_everything_is_done_with_the_keyboard(world: World, phone: PhoneScreen) -> None:
    """A person who cannot touch the screen must get as far."""
    phone.open(f"{world.service.issuer}/m")
    phone.shows("home")
    pressed_by_keyboard(phone.page, "set_up")
    phone.shows("consent")
    pressed_by_keyboard(phone.page, "agreed", "Space")
    pressed_by_keyboard(phone.page, "agree")
    phone.shows("palm_right")
    pressed_by_keyboard(phone.page, "cancel")
    phone.shows("home")
    pressed_by_keyboard(phone.page, "set_up")
    phone.shows("consent")
    phone.page.go_back()
    phone.shows("home")
