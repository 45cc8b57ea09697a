"""Locates 21 landmarks of one palm in a sample.

Refuses backs of hands: the knuckles' order must agree with the hand that the network sees, and
the thumb must not lie behind the palm. Clients must not flip pictures: a flipped palm looks
like the other hand's.

The pose is measured, too: left or right, palm or back, width and flatness.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from engine import parameters as tuned
from engine.errors import BackOfHand, FailureToAcquire, PalmNotFound, QualityTooLow
from engine.hand.detector import Network, SearchedPicture, detect_hands
from engine.hand.reading import Reading, follow_hand, read_hands
from engine.parameters import ROI_FIT_LANDMARKS
from engine.roi import misfit
from engine.types import Hand, PalmLandmarks, PalmSample, QualityReason

Points = NDArray[np.float64]

_WRIST, _INDEX, _LITTLE = 0, 5, 17
_THUMB = (1, 2, 3, 4)


@dataclass(frozen=True, slots=True)
class HandPose:
    """A hand that was read, measured.

    Attributes:
        points: shape (21, 2), float64, pixels of the picture.
        presence: probability of a hand.
        hand: the hand, if it shows its palm.
        palm_certainty: agreement of its appearance with ``hand``; near 0 the back is shown.
        thumb_lift: from ``thumb_lift``; positive for palms.
        width: distance of landmarks 5 and 17, pixels of the picture.
        residual: misfit to the mean palm (RMS), in that unit.
    """

    points: Points = field(repr=False)
    presence: float
    hand: Hand
    palm_certainty: float
    thumb_lift: float
    width: float
    residual: float


def poses_of(readings: Sequence[Reading]) -> list[HandPose]:
    """Measure the hands that were read."""
    return [_pose_of(reading) for reading in readings]


def palmar_side(points: Points) -> Hand:
    """Return which hand it is if it shows its palm, by the place of the little finger."""
    across, down = points[_LITTLE] - points[_INDEX], points[_WRIST] - points[_INDEX]
    cross = across[0] * down[1] - across[1] * down[0]
    return Hand.RIGHT if cross < 0 else Hand.LEFT


def thumb_lift(world: Points) -> float:
    """Return how far the thumb lies in front of the palm's plane.

    Args:
        world: shape (21, 3), any unit, z away from the camera.

    Returns:
        In distances of landmarks 5 and 17; −∞ without a plane.
    """
    across, down = world[_LITTLE] - world[_INDEX], world[_WRIST] - world[_INDEX]
    normal = np.cross(across, down)
    size = float(np.linalg.norm(normal) * np.linalg.norm(across))
    if not size > 0.0:
        return -np.inf
    towards_camera = -1.0 if normal[2] > 0 else 1.0
    depth = (world[list(_THUMB)] - world[_INDEX]) @ normal
    return towards_camera * float(depth.mean()) / size


def _pose_of(reading: Reading) -> HandPose:
    hand = palmar_side(reading.points)
    certainty = reading.right if hand is Hand.RIGHT else 1.0 - reading.right
    lift = thumb_lift(reading.world)
    measures = hand, certainty, lift, *_size_and_misfit(reading.points, hand)
    return HandPose(reading.points, reading.presence, *measures)


def _size_and_misfit(points: Points, hand: Hand) -> tuple[float, float]:
    """Return the palm's width and misfit; 0 and ∞ if the points span no palm."""
    flip = -1.0 if hand is Hand.RIGHT else 1.0
    try:
        return misfit(points[list(ROI_FIT_LANDMARKS)] * (flip, 1.0))
    except PalmNotFound:
        return 0.0, np.inf


class LandmarkLocator:
    """Finds the palm of a sample with two networks of the manifest. Thread-safe."""

    def __init__(self, detector: Network, landmark_model: Network) -> None:
        self._detector = detector
        self._landmark_model = landmark_model

    def locate(self, sample: PalmSample) -> PalmLandmarks:
        """Return the landmarks of the palm; of several, the largest convincing one.

        Raises:
            PalmNotFound: no open hand, or too small a one.
            BackOfHand: the hand shows its back.
            QualityTooLow: the hand is too dark to see its side.
        """
        return self._palms(sample)[0]

    def locate_all(self, sample: PalmSample) -> list[PalmLandmarks]:
        """Return every convincing palm, largest first; else the likeliest; empty if none."""
        try:
            return self._palms(sample)
        except FailureToAcquire:
            return []

    def follow(self, sample: PalmSample, points: NDArray[np.float32]) -> PalmLandmarks | None:
        """Read a hand near where it was, shape (21, 2), open or not; None if it is gone."""
        picture = SearchedPicture(sample)
        reading = follow_hand(self._landmark_model, picture, points / picture.scale)
        if reading.presence < tuned.HAND_MIN_FIRST_PRESENCE:
            return None
        return _landmarks(poses_of([reading])[0], picture.scale)

    def _palms(self, sample: PalmSample) -> list[PalmLandmarks]:
        """Return the convincing palms of the first attempt that has any, else the likeliest."""
        picture = SearchedPicture(sample)
        uncertain: list[HandPose] = []
        for tint, border in picture.attempts:
            hands = detect_hands(self._detector, picture.look(tint=tint, border=border))
            readings = read_hands(self._landmark_model, picture, hands[: tuned.HANDS_READ])
            poses = _open_hands(poses_of(readings), picture)
            convincing = [pose for pose in poses if _is_convincing(pose)]
            if convincing:
                convincing.sort(key=lambda pose: pose.width, reverse=True)
                return [_landmarks(pose, picture.scale) for pose in convincing]
            uncertain += poses
        possible = [pose for pose in uncertain if _is_possible(pose)]
        if not possible:
            raise _refusal(sample, uncertain)
        likeliest = max(possible, key=lambda pose: pose.palm_certainty)
        return [_landmarks(likeliest, picture.scale)]


def _open_hands(poses: list[HandPose], picture: SearchedPicture) -> list[HandPose]:
    """Drop hands that are closed, or too small to show lines."""
    min_width = tuned.HAND_MIN_WIDTH_PX / float(picture.scale.max())
    return [
        pose
        for pose in poses
        if pose.presence >= tuned.HAND_MIN_PRESENCE
        and pose.residual <= tuned.HAND_MAX_RESIDUAL
        and pose.width >= min_width
    ]


def _is_convincing(pose: HandPose) -> bool:
    return (
        pose.palm_certainty >= tuned.HAND_CONVINCING_CERTAINTY
        and pose.thumb_lift >= tuned.HAND_CONVINCING_THUMB_LIFT
        and pose.residual <= tuned.HAND_CONVINCING_RESIDUAL
    )


def _is_possible(pose: HandPose) -> bool:
    certain = pose.palm_certainty >= tuned.HAND_MIN_PALM_CERTAINTY
    return certain and pose.thumb_lift >= tuned.HAND_MIN_THUMB_LIFT


def _refusal(sample: PalmSample, hands: list[HandPose]) -> FailureToAcquire:
    """Return why no hand that was seen is a palm."""
    if not hands:
        return PalmNotFound("no palm was found")
    if np.percentile(sample.pixels, 95) < tuned.DARK_PICTURE_LEVEL:
        return QualityTooLow(QualityReason.TOO_DARK)
    return BackOfHand("the hand shows its back")


def _landmarks(pose: HandPose, scale: Points) -> PalmLandmarks:
    points = (pose.points * scale).astype(np.float32)
    return PalmLandmarks(points, pose.hand, pose.presence)
