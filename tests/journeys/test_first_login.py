"""A person enrols, and signs in for the first time."""

from __future__ import annotations

import pytest

from tests.support.service.journey import World

pytestmark = [pytest.mark.journey, pytest.mark.hands]

ADA = 0


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
