"""Whose account: new phones ask to be trusted, trusted ones answer, in the phone's page."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, expect

from tests.journeys.phone_page.conftest import NewPhone
from tests.support.phone.screen import PhoneScreen
from tests.support.service.journey import Person, Serve, World

pytestmark = [pytest.mark.browser, pytest.mark.pictures]

ADA, BEN, CLEO, EVE = 0, 1, 2, 4

WEEK_MS = 7 * 24 * 3600 * 1000


@pytest.fixture(scope="module")
def careful(serve: Serve) -> Iterator[World]:
    """Give a service as it comes."""
    with serve() as world:
        yield world


def find_trust_ways(phone: PhoneScreen, person: Person, end: str = "trust_ways") -> None:
    """Show the palm to trust this phone, from a screen that offers that."""
    phone.show(person.palm)
    phone.press("trust_phone")
    phone.shows("trust_phone")
    phone.sends()
    phone.press("start_camera")
    phone.shows(end)


def ask_for_trust(phone: PhoneScreen, person: Person) -> None:
    """Ask the account to trust this phone."""
    find_trust_ways(phone, person)
    phone.press("ask_phone")
    phone.shows("trust_asked")


def present(phone: PhoneScreen, person: Person, action: str, end: str) -> None:
    """Press what wants a palm, on a page that was just opened, and show the palm."""
    phone.show(person.palm)
    phone.press(action)
    phone.shows("ready")
    phone.press("start_camera")
    phone.shows(end)


def request_on(phone: PhoneScreen) -> Locator:
    """Return the requests that a phone shows."""
    return phone.page.locator(".request")


def test_a_new_phone_signs_in_when_another_one_has_approved_it(
    careful: World, new_phone: NewPhone, complaints: list[str]
) -> None:
    """A palm alone signs no account in; an approved phone goes on, with two factors."""
    ada, old, new = careful.person(ADA), new_phone(), new_phone()
    old.becomes(careful, ada)
    with careful.begin() as login:
        new.opens(login)
        new.present(ada.palm)
        new.shows("trust_ways")
        expect(new.page.locator("[data-action]")).to_have_count(4)
        new.press("ask_phone")
        new.shows("trust_asked")
        expect(new.page.locator("main")).not_to_contain_text("Come back")
        number = new.page.locator("#code").inner_text().replace(" ", "")
        old.goes_home(careful)
        expect(request_on(old)).to_contain_text(number)
        old.shoot("home_request")
        present(old, ada, "approve_phone", "phone_trusted")
        new.approve()
        claims = login.redeem().claims
    old.press("continue")
    expect(request_on(old)).to_have_count(0)

    assert claims["amr"] == ["user", "swk", "mfa"]
    assert complaints == []


def test_a_request_is_shown_at_the_end_of_a_sign_in_and_refused(
    careful: World, new_phone: NewPhone
) -> None:
    """Refusing needs no palm: who sees it must be able to stop it at once.

    In the browser of the app itself the page waits: it does not go back before an answer.
    """
    ben, old, new = careful.person(BEN), new_phone(), new_phone()
    old.becomes(careful, ben)
    new.goes_home(careful)
    ask_for_trust(new, ben)
    with careful.begin() as login:
        old.page.goto(f"{login.link.removesuffix('&here')}&here")
        old.shows("who_asks")
        old.present(ben.palm)
        old.approve()
        expect(request_on(old)).to_be_visible()
        expect(old.page.locator('[data-action="continue"]')).to_be_visible()
    old.claims(careful, ben.palm)
    expect(request_on(old)).to_have_count(1)
    old.shoot("end_go_request")
    old.press("refuse_phone")
    old.shows("phone_refused")
    old.press("continue")
    old.shows("end_go")
    expect(request_on(old)).to_have_count(0)

    expect(new.page.get_by_text("Another phone has refused")).to_be_visible()


def test_a_person_looks_at_the_phones_and_removes_one(
    careful: World, new_phone: NewPhone, complaints: list[str]
) -> None:
    """Which phones, and what was signed in with which; a lost one goes."""
    cleo, old, new = careful.person(CLEO), new_phone(), new_phone()
    old.becomes(careful, cleo)
    old.claims(careful, cleo.palm)
    new.goes_home(careful)
    ask_for_trust(new, cleo)
    old.goes_home(careful)
    old.look("home_own")
    present(old, cleo, "sign_ins", "home")
    old.look("home_open")
    expect(old.page.locator("#sign-ins > li")).to_contain_text("today · This phone")
    old.press("my_phones")  # the palm opened it, too
    old.shows("my_phones")
    phones = old.page.locator("#phones > li")
    expect(phones).to_have_count(2)
    phones.locator('[data-action="approve_phone"]').click()
    expect(phones.locator('[data-trust="trusted"]')).to_have_count(2)
    phones.locator('[data-action="remove_phone"]').click()
    old.shows("remove_phone")
    old.page.check("#end-sign-ins")
    old.press("remove_phone")
    expect(phones).to_have_count(1)
    old.press("home")
    old.clear()
    old.press("recovery_code")
    old.shows("capture")  # what a palm has opened is not enough
    old.show(cleo.palm)
    old.shows("new_recovery_code")

    new.goes_home(careful)
    expect(new.page.locator('[data-action="set_up"]')).to_be_visible()
    assert complaints == []


def test_waiting_makes_a_phone_trusted_and_the_others_are_notified(
    careful: World, new_phone: NewPhone
) -> None:
    """Who lost every phone, and has no passkey and no code, is not locked out.

    For a week such a phone changes nothing.
    """
    eve, old, new = careful.person(EVE), new_phone(), new_phone()
    old.becomes(careful, eve)
    new.goes_home(careful)
    find_trust_ways(new, eve)
    new.press("wait")
    new.shows("wait")
    expect(new.page.locator("main")).to_contain_text("Come back here after")
    expect(new.page.locator("#code")).to_have_count(0)
    careful.in_database(f"UPDATE devices SET due_at = due_at - {WEEK_MS}")  # noqa: S608
    new.goes_home(careful)
    expect(new.page.get_by_text("The waiting time is over")).to_be_visible()
    find_trust_ways(new, eve, "phone_trusted")
    new.press("continue")
    present(new, eve, "recovery_code", "phone_owns_later")

    notice = old.page.locator('[data-notice="phone_trusted"]')
    old.goes_home(careful)
    expect(notice).to_be_visible()
    old.shoot("home_notice")
    old.goes_home(careful)
    expect(old.page.locator('[data-action="my_phones"]')).to_be_visible()
    old.page.wait_for_load_state("networkidle")
    expect(notice).to_have_count(0)
