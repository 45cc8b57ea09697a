"""The screen lock of a phone beside its palm: offered once, asked now and then, a way back."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.journeys.phone_page.conftest import PALM_ALONE
from tests.support.phone.camera import frame_of
from tests.support.phone.screen import PhoneScreen
from tests.support.phone.screen_lock import ScreenLock
from tests.support.service.journey import Person, Serve, World

pytestmark = [pytest.mark.browser, pytest.mark.journey, pytest.mark.hands]

ADA, BEN, CLEO, DORA = 0, 1, 2, 3

WEEKS_MS = 14 * 24 * 3600 * 1000


def right(person: Person) -> bytes:
    """Return a picture of the right palm that was not used to enrol."""
    return person.shots[1]


@pytest.fixture(scope="module")
def named(serve: Serve) -> Iterator[World]:
    """Give a service with a name: there are no passkeys for addresses of numbers."""
    with serve(host="localhost", **PALM_ALONE) as world:
        yield world


@pytest.fixture
def screen_lock(phone: PhoneScreen) -> ScreenLock:
    """Give the phone a screen lock."""
    return ScreenLock.of(phone.page)


def set_up(world: World, phone: PhoneScreen, person: Person, choice: str) -> None:
    """Enrol from the page's start, and answer whether to use the screen lock, too."""
    phone.goes_home(world)
    enrol(phone, person)
    phone.shows("screen_lock")
    phone.press(choice)
    if choice == "use_screen_lock":
        phone.shows("screen_lock_added")
        phone.press("continue")
    phone.shows("home")


def enrol(phone: PhoneScreen, person: Person) -> None:
    """Set the right palm up, without the other hand, from the page's start."""
    phone.press("set_up")
    phone.agree()
    phone.shows("palm_right")
    phone.hold(person.enrolment[2])
    phone.sends("picture")
    phone.press("start_camera")
    phone.shows("palm_left")
    phone.press("skip_hand")
    phone.shows("enrolled")
    phone.press("continue")


def forget(world: World, phone: PhoneScreen) -> None:
    """Let the browser forget what it kept, as some do after a week without a visit."""
    phone.page.goto("about:blank")
    session = phone.page.context.new_cdp_session(phone.page)
    kept = {"origin": world.service.issuer, "storageTypes": "indexeddb"}
    session.send("Storage.clearDataForOrigin", kept)


def sign_in(
    world: World, phone: PhoneScreen, person: Person, first: str = "continue"
) -> dict[str, Any]:
    """Sign in; return the claims, and leave the page at its end."""
    with world.begin() as login:
        phone.opens(login)
        phone.camera.show(frame_of(right(person)))
        phone.page.wait_for_selector("#mode")
        phone.press(first)
        approve(phone)
        phone.shows("end_go")
        return login.redeem().claims


def approve(phone: PhoneScreen) -> None:
    """Say yes; read before what is sent, should that be new."""
    ready = phone.page.locator('#stage[data-screen="ready"]')
    asked = phone.page.locator('#stage[data-screen="approve"]')
    expect(ready.or_(asked)).to_be_visible(timeout=30_000)
    if ready.is_visible():
        phone.press("start_camera")
    phone.shows("approve")
    phone.press("approve")


def refuse_once(phone: PhoneScreen) -> None:
    """Let the service refuse the next sign-in, as an operator may have wanted it."""
    refusal = {"error": "device_unbound", "message": "as the test says"}
    phone.page.route(
        "**/logins", lambda route: route.fulfill(status=403, json=refusal), times=1
    )


def age(world: World) -> None:
    """Let weeks pass since any passkey vouched for a phone."""
    world.in_database(f"UPDATE vouched_devices SET at = at - {WEEKS_MS}")  # noqa: S608


def phones_of(world: World) -> list[int]:
    """Return how many phones each account has."""
    counted = "SELECT count(*) FROM devices WHERE account IS NOT NULL GROUP BY account"
    return sorted(number for (number,) in world.in_database(counted))


def test_a_forgotten_browser_comes_back_by_the_screen_lock(
    named: World, phone: PhoneScreen, screen_lock: ScreenLock, complaints: list[str]
) -> None:
    """No palm is set up again, no picture is sent, and it is two factors as before.

    Also where a phone of nobody may not begin: the page says what helps.
    """
    ada = named.people[ADA]
    set_up(named, phone, ada, "use_screen_lock")
    (passkey,) = screen_lock.passkeys
    before = sign_in(named, phone, ada)
    forget(named, phone)
    sent: list[str] = []
    phone.page.on("request", lambda r: sent.append(r.headers.get("content-type", "")))
    after = sign_in(named, phone, ada, "come_back")

    refuse_once(phone)
    forget(named, phone)
    with named.begin() as login:
        phone.open(login.link)
        phone.shows("end_device_unbound")
        phone.press("come_back")
        phone.shows("came_back")

    assert passkey["rpId"] == "localhost"
    assert passkey["isResidentCredential"]
    assert len(base64.b64decode(passkey["userHandle"])) == 32
    assert after["sub"] == before["sub"]
    assert after["amr"] == before["amr"] == ["user", "swk", "mfa"]
    assert not any(kind.startswith("image/") for kind in sent)
    assert phones_of(named) == [3]
    assert [text for text in complaints if "403" not in text] == []


def test_a_forgotten_browser_comes_back_by_the_palm(
    named: World, phone: PhoneScreen, complaints: list[str]
) -> None:
    """On a phone without a screen lock nothing is offered, and everything works."""
    ben = named.people[BEN]
    phone.goes_home(named)
    enrol(phone, ben)
    phone.shows("home")
    before = sign_in(named, phone, ben)
    forget(named, phone)
    with named.begin() as login:
        phone.opens(login)
        expect(phone.page.locator('[data-action="come_back"]')).to_have_count(0)
    after = sign_in(named, phone, ben)

    assert after["sub"] == before["sub"]
    assert (before["amr"], after["amr"]) == (["user", "swk", "mfa"], ["user"])
    assert complaints == []


def test_no_is_an_answer_and_may_be_changed(
    named: World, phone: PhoneScreen, screen_lock: ScreenLock, complaints: list[str]
) -> None:
    """Whoever goes on without it is not asked again, finds it at the start, and may stop."""
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
    phone.shows("screen_lock_added")
    phone.press("continue")
    assert len(screen_lock.passkeys) == 1

    phone.press("stop_screen_lock")
    phone.shows("stop_screen_lock")
    phone.press("stop_screen_lock")
    phone.shows("screen_lock_stopped")
    phone.press("home")
    phone.shows("home")
    forget(named, phone)
    phone.open(f"{named.service.issuer}/m")
    phone.press("come_back")
    phone.shows("screen_lock_failed")
    phone.press("cancel")
    phone.shows("home")
    assert [text for text in complaints if "403" not in text] == []


def test_the_screen_lock_is_asked_for_now_and_then_and_before_the_end(
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


def test_a_lost_screen_lock_locks_nobody_out(
    named: World, phone: PhoneScreen, screen_lock: ScreenLock
) -> None:
    """The browser begins anew, and the palm brings back: a new phone, and one factor."""
    person = named.people[DORA + 1]
    set_up(named, phone, person, "use_screen_lock")
    before = sign_in(named, phone, person)
    phone.press("home")
    screen_lock.forget_passkeys()
    age(named)
    phone.camera.show(frame_of(right(person)))
    phone.press("delete_me")
    phone.press("delete_after_palm")
    phone.shows("confirm_screen_lock")
    phone.press("lost_screen_lock")
    phone.shows("lost_screen_lock")
    phone.press("begin_anew")
    expect(phone.page.locator('[data-action="set_up"]')).to_be_visible()
    after = sign_in(named, phone, person)

    assert after["sub"] == before["sub"]
    assert after["amr"] == ["user"]
    expect(phone.page.locator('[data-action="trust_phone"]')).to_be_visible()
    expect(phone.page.locator('[data-action="screen_lock"]')).to_have_count(0)
