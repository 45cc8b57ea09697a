"""The whole service with its own networks and detector, and drawn hands before a camera."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from uuid import UUID

import cv2
import numpy as np
import pytest

from engine.settings import EngineSettings
from engine.types import Hand
from mobile_api import messages as m
from mobile_api.errors import PhoneRefused
from mobile_api.frames import SentFrame
from mobile_api.recognition.load import load_recognition
from mobile_api.reference_phone.client import ReferencePhone
from mobile_api.storage.stores.challenges import PendingChallenge
from mobile_api.types import ChallengeId, DeviceId, Purpose
from models.synthesis.presentations.session import DrawnFrame, open_filming
from models.synthesis.presentations.species import BONA_FIDE, SPECIES
from tests.support.service.mobile_api import MobileWorld

MAYA = 5
PRINT = SPECIES[0].name
TRIES = 3
"""Honest people need a second one now and then."""


@pytest.fixture
def world(tmp_path: Path) -> Iterator[MobileWorld]:
    """Give the mobile API with the shipped networks and detector."""
    world = MobileWorld(tmp_path)
    world.recognition = load_recognition(EngineSettings(attack_detection="challenge"))
    with world:
        yield world


def shown(
    world: MobileWorld,
    phone: ReferencePhone,
    species: str,
    seed: int,
    attempt: m.BeginChallenge,
) -> m.ShowChallenge:
    """Answer a challenge with a drawing of Maya's palm, alive or not."""
    begun = phone.begin_challenge(attempt)
    challenge = world.services.challenges.encryption.progress(
        _pending(world, phone, begun)
    ).challenge
    drawn = open_filming(species, MAYA, seed, challenge, hand=Hand.RIGHT).frames()
    step: m.StepMessage | None = begun.step
    while step is not None:
        frames = [each for each in drawn if each.step == step.number - 1]
        world.clock.advance(frames[-1].at_s + 0.5)
        step = phone.answer_step(begun.challenge_id, step.number, _sent(frames)).step
    return m.ShowChallenge(challenge=begun.challenge_id)


def _pending(
    world: MobileWorld, phone: ReferencePhone, begun: m.ChallengeMessage
) -> PendingChallenge:
    """Look at a challenge as no phone can: a drawing is made of all its steps at once."""
    named = DeviceId(phone.key.thumbprint()), ChallengeId(UUID(begun.challenge_id))
    with world.database.write() as transaction:
        pending = transaction.challenges.take(*named, 1, world.clock())
        assert pending is not None
        assert transaction.challenges.put_back(pending)
    return pending


def _sent(frames: Sequence[DrawnFrame]) -> list[SentFrame]:
    return [
        SentFrame(round(each.at_s * 1000), each.phase, _jpeg(each.pixels)) for each in frames
    ]


def _jpeg(pixels: np.ndarray) -> bytes:
    done, data = cv2.imencode(".jpg", pixels[:, :, ::-1], [cv2.IMWRITE_JPEG_QUALITY, 92])
    assert done
    return data.tobytes()


def alive(
    world: MobileWorld, phone: ReferencePhone, seed: int, attempt: m.BeginChallenge
) -> m.ShowChallenge:
    """Pass a challenge with a living hand, in a few tries."""
    for again in range(TRIES):
        try:
            return shown(world, phone, BONA_FIDE, seed + again, attempt)
        except PhoneRefused as fault:
            assert fault.error == "challenge_failed"
    raise AssertionError("no living hand passes")


def test_a_drawn_hand_passes_and_a_print_of_it_does_not(world: MobileWorld) -> None:
    """She enrols and signs in on a new phone; her picture on paper does neither."""
    phone, new, thief = (world.phone() for _ in range(3))
    enrolment = phone.open_enrolment(phone.consent()).enrolment_id
    attempt = m.BeginChallenge(purpose=Purpose.ENROLMENT, id=enrolment, hand=Hand.RIGHT)
    assert phone.add_picture(enrolment, alive(world, phone, 1, attempt)).samples.right == 3
    phone.finish_enrolment(enrolment)

    login = new.claim(world.handoff.open()).login_id
    attempt = m.BeginChallenge(purpose=Purpose.LOGIN, id=login)
    passed = alive(world, new, 11, attempt)
    assert new.answer_picture(login, passed).hint == "wait_approve"

    stolen = thief.claim(world.handoff.open()).login_id
    attempt = m.BeginChallenge(purpose=Purpose.LOGIN, id=stolen)
    with pytest.raises(PhoneRefused) as refused:
        shown(world, thief, PRINT, 21, attempt)
    assert refused.value.error == "challenge_failed"
    assert world.rows("challenges") == 0
