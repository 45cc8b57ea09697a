"""The attacker's picture of a victim's palm, drawn or given."""

from dataclasses import dataclass, field
from typing import Final

import cv2
import numpy as np

from engine.presentation_attack.challenge import Challenge, Motion, Outline, Step
from engine.presentation_attack.session import Phase
from engine.types import Hand
from models.synthesis import anatomy
from models.synthesis.anatomy import F32, F64, U8
from models.synthesis.presentations.artefacts import Picture, picture_of, scissors
from models.synthesis.presentations.cameras import CAMERAS
from models.synthesis.presentations.lamps import LAMPS
from models.synthesis.presentations.living_hand import LivingHand
from models.synthesis.presentations.page_view import engine_pipeline
from models.synthesis.presentations.performance import Moment, Performance
from models.synthesis.presentations.scene import Scene


@dataclass(frozen=True, slots=True)
class Still:
    """One picture throughout."""

    picture: Picture

    def at(self, moment: Moment) -> Picture:
        """Return the picture."""
        return self.picture


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
