"""Every question to the gallery is charged to one budget, which is enough for honest people."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import ceil
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from mobile_api import messages as m
from mobile_api.limits import DAY, start_of_day
from mobile_api.reference_phone.client import picture_type
from tests.support.palms.fake_engine import DARK, picture, shots
from tests.support.phone.reference import Phone, error_of, refusal_of
from tests.support.service.mobile_api import MobileWorld

MAYA, UNENROLLED = 1, 999
HOME = "203.0.113.9"


def phone_at(world: MobileWorld, address: str) -> Phone:
    """Return a registered phone with this address."""
    client = TestClient(
        world.client.app, base_url="https://id.example.test", client=(address, 1)
    )
    return world.phone(client)


def sign_in(world: MobileWorld, phone: Phone, data: bytes) -> str:
    """Answer a new login with a picture; return the hint."""
    return world.answer_palm(phone, data).hint


def add_sample(phone: Phone, data: bytes) -> None:
    """Start an enrolment and send one picture."""
    phone.begin_enrolment([data])


def ask_from(world: MobileWorld, address: str) -> str | None:
    """Send a sample from a new phone; return the error, if any."""
    phone = phone_at(world, address)
    return error_of(lambda: add_sample(phone, picture(UNENROLLED)))


TrustWay = Callable[[MobileWorld, Phone, bytes], object]

WAYS: dict[str, TrustWay] = {
    "login": sign_in,
    "enrolment": lambda _, phone, data: add_sample(phone, data),
    "palm proof": lambda _, phone, data: phone._read(
        phone._signed("POST", "/palm-proofs", data, picture_type(data)), m.AnswerMessage
    ),
}


def spend(world: MobileWorld, phone: Phone, way: str) -> str | None:
    """Show a palm that is not enrolled; return the error, if any."""
    return error_of(lambda: WAYS[way](world, phone, picture(UNENROLLED)))


@contextmanager
def maya_at_home(folder: Path, **settings: Any) -> Iterator[MobileWorld]:
    """Give a service at which Maya enrolled."""
    with MobileWorld(folder, **settings) as world:
        world.enrolled(shots(MAYA))
        yield world


@pytest.mark.parametrize("first", WAYS)
@pytest.mark.parametrize("limit", ["failed_identifications", "network_failed"])
def test_every_question_to_the_gallery_is_charged_to_one_budget(
    tmp_path: Path, first: str, limit: str
) -> None:
    """A script that changes requests, or keys, must gain nothing by it."""
    with maya_at_home(tmp_path, **{f"{limit}_per_day": 4}) as world:
        phone = phone_at(world, HOME)
        sign_in(world, phone, picture(MAYA, shot=9))  # bound as new; a match costs nothing
        asked = [spend(world, phone, way) for way in (first, *WAYS)]
        other = phone if limit == "failed_identifications" else phone_at(world, HOME)
        keys = dict.fromkeys(WAYS, other) | {"palm proof": phone}
        refused = [spend(world, key, way) for way, key in keys.items()]

    assert "too_many_attempts" not in asked
    assert refused == ["too_many_attempts"] * 3


def test_the_samples_of_a_finished_enrolment_are_given_back(world: MobileWorld) -> None:
    """It pays for itself, like a sign-in with a match."""
    world.enrolled(shots(MAYA))

    assert world.row("SELECT count(*), sum(failed) FROM attempts") == (2, 0)


def test_the_samples_of_a_refused_enrolment_stay_charged(world: MobileWorld) -> None:
    """Its refusal revealed whether this palm is enrolled."""
    world.enrolled(shots(MAYA))
    error = error_of(lambda: world.phone().enrol(shots(MAYA)))

    assert error == "already_enrolled"
    assert world.row("SELECT sum(failed) FROM attempts") == (2,)


def test_a_sample_beyond_the_budget_is_not_kept(tmp_path: Path) -> None:
    """It was not paid for, so it is not even read, nor searched or finished with."""
    with MobileWorld(tmp_path, failed_identifications_per_day=1) as world:
        phone = world.phone()
        enrolment = phone.begin_enrolment([picture(MAYA)])
        second = error_of(lambda: phone.add_picture(enrolment, picture(MAYA, shot=1)))
        unread = error_of(lambda: phone.add_picture(enrolment, picture(MAYA, defect=DARK)))

        assert second == unread == "too_many_attempts"
        assert world.rows("enrolment_samples") == 1
        assert error_of(lambda: phone.finish_enrolment(enrolment)) == "too_few_samples"


def test_a_phone_without_attempts_left_reads_when_it_may_try_again(tmp_path: Path) -> None:
    """At midnight (UTC), and not a second earlier."""
    with MobileWorld(tmp_path, failed_identifications_per_day=2) as world:
        maya = world.enrolled(shots(MAYA))
        for _ in range(2):
            spend(world, maya, "palm proof")
        midnight = start_of_day(world.clock()) + DAY
        left_s = ceil((midnight - world.clock()).total_seconds())
        refused = refusal_of(lambda: WAYS["palm proof"](world, maya, picture(UNENROLLED)))
        world.clock.advance(left_s - 1)
        early = spend(world, maya, "palm proof")
        world.clock.advance(1)
        later = spend(world, maya, "palm proof")

    assert refused is not None
    assert refused.retry_after_s == left_s
    assert (early, later) == ("too_many_attempts", "palm_mismatch")


def test_a_trusted_phone_serves_its_owner_when_others_used_up_the_budget(
    tmp_path: Path,
) -> None:
    """A neighbour, or the world, cannot lock a person out of an own account."""
    with MobileWorld(tmp_path, network_failed_per_day=4) as world:
        maya = phone_at(world, HOME)
        maya.enrol(shots(MAYA))
        outsider = phone_at(world, HOME)
        for _ in range(4):
            add_sample(outsider, picture(UNENROLLED))

        assert error_of(lambda: sign_in(world, outsider, picture(MAYA, shot=8)))
        assert sign_in(world, maya, picture(MAYA, shot=9)) == "wait_approve"
        assert (
            error_of(lambda: sign_in(world, maya, picture(UNENROLLED))) == "too_many_attempts"
        )
        assert error_of(lambda: WAYS["palm proof"](world, maya, picture(MAYA))) is None
        assert error_of(lambda: add_sample(maya, picture(MAYA))) == "too_many_attempts"


def test_a_phone_of_yesterday_has_a_share_that_new_keys_cannot_take(tmp_path: Path) -> None:
    """They cost nothing, so of all that they ask nothing is hers; and the sum stays bounded."""
    with maya_at_home(tmp_path, network_failed_per_day=8) as world:
        ours = [phone_at(world, HOME) for _ in range(3)]
        for each in ours:
            sign_in(world, each, picture(MAYA, shot=9))  # bound as new
        world.clock.advance(2 * 24 * 3600)
        others = [ask_from(world, HOME) for _ in range(20)]
        asked = [spend(world, each, "login") for each in ours]

    assert others.count(None) == 8
    assert asked == [None, None, "too_many_attempts"]


def test_two_networks_cannot_use_up_the_share_of_the_world(tmp_path: Path) -> None:
    """However many phones and customers' networks they have."""
    limits = {
        "network_failed_per_day": 4,
        "network_wide_failed_per_day": 8,
        "network_widest_failed_per_day": 16,
        "strangers_failed_per_day": 24,
        "new_networks_share": 0.25,
        "failed_identifications_per_day": 3,
    }
    with maya_at_home(tmp_path, **limits) as world:
        errors = [
            ask_from(world, f"{network}:{site}:{customer}00::1")
            for site in range(4)
            for customer in range(4)
            for network in ("2001:db8", "2a00:db8")
            for _ in range(2)
        ]
        answer = sign_in(world, phone_at(world, HOME), picture(MAYA, shot=9))

    assert errors.count(None) == 18
    assert set(errors) == {None, "too_many_attempts"}
    assert answer == "wait_approve"
