"""A person enrols, and signs in for the first time; the service is restarted in between."""

from __future__ import annotations

import pytest

from tests.support.service.journey import Serve, World

pytestmark = [pytest.mark.journey, pytest.mark.hands]

ADA, BEN = 0, 1


def test_enrol_and_log_in(world: World) -> None:
    """The road from a palm photo to an ID token, each hint on the way seen by both sides."""
    person = world.person(ADA)
    with world.begin(nonce="n", scope="openid offline_access") as login:
        seen = [login.hint]
        claimed = login.claim(person.phone)
        seen.append(login.hint)
        shown = person.phone.answer_picture(claimed.login_id, person.palm)
        seen.append(login.hint)
        approved = person.phone.approve(claimed.login_id)
        seen.append(login.hint)
        tokens = login.redeem()

    assert seen == ["wait_scan", "wait_palm", "wait_approve", "go"]
    assert shown.hint == "wait_approve"
    assert approved.hint == "go"
    assert claimed.client_name == "Corner Bookshop"
    assert claimed.client_host == "127.0.0.1:9"
    assert tokens.claims["nonce"] == "n"


def test_both_palms_are_one_person(world: World) -> None:
    """Either hand gives the same subject, from a phone that belongs to nobody yet."""
    person = world.person(BEN)

    subjects = set()
    for palm in person.shots[:2]:
        with world.begin() as login:
            world.new_phone().sign_in(login.link, palm)
            subjects.add(login.redeem().subject)

    assert len(subjects) == 1


def test_the_service_remembers_after_a_restart(serve: Serve) -> None:
    """Gallery, subjects and keys outlive the process: the same person, verified by old keys."""
    with serve() as world:
        person = world.person(ADA)
        before = world.log_in(person, scope="openid offline_access")
        known = world.shop.keys
        world.restart()
        after = world.log_in(person)
        refreshed = world.shop.refresh(before.tokens["refresh_token"])

    assert after.subject == before.subject
    assert refreshed.status_code == 200
    assert world.shop.keys is known
