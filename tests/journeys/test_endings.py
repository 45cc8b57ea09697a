"""Every way a login can end without a code, told to phone, page and relying party alike."""

from __future__ import annotations

import time
from collections.abc import Iterator

import cv2
import numpy as np
import pytest

from benchmarks.harness.browser import Callback
from tests.support.phone.reference import Refused
from tests.support.service.journey import Login, Serve, World

pytestmark = [pytest.mark.journey, pytest.mark.hands]

ADA, BEN, STRANGER = 0, 1, 5


@pytest.fixture(scope="module")
def impatient(serve: Serve) -> Iterator[World]:
    """Give a service whose QR codes live for five seconds."""
    with serve(THENAR_OIDC_PENDING_S="5") as world:
        yield world


def ended(login: Login, state: str) -> dict[str, str]:
    """Return what the relying party is told at the end."""
    callback = login.finish()
    assert isinstance(callback, Callback)
    assert "code" not in callback.parameters
    assert callback.parameters["error"] == "access_denied"
    assert callback.parameters["state"] == state
    return callback.parameters


def test_declined(world):
    """“This is not me” ends the login for everybody, and says so to everybody."""
    person = world.person(ADA)
    with world.begin(state="s") as login:
        claimed = login.claim(person.phone)
        person.phone.show(claimed.login_id, person.palm)
        hint = person.phone.decline(claimed.login_id)
        page = login.hint
        with pytest.raises(Refused) as late:
            person.phone.approve(claimed.login_id)
        told = ended(login, "s")

    assert hint == page == "declined"
    assert late.value.hint == "declined"
    assert told["error_description"]


def test_declined_before_the_palm(world):
    """A person may decline at once, without showing a palm."""
    person = world.person(ADA)
    with world.begin(state="s") as login:
        claimed = login.claim(person.phone)
        person.phone.decline(claimed.login_id)
        ended(login, "s")


def test_cancelled_on_the_computer(world):
    """Cancel brings the browser back to the relying party, and the phone is told."""
    person = world.person(ADA)
    with world.begin(state="s") as login:
        claimed = login.claim(person.phone)
        there = login.browser.submit(login.page, "cancel-form")
        with pytest.raises(Refused) as late:
            person.phone.show(claimed.login_id, person.palm)

    assert isinstance(there, Callback)
    assert there.parameters["error"] == "access_denied"
    assert there.parameters["state"] == "s"
    assert late.value.hint == "cancelled"


def test_locked_after_three_mismatches(world):
    """The third mismatch locks the login; the right palm then comes too late."""
    stranger, person = world.people[STRANGER], world.person(ADA)
    with world.begin(state="s") as login:
        phone = world.new_phone()
        claimed = phone.claim(login.link)
        said = [phone.show(claimed.login_id, stranger.palm) for _ in range(3)]
        page = login.hint
        with pytest.raises(Refused) as late:
            phone.show(claimed.login_id, person.palm)
        told = ended(login, "s")

    assert [answer.hint for answer in said[:2]] == ["palm_retry", "palm_retry"]
    assert [answer.attempts_left for answer in said[:2]] == [2, 1]
    assert said[2].hint == page == late.value.hint == "locked"
    assert "account" not in told["error_description"]


def test_an_expired_qr_code(impatient):
    """A phone that comes too late is told so; the page and the relying party too."""
    person = impatient.person(ADA)
    with impatient.begin(state="s") as login:
        time.sleep(5.5)
        with pytest.raises(Refused) as late:
            login.claim(person.phone)
        page = login.hint
        ended(login, "s")

    assert (late.value.status, late.value.error) == (410, "login_gone")
    assert late.value.hint == page == "expired"


def test_declined_expired_and_locked_are_told_apart(world, impatient):
    """Each ending has its own description: a developer can see what happened."""
    person, stranger = world.person(ADA), world.people[STRANGER]
    with world.begin(state="s") as login:
        claimed = login.claim(person.phone)
        person.phone.decline(claimed.login_id)
        declined = ended(login, "s")["error_description"]
    with world.begin(state="s") as login:
        phone = world.new_phone()
        claimed = phone.claim(login.link)
        for _ in range(3):
            phone.show(claimed.login_id, stranger.palm)
        locked = ended(login, "s")["error_description"]
    with impatient.begin(state="s") as login:
        time.sleep(5.5)
        expired = ended(login, "s")["error_description"]

    assert len({declined, locked, expired}) == 3


def test_an_unusable_picture_costs_no_attempt(world):
    """A failure to acquire is no mismatch: the phone may try again with a better picture."""
    person = world.person(ADA)
    with world.begin() as login:
        claimed = login.claim(person.phone)
        with pytest.raises(Refused) as refusal:
            person.phone.show(claimed.login_id, plain_picture())
        said = person.phone.show(claimed.login_id, person.palm)

    assert (refusal.value.status, refusal.value.error) == (422, "palm_not_found")
    assert said.hint == "wait_approve"


def test_a_replayed_ticket_opens_nothing_new(world):
    """The QR code of a finished login is worthless, for its own phone too."""
    person = world.person(ADA)
    with world.begin() as login:
        login.answer(person)
        login.finish()
        for phone in (person.phone, world.new_phone()):
            with pytest.raises(Refused) as late:
                phone.claim(login.link)
            assert late.value.status in {409, 410}


def plain_picture() -> bytes:
    """Return a picture without a hand."""
    picture = np.full((480, 480, 3), 128, np.uint8)
    return bytes(cv2.imencode(".png", picture)[1])
