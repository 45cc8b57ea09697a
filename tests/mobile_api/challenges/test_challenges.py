"""What no recording can know: drawn here, shown now, by one phone, for one thing."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from fastapi.testclient import TestClient
from typer.testing import CliRunner

from engine.errors import PresentationAttack
from engine.presentation_attack.challenge import Motion
from engine.presentation_attack.session import Outcome, Phase, Reason
from engine.template_codec import encode_template
from engine.types import Hand
from mobile_api import messages as m
from mobile_api.challenges.encryption import ChallengeEncryption
from mobile_api.cli.account import account_commands
from mobile_api.codes import new_code
from mobile_api.errors import PhoneRefused
from mobile_api.frames import FRAMES_TYPE, SentFrame
from mobile_api.reference_phone.client import ReferencePhone
from mobile_api.server.jobs import RetentionJobs
from mobile_api.storage.cipher import TemplateCipher
from mobile_api.storage.key_file import KeyFile
from mobile_api.storage.stores.challenges import PendingChallenge
from mobile_api.types import CapturedPalm, ChallengeFailure, ChallengeId, DeviceId, Purpose
from tests.engine.comparison.test_alignment import template as bent_template
from tests.support.palms.fake_engine import picture, template
from tests.support.phone.challenges import NO_HAND, FakeDetector, frame, hand_of
from tests.support.phone.hostile import HostilePhone, Sent
from tests.support.phone.reference import refusal
from tests.support.service.mobile_api import MobileWorld

MAYA, OMAR = 1, 2
PALM = m.BeginChallenge(purpose=Purpose.PALM_PROOF)


@pytest.fixture
def world(database_url: str, tmp_path: Path) -> Iterator[MobileWorld]:
    """Give a mobile API that asks for challenges, on each database."""
    with judging(tmp_path, database_url) as world:
        yield world


@pytest.fixture
def quick(tmp_path: Path) -> Iterator[MobileWorld]:
    """Give a mobile API that asks for challenges."""
    with judging(tmp_path) as world:
        yield world


def judging(folder: Path, database_url: str | None = None, **settings: Any) -> MobileWorld:
    """Return a mobile API with a detector."""
    return MobileWorld(folder, database_url, detector=FakeDetector(), **settings)


def test_a_challenge_gives_the_palm_with_what_lays_it_over_references(
    quick: MobileWorld,
) -> None:
    """Without its dense code a tilted palm that passed was missed."""
    cipher = TemplateCipher(KeyFile(quick.settings.key_file).current)
    encryption, shown, now = ChallengeEncryption(cipher), bent_template(0), quick.clock()
    names = DeviceId("phone"), ChallengeId(UUID(int=2))
    pending = PendingChallenge(*names, Purpose.LOGIN, "", None, 0, now, now, 1, b"")

    (palm,) = encryption.palms(encryption.with_palms(pending, [CapturedPalm.of([shown])]))

    np.testing.assert_array_equal(palm.template.dense, shown.dense)


def refused(act: Callable[[], object]) -> str:
    """Return the error sent to a phone, and its reason if there is one."""
    reported = refusal(act)
    return " ".join(filter(None, (reported.error, reported.reason)))


def enrol(world: MobileWorld, person: int, hand: Hand = Hand.RIGHT) -> ReferencePhone:
    """Return a phone with which a person has enrolled a palm by a challenge."""
    phone = world.phone()
    enrolment = phone.open_enrolment(phone.consent()).enrolment_id
    shown = phone.pass_challenge(
        hand_of(person, world.clock, hand), Purpose.ENROLMENT, enrolment
    )
    phone.add_picture(enrolment, shown)
    phone.finish_enrolment(enrolment)
    return phone


def sign_in(world: MobileWorld, phone: ReferencePhone, person: int) -> str:
    """Answer a new login by a challenge; return the hint."""
    login = phone.claim(world.handoff.open()).login_id
    shown = phone.pass_challenge(hand_of(person, world.clock), Purpose.LOGIN, login)
    return phone.answer_picture(login, shown).hint


def charges(world: MobileWorld) -> tuple[int, int]:
    """Return how many attempts were counted, and how many of them are not given back."""
    counted, failed = world.row(
        "SELECT count(*), count(CASE WHEN failed > 0 THEN 1 END) FROM attempts"
    )
    return int(counted), int(failed)


def test_a_palm_is_enrolled_and_signs_in_by_challenges(world: MobileWorld) -> None:
    """One challenge gives all the samples of a palm; nothing of it stays."""
    enrol(world, MAYA)

    assert sign_in(world, world.phone(), MAYA) == "wait_approve"
    assert sign_in(world, world.phone(), OMAR) == "palm_retry"
    assert world.rows("biometric_references") == 3
    assert world.rows("challenges") == 0
    assert charges(world)[1] == 1  # the palm that is not enrolled


def test_every_step_is_sent_after_the_one_before(quick: MobileWorld) -> None:
    """Who knew all of them at once could prepare an answer."""
    phone = quick.phone()
    begun = phone.begin_challenge(PALM)
    first = hand_of(MAYA, quick.clock)(begun.step)

    assert (begun.steps, begun.step.number, begun.step.answer_within_ms) == (3, 1, 20_000)
    assert refused(lambda: phone.answer_step(begun.challenge_id, 2, first)) == "wrong_state"
    second = phone.answer_step(begun.challenge_id, 1, first).step
    assert second is not None
    assert second.number == 2
    assert refused(lambda: phone.answer_step(begun.challenge_id, 1, first)) == "wrong_state"


def test_stills_and_templates_are_not_enough_where_a_challenge_is_demanded(
    quick: MobileWorld,
) -> None:
    """At an enrolment, and on phones that the account does not trust."""
    phone, still = quick.phone(), picture(MAYA)
    made = encode_template(template(MAYA))
    enrolment = phone.open_enrolment(phone.consent())
    login = phone.claim(quick.handoff.open())

    assert (enrolment.challenge, login.challenge, phone.standing().challenge) == (True,) * 3
    for act in (
        lambda: phone.add_picture(enrolment.enrolment_id, still),
        lambda: phone.add_template(enrolment.enrolment_id, made),
        lambda: phone.answer_picture(login.login_id, still),
        lambda: phone.answer_template(login.login_id, made),
        lambda: phone.ask_trust(still),
    ):
        assert refused(act) == "challenge_needed"
    assert charges(quick) == (0, 0)


def test_a_trusted_phone_shows_its_own_palm_only(quick: MobileWorld) -> None:
    """Else a print of Maya's palm would sign in on the phone that Omar trusts."""
    enrol(quick, MAYA)
    omars = enrol(quick, OMAR)
    login = omars.claim(quick.handoff.open())

    assert not login.challenge
    still, made = picture(MAYA), encode_template(template(MAYA))
    assert refused(lambda: omars.answer_picture(login.login_id, still)) == "challenge_needed"
    assert refused(lambda: omars.answer_template(login.login_id, made)) == "challenge_needed"
    assert omars.answer_picture(login.login_id, picture(OMAR)).hint == "wait_approve"
    assert sign_in(quick, omars, MAYA) == "wait_approve"
    assert refused(lambda: omars.prove_palm(picture(OMAR))) == "challenge_needed"


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_trusted_phones_meet_a_challenge_by_chance(tmp_path: Path, share: float) -> None:
    """As often as the operator says; beginning again does not help."""
    with judging(tmp_path, challenge_share=share) as world:
        phone = enrol(world, MAYA)
        reported = {phone.claim(world.handoff.open()).challenge for _ in range(5)}
        login = phone.claim(world.handoff.open()).login_id

        assert reported == {share == 1}
        if share:
            still = picture(MAYA)
            assert refused(lambda: phone.answer_picture(login, still)) == "challenge_needed"


def test_who_does_something_else_fails_and_leaves_nothing(world: MobileWorld) -> None:
    """The attempt stays counted."""
    phone = world.phone()
    begun = phone.begin_challenge(PALM)
    others = {each for each in Motion if each is not begun.step.motion}
    show = hand_of(MAYA, world.clock)
    wrong = begun.step.model_copy(update={"motion": others.pop()})
    step = phone.answer_step(begun.challenge_id, 1, show(wrong)).step
    assert step is not None
    step = phone.answer_step(begun.challenge_id, 2, show(step)).step
    assert step is not None

    last = show(step)
    failure = refused(lambda: phone.answer_step(begun.challenge_id, 3, last))
    assert failure == "challenge_failed not_followed"
    assert refused(lambda: phone.answer_step(begun.challenge_id, 3, last)) == "challenge_gone"
    assert world.rows("challenges") == 0
    assert charges(world) == (1, 1)


REFUSALS = {
    (Outcome.ATTACK, Reason.FLAT): ChallengeFailure.NOT_FOLLOWED,
    (Outcome.ATTACK, Reason.SWAPPED): ChallengeFailure.NOT_FOLLOWED,
    (Outcome.ATTACK, Reason.TRACES): ChallengeFailure.NOT_FOLLOWED,
    (Outcome.ATTACK, Reason.TWO_PEOPLE): ChallengeFailure.NOT_FOLLOWED,
    (Outcome.CANNOT_TELL, Reason.TWO_HANDS): ChallengeFailure.NOT_ONE_HAND,
    (Outcome.CANNOT_TELL, Reason.TOO_LATE): ChallengeFailure.TOO_LATE,
    (Outcome.CANNOT_TELL, Reason.UNUSABLE): ChallengeFailure.CANNOT_TELL,
}


def test_no_phone_learns_which_detector_refused(tmp_path: Path) -> None:
    """An attacker would try them one by one."""
    detector = FakeDetector()
    with MobileWorld(tmp_path, detector=detector) as world:
        for refusal, reported in REFUSALS.items():
            detector.refusal = refusal
            phone = world.phone()
            show = hand_of(MAYA, world.clock)

            assert refused(lambda: phone.pass_challenge(show)) == f"challenge_failed {reported}"  # noqa: B023


def test_a_challenge_is_of_one_phone_and_one_thing(quick: MobileWorld) -> None:
    """Passed by a thief's own hand, it is no use to another phone, login or request."""
    maya = enrol(quick, MAYA)
    login = maya.claim(quick.handoff.open()).login_id
    passed = maya.pass_challenge(hand_of(MAYA, quick.clock), Purpose.LOGIN, login)

    assert refused(lambda: quick.phone().ask_trust(passed)) == "challenge_gone"
    assert maya.answer_picture(login, passed).hint == "wait_approve"
    other = maya.claim(quick.handoff.open()).login_id
    for use in (lambda: maya.prove_palm(passed), lambda: maya.answer_picture(other, passed)):
        assert refused(use) == "challenge_gone"
    again = maya.pass_challenge(hand_of(MAYA, quick.clock), Purpose.LOGIN, other)
    assert refused(lambda: maya.prove_palm(again)) == "challenge_gone"


def test_a_challenge_is_of_one_login(quick: MobileWorld) -> None:
    """Passed for one client's login, it answers no other's."""
    maya = enrol(quick, MAYA)
    login = maya.claim(quick.handoff.open()).login_id
    passed = maya.pass_challenge(hand_of(MAYA, quick.clock), Purpose.LOGIN, login)
    other = maya.claim(quick.handoff.open()).login_id

    assert refused(lambda: maya.answer_picture(other, passed)) == "challenge_gone"


def test_a_phone_has_one_challenge_at_a_time(world: MobileWorld) -> None:
    """A phone cannot begin two and answer the easier one."""
    phone = world.phone()
    first, second = phone.begin_challenge(PALM), phone.begin_challenge(PALM)
    show = hand_of(MAYA, world.clock)

    shown = show(first.step)
    assert refused(lambda: phone.answer_step(first.challenge_id, 1, shown)) == "challenge_gone"
    assert phone.answer_step(second.challenge_id, 1, show(second.step)).step


def test_of_two_answers_at_once_one_counts(world: MobileWorld) -> None:
    """The other finds nothing: no second try with other frames."""
    phone = world.phone()
    begun = phone.begin_challenge(PALM)
    frames = hand_of(MAYA, world.clock)(begun.step)

    def answer(_: int) -> str:
        twin = ReferencePhone(phone.api, phone.key, world.client)
        try:
            twin.answer_step(begun.challenge_id, 1, frames)
        except PhoneRefused as fault:
            return fault.error
        return "taken"

    with ThreadPoolExecutor(4) as pool:
        answers = sorted(pool.map(answer, range(4)))
    assert answers.count("taken") == 1
    assert set(answers) <= {"taken", "challenge_gone", "wrong_state"}


def test_challenges_that_are_not_passed_are_limited(tmp_path: Path) -> None:
    """A phone cannot draw until the motions come of which it has a recording."""
    with judging(tmp_path, failed_identifications_per_day=3) as world:
        phone = world.phone()
        for _ in range(3):
            phone.begin_challenge(PALM)
        assert refused(lambda: phone.begin_challenge(PALM)) == "too_many_attempts"


def test_requests_without_a_hand_lock_no_phone_out(tmp_path: Path) -> None:
    """Whatever another phone behind the same address sends; only hands are counted there."""
    few: dict[str, Any] = {"network_failed_per_day": 8, "network_submissions_per_day": 40}
    with judging(tmp_path, **few) as world:
        there = TestClient(
            world.client.app, base_url="https://id.example.test", client=("203.0.113.9", 1)
        )
        enrol(world, MAYA)
        old = world.phone(there)
        assert sign_in(world, old, MAYA) == "wait_approve"  # bound to her, but not trusted
        world.clock.advance(2 * 24 * 3600)
        for _ in range(15):
            reported = requests_without_a_hand(world, world.phone(there))
            assert reported == {"challenge_failed not_one_hand", "challenge_gone"}
        answers = [sign_in(world, each, OMAR) for each in (old, world.phone(there))]
        hands = [first_step(world, world.phone(there)) for _ in range(8)]
        later = sign_in(world, old, OMAR)

    assert answers == ["palm_retry"] * 2
    assert hands == ["taken"] * 6 + ["too_many_attempts"] * 2
    assert later == "palm_retry"


def requests_without_a_hand(world: MobileWorld, phone: ReferencePhone) -> set[str]:
    """Draw challenges, show nothing, name challenges that were not passed."""
    made_up = m.ShowChallenge(challenge="0" * 32)
    for _ in range(3):
        phone.begin_challenge(PALM)
    no_hand = hand_of(NO_HAND, world.clock)
    empty = {refused(lambda: phone.pass_challenge(no_hand)) for _ in range(3)}
    return empty | {refused(lambda: phone.ask_trust(made_up)) for _ in range(3)}


def first_step(world: MobileWorld, phone: ReferencePhone) -> str:
    """Answer the first step of a challenge with a hand; return the error, if any."""
    try:
        begun = phone.begin_challenge(PALM)
        phone.answer_step(begun.challenge_id, 1, hand_of(MAYA, world.clock)(begun.step))
    except PhoneRefused as fault:
        return fault.error
    return "taken"


def sent(*times: int) -> list[SentFrame]:
    """Return frames with these times."""
    phases = [Phase.OPEN, Phase.MOVED, Phase.BACK]
    return [
        SentFrame(at_ms, phases[number % 3], frame(MAYA, Hand.RIGHT, number))
        for number, at_ms in enumerate(times)
    ]


@pytest.mark.parametrize(
    ("wait_s", "frames", "reported"),
    [
        (21, sent(200, 900, 18_000), "challenge_failed too_late"),
        (15, sent(200, 900, 1_800), "challenge_failed too_late"),
        (2, sent(200, 900, 9_000), "challenge_failed not_followed"),
        (2, sent(900, 200, 1_800), "challenge_failed not_followed"),
        (2, sent(200, 200, 1_800), "challenge_failed not_followed"),
        (41, sent(200, 900, 1_800), "challenge_gone"),
    ],
    ids=["late", "prepared", "ahead", "backwards", "one time", "over"],
)
def test_frames_with_times_that_cannot_be_end_it(
    quick: MobileWorld, wait_s: int, frames: list[SentFrame], reported: str
) -> None:
    """Late, prepared meanwhile, or from the future."""
    phone = quick.phone()
    begun = phone.begin_challenge(PALM)
    quick.clock.advance(wait_s)

    assert refused(lambda: phone.answer_step(begun.challenge_id, 1, frames)) == reported
    again = refused(lambda: phone.answer_step(begun.challenge_id, 1, sent(200)))
    assert again == "challenge_gone"


def test_what_was_passed_is_used_within_seconds(quick: MobileWorld) -> None:
    """And deleted after them."""
    phone = quick.phone()
    passed = phone.pass_challenge(hand_of(MAYA, quick.clock))
    quick.clock.advance(31)
    jobs = RetentionJobs(quick.database, quick.services.deletion, quick.clock)

    assert refused(lambda: phone.ask_trust(passed)) == "challenge_gone"
    jobs.run_once()
    assert quick.rows("challenges") == 0


def test_frames_are_few_and_small(quick: MobileWorld) -> None:
    """A step is 2 MB at most, a frame 960 pixels: five of them are decoded at once."""
    outsider = HostilePhone(quick)
    path = f"/challenges/{'0' * 32}/steps/1"
    long = Sent("PUT", path, bytes(2_000_001), FRAMES_TYPE)
    phone = quick.phone()
    expected = {wide_jpeg(): "sample_too_large", picture(MAYA): "sample_unreadable"}

    assert outsider.send(long).status_code == 413
    for jpeg, reported in expected.items():
        begun = phone.begin_challenge(PALM)
        frames = [SentFrame(0, Phase.OPEN, jpeg)]
        assert refused(lambda: phone.answer_step(begun.challenge_id, 1, frames)) == reported  # noqa: B023
    assert quick.rows("challenges") == 0
    assert charges(quick) == (2, 2)


def wide_jpeg() -> bytes:
    """Return a JPEG whose header says that it is wide."""
    jpeg = bytearray(frame(MAYA, Hand.RIGHT, 0))
    start = jpeg.index(b"\xff\xc0") + 7
    jpeg[start : start + 2] = (961).to_bytes(2, "big")
    return bytes(jpeg)


EASY = [Motion.LOOSE_FIST, Motion.FOLD_THUMB]


def easier(purpose: Purpose = Purpose.PALM_PROOF, **more: Any) -> m.BeginChallenge:
    """Ask for a challenge without two of the motions."""
    return m.BeginChallenge(purpose=purpose, cannot=EASY, **more)


def test_a_code_leaves_out_motions_on_one_phone_for_a_week_and_never_down_to_one(
    world: MobileWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client that chooses its motions chooses those that a picture can be warped to."""
    phone, other = world.phone(), world.phone()
    monkeypatch.setattr("mobile_api.challenges.service._RANDOM", Random(1))  # noqa: S311
    monkeypatch.setenv("THENAR_MOBILE_DATABASE_URL", world.settings.database_url)
    monkeypatch.setenv("THENAR_MOBILE_KEY_FILE", str(world.settings.key_file))
    code = CliRunner().invoke(account_commands(world.clock), ["motions"]).stdout.strip()

    def said(phone: ReferencePhone, code: str) -> str:
        return refused(lambda: phone.begin_challenge(easier(motions_code=code)))

    needed = "motions_code_needed"
    assert [said(phone, wrong) for wrong in ("", "nonsense", new_code())] == [needed] * 3
    coded = easier(motions_code=code)
    motions = {phone.begin_challenge(coded).step.motion for _ in range(10)}
    assert motions == {*Motion} - {*EASY}
    fewer = m.BeginChallenge(purpose=Purpose.PALM_PROOF, cannot=list(Motion)[1:])
    assert refused(lambda: phone.begin_challenge(fewer)) == "invalid_request"
    assert said(other, code) == needed
    jobs = RetentionJobs(world.database, world.services.deletion, world.clock)
    world.clock.advance(2 * 86_400)
    jobs.run_once()
    assert phone.begin_challenge(coded).challenge_id, "the phone waits for its owner to enrol"
    world.clock.advance(7 * 86_400)
    assert said(phone, code) == needed
    jobs.run_once()
    assert world.rows("motion_codes") == 0


def test_a_trusted_phone_leaves_out_motions_for_its_own_account_alone(
    quick: MobileWorld,
) -> None:
    """Else an attacker who enrols himself gets the easier challenge for everybody's palm."""
    omars = enrol(quick, OMAR)
    enrol(quick, MAYA)

    def answered(person: int) -> str:
        login = omars.claim(quick.handoff.open()).login_id
        shown = omars.follow(easier(Purpose.LOGIN, id=login), hand_of(person, quick.clock))
        return omars.answer_picture(login, shown).hint

    assert answered(MAYA) == "palm_retry"
    assert answered(OMAR) == "wait_approve"
    enrolment = omars.open_enrolment(omars.consent()).enrolment_id
    adding = easier(Purpose.ENROLMENT, id=enrolment)
    assert refused(lambda: omars.begin_challenge(adding)) == "motions_code_needed"


def test_the_hand_that_was_named_must_be_shown(quick: MobileWorld) -> None:
    """An enrolment asks for one after the other."""
    phone = quick.phone()
    named = m.BeginChallenge(purpose=Purpose.PALM_PROOF, hand=Hand.LEFT)
    begun = phone.begin_challenge(named)
    step: m.StepMessage | None = begun.step
    show = hand_of(MAYA, quick.clock, Hand.RIGHT)

    def act() -> None:
        nonlocal step
        while step is not None:
            step = phone.answer_step(begun.challenge_id, step.number, show(step)).step

    assert refused(act) == "challenge_failed not_one_hand"


def test_a_challenge_needs_an_attempt_that_waits_for_it(quick: MobileWorld) -> None:
    """A login or enrolment of this phone, open now."""
    maya, outsider = enrol(quick, MAYA), quick.phone()
    login = maya.claim(quick.handoff.open()).login_id
    maya.answer_picture(login, picture(MAYA))

    def begin(phone: ReferencePhone, purpose: Purpose, named: str | None) -> str:
        message = m.BeginChallenge(purpose=purpose, id=named)
        return refused(lambda: phone.begin_challenge(message))

    assert begin(maya, Purpose.LOGIN, login) == "login_gone"
    assert begin(outsider, Purpose.LOGIN, login) == "login_gone"
    assert begin(outsider, Purpose.ENROLMENT, "nothing") == "enrolment_gone"
    assert begin(outsider, Purpose.LOGIN, None) == "invalid_request"
    assert begin(outsider, Purpose.PALM_PROOF, login) == "invalid_request"


def test_what_waits_between_steps_is_sealed(quick: MobileWorld) -> None:
    """Neither the coming steps nor what was seen can be read, or moved to another phone."""
    phone, thief = quick.phone(), quick.phone()
    begun = phone.begin_challenge(PALM)
    show = hand_of(MAYA, quick.clock)
    step = phone.answer_step(begun.challenge_id, 1, show(begun.step)).step
    assert step is not None
    (sealed,) = quick.row("SELECT sealed FROM challenges")

    assert b"motion" not in sealed
    assert b"templates" not in sealed
    with quick.database.write() as transaction:
        moved = f"UPDATE challenges SET device_id = '{thief.key.thumbprint()}'"  # noqa: S608
        transaction.connection.exec_driver_sql(moved)
    frames = show(step)
    assert refused(lambda: thief.answer_step(begun.challenge_id, 2, frames)) == "challenge_gone"


def test_a_deleted_account_leaves_no_challenge(quick: MobileWorld) -> None:
    """Its templates are gone at once, those of a challenge too."""
    maya = enrol(quick, MAYA)
    other = quick.phone()
    quick.bind_new_phones(maya)
    other.pass_challenge(hand_of(MAYA, quick.clock))
    maya.delete_account(maya.pass_challenge(hand_of(MAYA, quick.clock)))

    assert quick.rows("challenges") == 0


def test_a_picture_of_an_artefact_stays_charged(tmp_path: Path) -> None:
    """With single pictures judged alone, prints cannot be tried without limit."""
    with MobileWorld(tmp_path) as world:
        phone = world.phone()
        enrolment = phone.open_enrolment(phone.consent()).enrolment_id
        login = phone.claim(world.handoff.open()).login_id
        world.pipeline.fault = PresentationAttack("traces of a screen")

        for act in (
            lambda: phone.answer_picture(login, picture(MAYA)),
            lambda: phone.add_picture(enrolment, picture(MAYA)),
        ):
            assert refused(act) == "presentation_attack"
        assert charges(world) == (2, 2)
