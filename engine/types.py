"""The values of the engine, in the order in which they are made.

All are frozen; arrays are never modified after a value is made and never printed. A type
that exists is proof that its check was made by the one function that makes it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, NewType
from uuid import UUID

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ExtractorId = NewType("ExtractorId", str)
"""Names an extractor and its preprocessing, for example ``compcode-2``. Scores of two
extractors are never compared."""

ReferenceId = NewType("ReferenceId", UUID)
"""One reference in the gallery. Random; made by the caller."""

GroupId = NewType("GroupId", UUID)
"""Whoever the caller says owns a set of references. The engine never learns what it is."""


class Hand(StrEnum):
    """The side of the body. Left and right are never compared."""

    LEFT = "left"
    RIGHT = "right"

    @property
    def other(self) -> Hand:
        """The other side."""
        return Hand.LEFT if self is Hand.RIGHT else Hand.RIGHT


class QualityReason(StrEnum):
    """Which gate of the quality check failed. Stable: phones show an instruction for each."""

    TOO_BLURRED = "too_blurred"
    TOO_DARK = "too_dark"
    TOO_BRIGHT = "too_bright"
    OUT_OF_FRAME = "out_of_frame"
    TOO_SMALL = "too_small"
    BAD_POSE = "bad_pose"


@dataclass(frozen=True, slots=True)
class PalmSample:
    """A decoded picture, upright (EXIF orientation applied), not mirrored.

    Attributes:
        pixels: shape (height, width, 3), uint8, RGB, C-contiguous.
    """

    pixels: NDArray[np.uint8] = field(repr=False)


@dataclass(frozen=True, slots=True)
class PalmLandmarks:
    """Where the hand is.

    Attributes:
        points: shape (21, 2), float32, pixels of the sample, x right, y down; order of
            MediaPipe Hands: 0 wrist, 1–4 thumb, 5–8 index, 9–12 middle, 13–16 ring,
            17–20 little.
        hand: which hand was recognised.
        presence: certainty that a hand is there, 0 to 1.
    """

    points: NDArray[np.float32] = field(repr=False)
    hand: Hand
    presence: float


@dataclass(frozen=True, slots=True)
class PalmRoi:
    """The region of interest: the palm's square, cut and turned upright.

    Both hands share one frame (index side left, fingers up): right hands are mirrored.

    Attributes:
        pixels: shape (size, size), float32, grey, 0 to 255; not rounded.
        hand: the side of the body it was cut from.
        corners: shape (4, 2), float32, pixels of the sample: top-left, top-right, bottom-right,
            bottom-left of the ROI as cut.
        residual: root mean square distance of the landmarks from the fitted mean palm, in units
            of the distance between landmarks 5 and 17. Measures the pose; 0 is perfect.
        scale_px: side of the ROI in pixels of the sample.
        inside_share: share of the ROI's pixels that lie inside the sample, 0 to 1.
    """

    pixels: NDArray[np.float32] = field(repr=False)
    hand: Hand
    corners: NDArray[np.float32] = field(repr=False)
    residual: float
    scale_px: float
    inside_share: float


@dataclass(frozen=True, slots=True)
class Quality:
    """How good a ROI is (ISO/IEC 29794-1).

    Attributes:
        score: 0 to 100, higher is better.
        reason: the first gate that failed, or None if the ROI may be used.
        focus: sharpness, independent of brightness; higher is sharper.
        exposure: mean grey level, 0 to 255.
        clipped_share: share of pixels that are nearly black or nearly white, 0 to 1.
        residual: as in ``PalmRoi``.
        inside_share: as in ``PalmRoi``.
        scale_px: as in ``PalmRoi``.
    """

    score: int
    reason: QualityReason | None
    focus: float
    exposure: float
    clipped_share: float
    residual: float
    inside_share: float
    scale_px: float


@dataclass(frozen=True, slots=True, eq=False)
class PalmTemplate:
    """Features of one palm, comparable with templates of the same extractor and hand.

    Attributes:
        extractor: which extractor made it.
        hand: side of the body.
        vector: shape (dimension,), float32, L2 norm 1, finite. What the gallery searches.
        code: shape (code_bytes,), uint8: packed bit planes of the competitive code, for the
            exact comparison of a short list.
    """

    extractor: ExtractorId
    hand: Hand
    vector: NDArray[np.float32] = field(repr=False)
    code: NDArray[np.uint8] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Extraction:
    """All that one picture gave.

    Attributes:
        template: made from a palm that passed every quality gate: for any other,
            ``QualityTooLow`` was raised.
        roi: the region the template was made from.
        quality: its quality.
    """

    template: PalmTemplate
    roi: PalmRoi
    quality: Quality


@dataclass(frozen=True, slots=True)
class Reference:
    """A template kept for an enrolled palm, and the group it belongs to."""

    reference_id: ReferenceId
    group_id: GroupId
    template: PalmTemplate


@dataclass(frozen=True, slots=True)
class Candidate:
    """One line of a candidate list: the best reference of a group and its comparison score.

    Attributes:
        reference_id: the reference that scored best.
        group_id: its group.
        score: comparison score of the extractor, higher is more similar.
    """

    reference_id: ReferenceId
    group_id: GroupId
    score: float = field(repr=False)


@dataclass(frozen=True, slots=True)
class Match:
    """The decision that the probe is of this group."""

    reference_id: ReferenceId
    group_id: GroupId


class NonMatchReason(StrEnum):
    """Why nobody was found. Stable."""

    BELOW_THRESHOLD = "below_threshold"
    TOO_CLOSE = "too_close"


@dataclass(frozen=True, slots=True)
class NonMatch:
    """The decision that the probe is of nobody who was searched, or of nobody for certain.

    Attributes:
        reason: no score reached the threshold, or two groups scored nearly the same.
    """

    reason: NonMatchReason = NonMatchReason.BELOW_THRESHOLD


Decision = Match | NonMatch
"""What ``engine.decision.decide`` returns; matched exhaustively by its callers."""
