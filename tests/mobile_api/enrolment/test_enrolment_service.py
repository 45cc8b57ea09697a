"""Several samples of a palm become an account, or nothing at all."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.template_codec import encode_template
from engine.types import Hand
from mobile_api.account.gate import LIFETIME
from mobile_api.errors import PhoneRefused
from mobile_api.recognition.matcher import mirrored
from mobile_api.reference_phone.client import ReferencePhone
from oidc.plumbing.columns import day_of
from oidc.types import Authenticated
from tests.support.palms.fake_engine import partly_covered, picture, shots, template
from tests.support.phone.reference import refusal
from tests.support.service.mobile_api import MobileWorld

LEFT, RIGHT = Hand.LEFT, Hand.RIGHT
MAYA, OMAR = 1, 2


def is_recognised(world: MobileWorld, person: int, hand: Hand = RIGHT) -> bool:
    """Return whether a new phone may log in with this palm."""
    answer = world.answer_palm(world.phone(), picture(person, hand, 99))
    return answer.hint == "wait_approve"


def account_of(world: MobileWorld, phone: ReferencePhone, palm: bytes) -> Authenticated:
    """Return whom a login with this palm names."""
    outcome = world.handoff.outcome(world.show_palm(phone, palm))
    assert isinstance(outcome, Authenticated)
    return outcome


def test_both_palms_are_enrolled_and_then_recognised(world: MobileWorld) -> None:
    """Given a new phone, when both palms are shown, then four samples of each are kept."""
    phone = world.phone()
    enrolled = phone.enrol(shots(MAYA, LEFT, 6) + shots(MAYA, RIGHT, 2)).enrolled

    assert (enrolled.left, enrolled.right) == (4, 2)
    assert is_recognised(world, MAYA, LEFT)
    assert is_recognised(world, MAYA, RIGHT)
    assert not is_recognised(world, OMAR)


@pytest.mark.parametrize(("wanted", "kept"), [("ar", "ar"), ("en", "en"), ("xx", "en")])
def test_consent_is_kept_with_text_language_and_time(
    world: MobileWorld, wanted: str, kept: str
) -> None:
    """Who agreed to what, and when, can be shown later."""
    phone = world.phone()
    consent = phone.consent(wanted)
    enrolment = phone.open_enrolment(consent).enrolment_id
    for shot in shots(MAYA):
        phone.add_picture(enrolment, shot)
    phone.finish_enrolment(enrolment)
    row = world.row(
        "SELECT consent_version, consent_sha256, consent_language, consented_at FROM accounts"
    )

    assert row[:3] == (consent.version, consent.sha256, kept)
    assert row[3] == int(day_of(world.clock()).timestamp() * 1000)


@pytest.mark.parametrize(
    ("pictures", "expected"),
    [
        ([], "too_few_samples"),
        (shots(MAYA, count=1), "too_few_samples"),
        (shots(MAYA, LEFT, 3) + shots(MAYA, RIGHT, 1), "too_few_samples"),
        (shots(MAYA, RIGHT, 1) + shots(OMAR, RIGHT, 1), "samples_disagree"),
    ],
)
def test_samples_that_are_no_palm_are_refused(
    world: MobileWorld, pictures: Sequence[bytes], expected: str
) -> None:
    """Two people in one account, or a single lucky shot, would weaken every login."""
    phone = world.phone()

    refused = refusal(lambda: phone.enrol(pictures))

    assert (refused.status, refused.error) == (409, expected)
    assert world.rows("accounts") == world.rows("biometric_references") == 0


@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_sample_that_does_not_match_the_others_is_left_out(
    world: MobileWorld, at: int
) -> None:
    """One poor picture turns no person away, and brings no second one into the account."""
    phone = world.phone()
    pictures = shots(MAYA)
    pictures.insert(at, picture(OMAR))
    enrolment = phone.open_enrolment(phone.consent()).enrolment_id
    added = [phone.add_picture(enrolment, each) for each in pictures]

    assert added[-1].samples.right == 2
    assert [each.counted for each in added] == [True, at == 2, at != 2]
    assert phone.finish_enrolment(enrolment).enrolled.right == 2
    assert world.rows("enrolment_samples") == 0
    assert is_recognised(world, MAYA)
    assert not is_recognised(world, OMAR)


def test_after_samples_that_disagree_another_is_taken(world: MobileWorld) -> None:
    """The enrolment goes on with those that agree."""
    phone = world.phone()
    enrolment = phone.begin_enrolment((picture(MAYA), picture(OMAR)))
    assert refusal(lambda: phone.finish_enrolment(enrolment)).error == "samples_disagree"
    phone.add_picture(enrolment, picture(OMAR, shot=1))

    assert phone.finish_enrolment(enrolment).enrolled.right == 2
    assert is_recognised(world, OMAR)


def test_a_copy_of_a_picture_is_refused_alone(fleet: MobileWorld) -> None:
    """It would agree with the picture, and the hand is still before the camera."""
    phone, sample = fleet.phone(), template(MAYA, RIGHT)
    enrolment = phone.begin_enrolment([picture(MAYA)])
    copied = sample.vector + np.float32(1e-5)
    copy = replace(sample, vector=copied / np.linalg.norm(copied))

    refused = refusal(lambda: phone.add_template(enrolment, encode_template(copy)))

    assert (refused.status, refused.error) == (409, "samples_repeat")
    phone.add_picture(enrolment, picture(MAYA, shot=1))
    assert phone.finish_enrolment(enrolment).enrolled.right == 2


def test_a_sample_whose_answer_was_lost_may_be_repeated(world: MobileWorld) -> None:
    """The same octets are the same success, and count once."""
    phone = world.phone()
    enrolment = phone.begin_enrolment([picture(MAYA, shot=0), picture(MAYA, shot=1)])
    charged = world.rows("attempts")
    again = phone.add_picture(enrolment, picture(MAYA, shot=1))

    assert (again.samples.right, again.counted) == (2, True)
    assert (world.rows("enrolment_samples"), world.rows("attempts")) == (2, charged)


def test_a_flipped_picture_does_not_make_a_second_palm(fleet: MobileWorld) -> None:
    """A mirrored right palm is a left palm to every network; it must not pass for one."""
    phone = fleet.phone()
    enrolment = phone.begin_enrolment(picture(MAYA, RIGHT, shot) for shot in range(2))
    for shot in range(2):
        flipped = mirrored(template(MAYA, RIGHT, shot + 2))
        phone.add_template(enrolment, encode_template(flipped))

    assert refusal(lambda: phone.finish_enrolment(enrolment)).error == "one_palm_twice"
    assert refusal(lambda: phone.finish_enrolment(enrolment)).error == "enrolment_gone"
    assert fleet.rows("enrolment_samples") == 0


def test_an_enrolled_palm_joins_no_account_and_the_other_is_enrolled_alone(
    world: MobileWorld,
) -> None:
    """Who enrolled a photo of her left palm beside his right shares no account with her."""
    squatter = world.enrolled(shots(MAYA, LEFT) + shots(OMAR, RIGHT))
    phone = world.phone()
    enrolment = phone.begin_enrolment(shots(MAYA, LEFT, first=5) + shots(MAYA, RIGHT))
    assert refusal(lambda: phone.finish_enrolment(enrolment)).error == "already_enrolled"
    assert world.row("SELECT count(*) FROM devices WHERE account IS NOT NULL") == (1,)

    assert phone.finish_enrolment(enrolment).enrolled.right == 2
    his = account_of(world, squatter, picture(OMAR, RIGHT, 50))
    hers = account_of(world, phone, picture(MAYA, RIGHT, 50))
    assert his.account != hers.account
    left = picture(MAYA, LEFT, 50)
    assert refusal(lambda: world.answer_palm(phone, left)).error == "palm_disputed"
    assert refusal(lambda: world.phone().ask_trust(left)).error == "palm_disputed"


def test_two_phones_enrolling_one_palm_at_once_make_one_account(
    tmp_path: Path, database_url: str
) -> None:
    """Search and commit are one step, in every process and on every database."""
    with MobileWorld(tmp_path, database_url) as world:
        pending = []
        for number in range(4):
            phone = world.phone(world.start())
            enrolment = phone.begin_enrolment(shots(MAYA, RIGHT, first=10 * number))
            pending.append((phone, enrolment))

        def finish(each: tuple[ReferencePhone, str]) -> str:
            try:
                each[0].finish_enrolment(each[1])
            except PhoneRefused as refused:
                return refused.error
            return "enrolled"

        with ThreadPoolExecutor(4) as pool:
            results = sorted(pool.map(finish, pending))

        assert results == ["already_enrolled"] * 3 + ["enrolled"]
        assert world.rows("accounts") == 1


def test_finishing_again_repeats_the_answer_and_enrols_nothing(world: MobileWorld) -> None:
    """A phone in a tunnel loses the answer only; a palm proof gets no younger."""
    phone = world.phone()
    enrolment = phone.begin_enrolment(shots(MAYA))
    first = phone.finish_enrolment(enrolment)
    world.clock.advance(LIFETIME.seconds - 1)

    assert phone.finish_enrolment(enrolment) == first
    assert world.rows("biometric_references") == 2
    assert refusal(lambda: phone.add_picture(enrolment, picture(MAYA))).status == 410
    world.clock.advance(1)
    assert refusal(lambda: phone.finish_enrolment(enrolment)).error == "enrolment_gone"


def test_another_phone_cannot_touch_an_enrolment(world: MobileWorld) -> None:
    """Knowing its name is not enough; the answer is that of an unknown one."""
    phone, thief = world.phone(), world.phone()
    enrolment = phone.begin_enrolment()
    refusals = [
        refusal(lambda: thief.add_picture(enrolment, picture(OMAR))),
        refusal(lambda: thief.finish_enrolment(enrolment)),
        refusal(lambda: thief.finish_enrolment("unknown")),
    ]

    assert {(r.status, r.error) for r in refusals} == {(410, "enrolment_gone")}


def test_there_is_a_limit_of_samples_for_each_palm(tmp_path: Path) -> None:
    """An open enrolment is no store for pictures."""
    with MobileWorld(tmp_path, samples_limit=2) as world:
        phone = world.phone()
        enrolment = phone.begin_enrolment(shots(MAYA))

        refused = refusal(lambda: phone.add_picture(enrolment, picture(MAYA, shot=2)))

        assert (refused.status, refused.error) == (409, "too_many_samples")
        assert world.rows("enrolment_samples") == 2


def test_a_palm_that_is_partly_covered_signs_in_but_does_not_enrol(fleet: MobileWorld) -> None:
    """What covers it stays among the references, and others may wear the same."""
    phone = fleet.phone()
    enrolment = phone.begin_enrolment()
    half = encode_template(partly_covered(template(MAYA, RIGHT), 14))

    refused = refusal(lambda: phone.add_template(enrolment, half))

    assert (refused.error, refused.reason) == ("quality_too_low", "covered")
    assert fleet.rows("enrolment_samples") == 0


def test_an_owner_adds_the_other_palm_by_showing_the_enrolled_one(world: MobileWorld) -> None:
    """A cut finger must not lock anybody out; the second palm joins the same account."""
    phone = world.enrolled(shots(MAYA, RIGHT))
    added = phone.enrol(shots(MAYA, RIGHT, first=5) + shots(MAYA, LEFT)).enrolled
    by_left = account_of(world, world.phone(), picture(MAYA, LEFT, 50))
    by_right = account_of(world, world.phone(), picture(MAYA, RIGHT, 50))

    assert (added.left, added.right) == (2, 0)
    assert by_left.account == by_right.account
    assert world.rows("accounts") == 1
