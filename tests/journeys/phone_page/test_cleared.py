"""The browser deletes what scripts stored, as Safari does, and keeps its cookies."""

import re

import pytest
from playwright.sync_api import expect

from tests.journeys.phone_page.conftest import NewPhone
from tests.support.phone.screen import PhoneScreen
from tests.support.phone.screen_lock import ScreenLock
from tests.support.service.journey import Person, World

pytestmark = [pytest.mark.browser, pytest.mark.pictures]

ADA, BEN, CLEO, EMIL = range(5, 9)

WEEKS_MS = 14 * 24 * 3600 * 1000

WEBKIT = "Object.defineProperty(navigator, 'vendor', { get: () => 'Apple Computer, Inc.' })"

KEEPS_NOTHING = "indexedDB.open = () => { throw new DOMException('', 'SecurityError'); }"
"""What Safari's Lockdown Mode and some private windows do."""

KEEPER = "if (isSecureContext) navigator.storage.persist = async () => (window.asked = true)"


def set_up(world: World, phone: PhoneScreen, person: Person, end: str, *warned: str) -> None:
    """Set the right palm up, after warnings; the browser then has its cookie."""
    phone.goes_home(world)
    phone.press("set_up")
    for screen in warned:
        phone.shows(screen)
        phone.press("continue")
    phone.enrol_one(person)
    phone.shows(end)


def clear(world: World, phone: PhoneScreen) -> None:
    """Let weeks pass without a visit, after which the browser deletes what scripts stored."""
    then = f"used_on = used_on - {WEEKS_MS}, bound_at = bound_at - {WEEKS_MS}"
    world.in_database(f"UPDATE devices SET {then}")  # noqa: S608
    phone.page.goto("about:blank")
    kept = "indexeddb,local_storage,service_workers,cache_storage"
    session = phone.page.context.new_cdp_session(phone.page)
    where = {"origin": world.service.issuer, "storageTypes": kept}
    session.send("Storage.clearDataForOrigin", where)


def palm_of(phone: PhoneScreen, person: Person) -> None:
    """Show the palm from the screen that says what happened, which comes at once."""
    phone.show(person.shots[1])
    phone.shows("cleared")
    phone.sends()
    phone.press("start_camera")


def trusted(world: World) -> int:
    """Count trusted phones."""
    statement = "SELECT count(*) FROM devices WHERE trusted_at IS NOT NULL"
    return int(world.in_database(statement)[0][0])


def test_a_passkey_brings_the_phone_back_by_one_tap(
    named: World, new_phone: NewPhone, complaints: list[str]
) -> None:
    """Twice: from the start, then in a sign-in. It stays one phone of the account."""
    ada, phone = named.people[ADA], new_phone(KEEPER)
    screen_lock = ScreenLock.of(phone.page)
    set_up(named, phone, ada, "screen_lock")
    assert phone.page.evaluate("asked")
    phone.press("use_screen_lock")
    phone.shows("enrolled")
    count = trusted(named)

    clear(named, phone)
    phone.open(f"{named.service.issuer}/m")
    palm_of(phone, ada)
    phone.shows("phone_trusted")
    phone.press("continue")
    phone.shows("home")
    expect(phone.page.locator('[data-action="my_phones"]')).to_be_visible()
    assert (trusted(named), len(screen_lock.passkeys)) == (count, 1)

    with phone.page.expect_response(re.compile("/account/phone$")):
        phone.goes_home(named)
    clear(named, phone)
    with named.begin() as login:
        phone.opens(login)
        expect(phone.page.locator('[data-action="first_time"]')).to_have_count(0)
        expect(phone.page.locator("main")).to_contain_text("Your browser deleted")
        phone.present(ada.shots[1])
        phone.approve()
        assert login.redeem().claims["amr"] == ["user", "swk", "mfa"]
    assert trusted(named) == count
    assert complaints == []


def test_a_recovery_code_brings_the_phone_back_by_two_taps(
    named: World, phone: PhoneScreen
) -> None:
    """The field for it is there when the palm is known; the next code follows."""
    ben = named.people[BEN]
    set_up(named, phone, ben, "enrolled")
    phone.press("show_code")
    code = phone.page.locator("#code").inner_text()
    phone.page.check("#kept")
    phone.press("continue")
    phone.shows("home")
    count = trusted(named)

    clear(named, phone)
    phone.open(f"{named.service.issuer}/m")
    palm_of(phone, ben)
    phone.shows("recover")
    phone.page.fill("#recovery-code", code)
    phone.press("continue")
    phone.shows("phone_trusted")
    phone.press("continue")
    phone.shows("new_recovery_code")

    assert trusted(named) == count


def test_who_has_neither_hears_it_before_it_happens(named: World, new_phone: NewPhone) -> None:
    """In browsers that delete. Afterwards only what the account has is offered: waiting."""
    cleo, phone = named.people[CLEO], new_phone(WEBKIT)
    set_up(named, phone, cleo, "enrolled")
    said = [re.compile("3 days"), re.compile("seven days")]
    expect(phone.page.locator("main .warning")).to_have_text(said)

    clear(named, phone)
    phone.open(f"{named.service.issuer}/m")
    palm_of(phone, cleo)
    phone.shows("trust_ways")

    assert phone.page.locator('[data-action="wait"]').is_visible()
    assert phone.page.locator('[data-action="ask_phone"]').count() == 0


def test_a_browser_that_keeps_nothing_warns_and_gives_the_recovery_code_first(
    named: World, new_phone: NewPhone
) -> None:
    """Before anything is set up. While the page is open, it knows that it is trusted."""
    phone = new_phone(KEEPS_NOTHING)
    set_up(named, phone, named.people[EMIL], "enrolled", "keeps_nothing")
    expect(phone.page.locator("#code")).to_be_visible()
    phone.page.check("#kept")
    phone.press("continue")
    phone.shows("home")

    expect(phone.page.locator('[data-action="my_phones"]')).to_be_visible()
