"""The screen lock of a phone beside its palm: offered once, asked now and then, a way back."""

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.journeys.phone_page.conftest import NewPhone
from tests.support.phone.camera import frame_of
from tests.support.phone.screen import PhoneScreen
from tests.support.phone.screen_lock import ScreenLock
from tests.support.service.journey import Person, World

pytestmark = [pytest.mark.browser, pytest.mark.pictures]

ADA, CLEO, DORA = 0, 2, 3

WEEKS_MS = 14 * 24 * 3600 * 1000


def right(person: Person) -> bytes:
    """Return a picture of the right palm that was not used to enrol."""
    return person.shots[1]


@pytest.fixture
def screen_lock(phone: PhoneScreen) -> ScreenLock:
    """Give the phone a screen lock."""
    return ScreenLock.of(phone.page)


def set_up(world: World, phone: PhoneScreen, person: Person, choice: str) -> None:
    """Enrol from the page's start, and answer whether to use the screen lock, too."""
    phone.goes_home(world)
    phone.press("set_up")
    phone.enrol_one(person)
    phone.shows("screen_lock")
    phone.press(choice)
    phone.shows("enrolled")
    # Without any trust way.
    waits = [re.compile("3 days")] * (choice == "go_without")
    expect(phone.page.locator("main .warning")).to_have_text(waits)
    phone.press("continue")
    phone.shows("home")


def sign_in(world: World, phone: PhoneScreen, person: Person) -> dict[str, Any]:
    """Sign in; return the claims, and leave the page at its end."""
    with world.begin() as login:
        phone.opens(login)
        phone.camera.show(frame_of(right(person)))
        phone.page.wait_for_selector("#mode")
        phone.press("show_palm")
        approve(phone)
        phone.shows("end_go")
        return login.redeem().claims


def approve(phone: PhoneScreen) -> None:
    """Say yes; read before what is sent, should that be new."""
    ready = phone.page.locator('#stage[data-screen="ready"]')
    asked = phone.page.locator('#stage[data-screen="approve"]')
    expect(ready.or_(asked)).to_be_visible()
    if ready.is_visible():
        phone.press("start_camera")
    phone.shows("approve")
    phone.press("approve")


def age(world: World) -> None:
    """Let weeks pass since any passkey vouched for a phone."""
    world.in_database(f"UPDATE vouched_devices SET at = at - {WEEKS_MS}")  # noqa: S608


def test_a_new_phone_with_a_synced_passkey_signs_in_by_three_taps(
    named: World, new_phone: NewPhone, complaints: list[str]
) -> None:
    """The palm is shown once, for the account and for the sign-in; it is two factors.

    At a client as it comes: a palm alone signs no account in.
    """
    ada, old, new = named.people[ADA], new_phone(), new_phone()
    known, synced = ScreenLock.of(old.page), ScreenLock.of(new.page)
    set_up(named, old, ada, "use_screen_lock")
    before = sign_in(named, old, ada)
    synced.sync_from(known)
    new.show(right(ada))
    with named.begin() as login:
        new.opens(login)
        new.sends()
        for screen, action in (("who_asks", "show_palm"), ("trust_ways", "use_passkey")):
            new.shows(screen)
            new.press(action)
        new.approve()
        after = login.redeem().claims

    assert known.passkeys[0]["isResidentCredential"]
    assert (after["sub"], after["amr"]) == (before["sub"], before["amr"])
    assert after["amr"] == ["user", "swk", "mfa"]
    assert complaints == []


def test_no_is_an_answer_and_may_be_changed(
    named: World, phone: PhoneScreen, screen_lock: ScreenLock, complaints: list[str]
) -> None:
    """A person who goes on without it is not asked again, finds it later, and may stop."""
    cleo = named.people[CLEO]
    set_up(named, phone, cleo, "go_without")
    sign_in(named, phone, cleo)
    expect(phone.page.locator('[data-action="screen_lock"]')).to_have_count(0)
    phone.press("home")
    phone.shows("home")
    phone.press("screen_lock")
    phone.shows("screen_lock")
    phone.press("use_screen_lock")
    phone.shows("screen_lock_ready")
    screen_lock.opens(for_person=False)
    phone.press("use_screen_lock")
    phone.shows("screen_lock_failed")
    screen_lock.opens(for_person=True)
    phone.press("try_again")
    phone.shows("home")
    assert len(screen_lock.passkeys) == 1

    phone.press("stop_screen_lock")
    phone.shows("stop_screen_lock")
    phone.press("stop_screen_lock")
    phone.shows("screen_lock_stopped")
    phone.press("home")
    phone.shows("home")
    assert [text for text in complaints if "403" not in text] == []


def test_the_screen_lock_is_requested_now_and_then_and_before_the_end(
    named: World, phone: PhoneScreen, screen_lock: ScreenLock, complaints: list[str]
) -> None:
    """A sign-in weeks later, and deletion, want the phone to be in its person's hands."""
    dora = named.people[DORA]
    set_up(named, phone, dora, "use_screen_lock")
    age(named)
    with named.begin() as login:
        phone.opens(login)
        phone.present(right(dora))
        phone.shows("approve")
        phone.press("approve")
        phone.shows("confirm_screen_lock")
        screen_lock.opens(for_person=False)
        phone.press("use_screen_lock")
        phone.shows("screen_lock_failed")
        phone.press("cancel")
        phone.shows("approve")
        assert login.hint == "wait_approve"
        screen_lock.opens(for_person=True)
        phone.press("approve")
        phone.shows("confirm_screen_lock")
        phone.press("use_screen_lock")
        phone.shows("end_go")
        assert "code" in login.finish().parameters

    phone.press("home")
    age(named)
    phone.camera.show(frame_of(right(dora)))
    phone.press("delete_me")
    phone.press("delete_after_palm")
    phone.shows("confirm_screen_lock")
    phone.press("use_screen_lock")
    phone.shows("deleted")
    assert screen_lock.passkeys == []
    assert [text for text in complaints if "403" not in text] == []


def test_a_lost_screen_lock_locks_no_owner_out(
    named: World, phone: PhoneScreen, screen_lock: ScreenLock
) -> None:
    """The browser begins again, and the palm leads to the other trust ways."""
    person = named.people[DORA + 1]
    set_up(named, phone, person, "use_screen_lock")
    screen_lock.forget_passkeys()
    age(named)
    phone.camera.show(frame_of(right(person)))
    phone.press("delete_me")
    phone.press("delete_after_palm")
    phone.press("start_camera")  # what is sent is new: said first
    phone.shows("confirm_screen_lock")
    phone.press("lost_screen_lock")
    phone.shows("lost_screen_lock")
    phone.press("begin_again")
    phone.press("trust_phone")
    phone.sends()
    phone.press("start_camera")
    phone.shows("trust_ways")
    expect(phone.page.locator('[data-action="ask_phone"]')).to_be_visible()
