"""Phones: a new one, a second one, a stranger's, one that makes templates, one that leaves."""

from __future__ import annotations

import pytest

from tests.support.phone.reference import Refused
from tests.support.service.journey import SignedIn

pytestmark = [pytest.mark.journey, pytest.mark.hands]

ADA, BEN, LEAVER = 0, 1, 4


def test_a_new_phone_becomes_the_persons(world):
    """A person logs in by palm on a new phone, which is then theirs."""
    person = world.person(ADA)
    phone = world.new_phone()
    subjects = []
    for _ in range(2):
        with world.begin() as login:
            login.answer(person, phone=phone)
            answer = world.shop.exchange(login.finish().parameters["code"])
        subjects.append(SignedIn(world.shop, answer).subject)

    assert subjects == [world.log_in(person).subject] * 2


def test_two_phones_one_ticket(world):
    """The first phone to scan holds the login; the second learns only that it came late."""
    person, late = world.person(ADA), world.person(BEN)
    with world.begin() as login:
        claimed = login.claim(person.phone)
        with pytest.raises(Refused) as refusal:
            login.claim(late.phone)
        for step in (late.phone.approve, late.phone.decline, late.phone.look):
            with pytest.raises(Refused):
                step(claimed.login_id)
        with pytest.raises(Refused):
            late.phone.show(claimed.login_id, late.palm)
        again = login.claim(person.phone)
        login.answer(person)
        subject = SignedIn(world.shop, world.shop.exchange(login.finish().parameters["code"]))

    assert (refusal.value.status, refusal.value.error) == (409, "already_claimed")
    assert again.login_id == claimed.login_id
    assert subject.subject == world.log_in(person).subject


def test_somebody_else_on_my_phone_is_somebody_else(world):
    """A phone lends no identity: Ben's palm on Ada's phone is Ben, or nobody."""
    ada, ben = world.person(ADA), world.person(BEN)
    with world.begin() as login:
        claimed = login.claim(ada.phone)
        said = ada.phone.show(claimed.login_id, ben.palm)
        if said.hint == "wait_approve":
            ada.phone.approve(claimed.login_id)
            answer = world.shop.exchange(login.finish().parameters["code"])
            assert SignedIn(world.shop, answer).subject == world.log_in(ben).subject
        else:
            assert said.hint == "palm_retry"


def test_a_template_made_on_the_phone(world):
    """The phone may send a template instead of a picture: the same person comes out."""
    person = world.person(ADA)
    with world.begin() as login:
        claimed = login.claim(person.phone)
        said = person.phone.show_template(claimed.login_id, person.palm)
        person.phone.approve(claimed.login_id)
        answer = world.shop.exchange(login.finish().parameters["code"])

    assert said.hint == "wait_approve"
    assert SignedIn(world.shop, answer).subject == world.log_in(person).subject


def test_an_operator_may_demand_pictures(serve):
    """With ``accept_templates`` off a template is refused, a picture still does."""
    with serve(THENAR_MOBILE_ACCEPT_TEMPLATES="false") as world:
        person = world.person(ADA)
        with world.begin() as login:
            claimed = login.claim(person.phone)
            with pytest.raises(Refused) as refusal:
                person.phone.show_template(claimed.login_id, person.palm)
            said = person.phone.show(claimed.login_id, person.palm)

    assert (refusal.value.status, refusal.value.error) == (403, "template_not_accepted")
    assert said.hint == "wait_approve"


def test_with_bound_devices_a_stranger_phone_is_refused(serve):
    """``login_policy = bound_device``: only the enrolled phone will do."""
    with serve(THENAR_MOBILE_LOGIN_POLICY="bound_device") as world:
        person = world.person(ADA)
        with world.begin() as login, pytest.raises(Refused) as refusal:
            phone = world.new_phone()
            claimed = phone.claim(login.link)
            phone.show(claimed.login_id, person.palm)
        subject = world.log_in(person).subject

    assert (refusal.value.status, refusal.value.error) == (403, "device_unbound")
    assert subject


def test_deletion_asks_for_the_palm(world):
    """Another person's palm deletes nothing."""
    ada, ben = world.person(ADA), world.person(BEN)

    with pytest.raises(Refused) as refusal:
        ada.phone.delete_account(ben.palm)

    assert (refusal.value.status, refusal.value.error) == (403, "palm_mismatch")
    assert world.log_in(ada).subject


def test_after_deletion_nothing_is_left(world):
    """The palm opens nothing, tokens are dead, and who comes again is somebody new."""
    person = world.person(LEAVER)
    before = world.log_in(person, scope="openid offline_access")
    person.phone.delete_account(person.palm)
    person.phone = None

    with world.begin() as login:
        phone = world.new_phone()
        claimed = phone.claim(login.link)
        said = phone.show(claimed.login_id, person.palm)
    refreshed = world.shop.refresh(before.tokens["refresh_token"])
    userinfo = world.shop.userinfo(before.tokens["access_token"])
    after = world.log_in(world.person(LEAVER))

    assert said.hint == "palm_retry"
    assert refreshed.json()["error"] == "invalid_grant"
    assert userinfo.status_code == 401
    assert after.subject != before.subject


def test_deletion_cancels_a_waiting_login(world):
    """A login that was verified but not approved ends with the account."""
    person = world.person(LEAVER)
    with world.begin() as login:
        claimed = login.claim(person.phone)
        person.phone.show(claimed.login_id, person.palm)
        phone = world.new_phone()
        with world.begin() as other:
            other.answer(person, phone=phone)
        person.phone.trust(phone, person.palm)
        phone.delete_account(person.palm)
        person.phone, old = None, person.phone
        with pytest.raises(Refused):
            old.approve(claimed.login_id)
        hint = login.hint

    assert hint in {"cancelled", "declined", "expired"}
