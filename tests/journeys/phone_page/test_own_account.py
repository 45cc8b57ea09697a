"""What a person does with what is theirs, in the phone's page: my applications, delete me."""

import pytest
from playwright.sync_api import expect

from tests.support.phone.camera import frame_of
from tests.support.phone.screen import PhoneScreen
from tests.support.service.journey import Person, World

pytestmark = [pytest.mark.browser, pytest.mark.pictures]

CLEO = 12
"""No other test may sign in with a palm that is deleted."""


def sign_in(world: World, phone: PhoneScreen, person: Person) -> str:
    """Sign in with the page; return the subject, and leave the page at its start."""
    claims = phone.claims(world, person.palm)
    phone.press("home")
    phone.shows("home")
    return str(claims["sub"])


def test_a_person_looks_takes_back_and_is_deleted(
    world: World, phone: PhoneScreen, complaints: list[str]
) -> None:
    """A person who can sign in must be able to see where, to stop it, and to be forgotten."""
    cleo = world.person(CLEO)
    phone.becomes(world, cleo)
    before = sign_in(world, phone, cleo)

    phone.camera.show(frame_of(cleo.palm))
    phone.press("my_apps")
    phone.shows("my_apps")
    expect(phone.page.locator("#apps li")).to_have_count(1)
    expect(phone.page.locator("#client-name")).to_have_text("Corner Bookshop")
    expired = {"error": "palm_proof_expired", "error_description": "as the test says"}
    phone.page.route("**/withdraw", lambda r: r.fulfill(status=403, json=expired), times=1)
    phone.page.click("#apps [data-handle]")
    phone.shows("withdraw")
    phone.press("withdraw")
    phone.shows("capture")  # the palm was shown too long ago
    phone.shows("my_apps")
    expect(phone.page.locator("#apps")).to_have_count(0)
    phone.press("home")

    assert sign_in(world, phone, cleo) != before
    phone.press("delete_me")
    phone.shows("delete_me")
    phone.press("deletion_code")
    phone.shows("deletion_code")
    expect(phone.page.locator("#code")).not_to_be_empty()
    phone.press("home")
    phone.press("delete_me")
    phone.press("delete_after_palm")
    phone.shows("deleted")
    phone.press("home")
    phone.shows("home")
    expect(phone.page.locator('[data-action="my_apps"]')).to_have_count(0)
    with world.begin() as login:
        phone.opens(login)
        expect(phone.page.locator('[data-action="first_time"]')).to_be_visible()
        expect(phone.page.locator("main")).to_contain_text("another browser of this phone")
        phone.present(cleo.palm)
        phone.shows("retry")
    assert [text for text in complaints if "403" not in text] == []
