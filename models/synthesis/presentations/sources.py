"""The attacker's picture of a victim's palm, drawn or given.

Films show a victim's answer to another challenge. The page corrects
place and light before it takes a picture of an open palm.
"""

import random
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Final

import cv2
import numpy as np

from engine.errors import EngineError, QualityTooLow
from engine.pipeline import PalmPipeline, load_pipeline
from engine.presentation_attack.challenge import (
    Challenge,
    Motion,
    Outline,
    Step,
    draw_challenge,
)
from engine.presentation_attack.motions import palm_centre, palm_width
from engine.presentation_attack.session import Phase
from engine.settings import EngineSettings
from engine.types import Hand, PalmLandmarks, PalmSample, QualityReason
from models.synthesis import anatomy
from models.synthesis.anatomy import F32, F64, U8
from models.synthesis.presentations.artefacts import Picture, picture_of, scissors
from models.synthesis.presentations.cameras import CAMERAS, LAMPS, Scene
from models.synthesis.presentations.living_hand import LivingHand
from models.synthesis.presentations.performance import Moment, Performance
from models.synthesis.presentations.puppet import Presenter, Source

_OFF: Final = 0.035
_OFF_SIZE: Final = 0.09
"""How far the page lets the palm be from its outline, as in ``challenge_step.js``: share of the
frame, and of the palm's width."""


def correction_of(asked: Outline, place: Outline, pixels: U8) -> tuple[Outline | None, bool]:
    """Return what the page says of a palm held at ``place``; nothing if it sees none.

    Args:
        asked: the outline that the page shows.
        place: where the person means to hold the palm.
        pixels: shape (height, width, 3), uint8, RGB.

    Returns:
        Where the palm has to be, or None, and else whether it is too bright.

    Raises:
        ModelFault: a hand network is missing.
    """
    sample = PalmSample(pixels)
    hands = engine_pipeline().locator.locate_all(sample)
    wanted = _moved_into(asked, place, hands[0], pixels) if hands else None
    return wanted, bool(hands) and wanted is None and _is_too_bright(sample, hands[0])


def _moved_into(
    asked: Outline, place: Outline, hand: PalmLandmarks, pixels: U8
) -> Outline | None:
    """Return where the palm has to be, to be seen in its outline; None: it is."""
    height, width = pixels.shape[:2]
    x, y = palm_centre(hand.points) / (width, height)
    wider = palm_width(hand.points) / min(width, height) / asked.size
    if max(abs(x - asked.x), abs(y - asked.y)) <= _OFF and abs(wider - 1) <= _OFF_SIZE:
        return None
    size = place.size / float(np.clip(wider, 0.5, 2))
    return Outline(float(place.x - x + asked.x), float(place.y - y + asked.y), size)


def _is_too_bright(sample: PalmSample, hand: PalmLandmarks) -> bool:
    try:
        engine_pipeline().extractor.extract(sample, hand)
    except QualityTooLow as refusal:
        return refusal.reason is QualityReason.TOO_BRIGHT
    except EngineError:
        return False
    return False


@cache
def engine_pipeline() -> PalmPipeline:
    """Return the engine, loaded once. Raises ``ModelFault``."""
    return load_pipeline(EngineSettings())


_POSED: Final = Challenge((Step(Motion.FOLD_THUMB, Outline(0.5, 0.62, 0.26), 1.0),))


@dataclass(frozen=True, slots=True)
class Victim:
    """The person whose palm is presented; ``photo``: a real picture, else one is drawn."""

    person_seed: int
    hand: Hand
    photo: U8 | None = field(repr=False, default=None)


def stolen_picture(rng: np.random.Generator, victim: Victim) -> Picture:
    """Return a photo of the victim's open palm, as it would be printed or shown."""
    if victim.photo is not None:
        return _located(victim.photo)
    scene = Scene(rng, CAMERAS[0], LAMPS[int(rng.integers(3))])
    living = LivingHand(rng, victim.person_seed, victim.hand, Performance(rng, _POSED))
    moment = Moment(0, Phase.OPEN, 0.0)
    hand = living.drawn(scene, moment)
    pixels = scene.take(hand.over(scene.background(0.0)))
    scale = float(np.linalg.norm(hand.joints[5] - hand.joints[17]))
    coverage = hand.coverage_of(scene.camera.size_px)
    return picture_of(pixels, hand.joints, scissors(coverage, scale, rng))


def _located(photo: U8) -> Picture:
    """Find the hand in a real picture; the scissors follow its landmarks."""
    encoded = cv2.imencode(".png", photo[:, :, ::-1])[1].tobytes()
    sample, landmarks = engine_pipeline().locate(encoded)
    joints = landmarks.points.astype(float)
    return picture_of(sample.pixels, joints, _fattened(joints, sample.pixels.shape[:2]))


def _fattened(joints: F64, shape: tuple[int, ...]) -> F32:
    """Return the outline of a hand with these landmarks, a little too wide."""
    mask = np.zeros(shape[:2], np.uint8)
    scale = float(np.linalg.norm(joints[5] - joints[17]))
    points = np.round(joints).astype(int)
    palm = points[[0, 1, 2, 5, 9, 13, 17]]
    cv2.fillConvexPoly(mask, cv2.convexHull(palm), 1)
    cv2.polylines(mask, [palm], isClosed=True, color=1, thickness=int(0.3 * scale))
    for chain in (anatomy.THUMB, *anatomy.FINGERS):
        cv2.polylines(
            mask, [points[list(chain)]], isClosed=False, color=1, thickness=int(0.36 * scale)
        )
    return np.asarray(cv2.GaussianBlur(mask.astype(np.float32), (0, 0), 1.5), dtype=np.float32)


def recorded(scene: Scene, filmed: LivingHand, performance: Performance) -> Source:
    """Return a film; the thief starts each step's part when that step is asked.

    The landmarks of its pictures are where their step begins.
    """
    landmarks: dict[int, F64] = {}

    def at(moment: Moment) -> Picture:
        hand = filmed.drawn(scene, moment)
        joints = landmarks.setdefault(moment.step, hand.joints)
        background = scene.background(performance.start_s(moment.step) + moment.at_s)
        pixels = scene.take(hand.over(background))
        return picture_of(pixels, joints, hand.coverage_of(scene.camera.size_px))

    return at


def recaptured(rng: np.random.Generator, victim: Victim, performance: Performance) -> Presenter:
    """Return a living hand's session, shown without loss and taken again, pixel by pixel."""
    living = LivingHand(rng, victim.person_seed, victim.hand, performance)

    @cache
    def film_before(scene: Scene) -> Source:
        lamp = LAMPS[int(rng.integers(len(LAMPS)))]
        return recorded(Scene(rng, scene.camera, lamp), living, performance)

    return lambda scene, moment: film_before(scene)(moment).tone


_FILMED_WITH: Final = CAMERAS[1]


def film(rng: np.random.Generator, victim: Victim, asked: Challenge) -> Source:
    """Film the victim's answer to another challenge with the asked motions."""
    other = draw_challenge(random.Random(int(rng.integers(2**32))))  # noqa: S311
    pairs = zip(other.steps, asked.steps, strict=False)
    other = Challenge(tuple(replace(mine, motion=step.motion) for mine, step in pairs))
    scene = Scene(rng, _FILMED_WITH, LAMPS[int(rng.integers(len(LAMPS)))])
    performance = Performance(rng, other)
    living = LivingHand(rng, victim.person_seed, victim.hand, performance)
    return recorded(scene, living, performance)
