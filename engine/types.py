"""The engine's values, in the order in which they are made.

All are frozen. Arrays are never modified after a value is made, and never printed.
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
"""Name of an extractor with its preprocessing, for example ``compcode-2``. Scores of two
extractors are never compared."""

ReferenceId = NewType("ReferenceId", UUID)
"""One reference in the gallery. Random; made by the caller."""

GroupId = NewType("GroupId", UUID)
"""Owner of a set of references. Opaque: the engine never learns who it is."""


class Hand(StrEnum):
    """Left or right hand. The two are never compared."""

    LEFT = "left"
    RIGHT = "right"

    @property
    def other(self) -> Hand:
        """The other hand."""
        return Hand.LEFT if self is Hand.RIGHT else Hand.RIGHT


class QualityReason(StrEnum):
    """The quality gate that failed. Stable: phones show an instruction for each."""

    TOO_BLURRED = "too_blurred"
    TOO_DARK = "too_dark"
    TOO_BRIGHT = "too_bright"
    OUT_OF_FRAME = "out_of_frame"
    TOO_SMALL = "too_small"
    BAD_POSE = "bad_pose"


@dataclass(frozen=True, slots=True)
class PalmSample:
    """A decoded picture, upright (EXIF applied), not mirrored.

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
        presence: probability that there is a hand, 0 to 1.
    """

    points: NDArray[np.float32] = field(repr=False)
    hand: Hand
    presence: float


@dataclass(frozen=True, slots=True)
class PalmRoi:
    """The region of interest: the palm's square, upright.

    Right hands are mirrored, so both share one frame: index finger left, fingers up.

    Attributes:
        pixels: shape (size, size), float32, grey, 0 to 255; not rounded.
        corners: shape (4, 2), float32, pixels of the sample, clockwise from the ROI's top-left.
        residual: root mean square distance of the landmarks from the fitted mean palm, in units
            of the distance between landmarks 5 and 17; 0 is a perfect pose.
        scale_px: side of the ROI in pixels of the sample.
        inside_share: share of the ROI inside the sample, 0 to 1.
    """

    pixels: NDArray[np.float32] = field(repr=False)
    hand: Hand
    corners: NDArray[np.float32] = field(repr=False)
    residual: float
    scale_px: float
    inside_share: float


@dataclass(frozen=True, slots=True)
class Quality:
    """Quality of a ROI (ISO/IEC 29794-1).

    Attributes:
        score: 0 to 100, higher is better.
        reason: the first gate that failed; None if the ROI may be used.
        focus: sharpness, independent of brightness; higher is sharper.
        exposure: mean grey level, 0 to 255.
        clipped_share: share of nearly black or white pixels, 0 to 1.
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
    """The result of one picture: a template that passed every quality gate, and its ROI."""

    template: PalmTemplate
    roi: PalmRoi
    quality: Quality


@dataclass(frozen=True, slots=True)
class Reference:
    """A template of an enrolled palm, and the group it belongs to."""

    reference_id: ReferenceId
    group_id: GroupId
    template: PalmTemplate


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entry of a candidate list: a group's best reference and its comparison score."""

    reference_id: ReferenceId
    group_id: GroupId
    score: float = field(repr=False)


@dataclass(frozen=True, slots=True)
class Match:
    """The decision that the probe belongs to this group."""

    reference_id: ReferenceId
    group_id: GroupId


class NonMatchReason(StrEnum):
    """Why there is no match. Stable."""

    BELOW_THRESHOLD = "below_threshold"
    TOO_CLOSE = "too_close"


@dataclass(frozen=True, slots=True)
class NonMatch:
    """The decision that the probe matches no group, or not one alone."""

    reason: NonMatchReason = NonMatchReason.BELOW_THRESHOLD


Decision = Match | NonMatch
"""Result of ``engine.decision.decide``."""
