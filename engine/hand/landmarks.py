"""Locates 21 landmarks of one palm in a sample.

Refuses backs of hands: the knuckles' order must agree with the hand that the network sees, and
the thumb must not lie behind the palm. Clients must not flip pictures: a flipped palm looks
like the other hand's.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine import parameters as tuned
from engine.errors import BackOfHand, FailureToAcquire, PalmNotFound, QualityTooLow
from engine.hand.detector import Network, detect_hands
from engine.hand.picture import SearchedPicture
from engine.hand.pose import HandPose, poses_of
from engine.hand.reading import follow_hand, read_hands
from engine.types import PalmLandmarks, PalmSample, QualityReason

Points = NDArray[np.float64]


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
