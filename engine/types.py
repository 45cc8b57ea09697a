"""The engine's values. All are frozen; arrays are never modified or printed."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, NewType
from uuid import UUID

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ExtractorId = NewType("ExtractorId", str)
"""An extractor with its preprocessing. Scores of two extractors are never compared."""

ReferenceId = NewType("ReferenceId", UUID)
"""A reference in the gallery. Random; made by the caller."""

GroupId = NewType("GroupId", UUID)
"""Opaque owner of a set of references."""


class Hand(StrEnum):
    """Left and right hands are never compared."""

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
    COVERED = "covered"


@dataclass(frozen=True, slots=True)
class PalmSample:
    """A decoded picture, upright, not mirrored.

    Attributes:
        pixels: shape (height, width, 3), uint8, RGB, C-contiguous.
    """

    pixels: NDArray[np.uint8] = field(repr=False)


@dataclass(frozen=True, slots=True)
class PalmLandmarks:
    """Place and side of a hand in a sample.

    Attributes:
        points: shape (21, 2), float32, pixels of the sample, x right, y down; as in MediaPipe
            Hands: 0 wrist, 1–4 thumb, 5–8 index, 9–12 middle, 13–16 ring finger, 17–20 little.
        presence: probability of a hand, 0 to 1.
    """

    points: NDArray[np.float32] = field(repr=False)
    hand: Hand
    presence: float


@dataclass(frozen=True, slots=True)
class PalmRoi:
    """The region of interest: the palm's square, upright; right hands are mirrored.

    Attributes:
        pixels: shape (size, size), float32, grey, 0 to 255; not rounded.
        corners: shape (4, 2), float32, pixels of the sample, clockwise from the top-left.
        residual: misfit to the mean palm (RMS), in distances of landmarks 5 and 17.
        scale_px: side in pixels of the sample.
        inside_share: share inside the sample, 0 to 1.
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
        reason: the first gate that failed.
        focus: higher is sharper.
        exposure: mean grey level, 0 to 255.
        noise: change from pixel to pixel against fine detail; a sharp palm has about 1.
        texture: fine detail, grey levels.
    """

    score: int
    reason: QualityReason | None
    focus: float
    exposure: float
    clipped_share: float
    residual: float
    inside_share: float
    scale_px: float
    noise: float
    texture: float


@dataclass(frozen=True, slots=True, eq=False)
class PalmTemplate:
    """Features of one palm, comparable with templates of the same extractor and hand.

    Attributes:
        vector: shape (dimension,), float32, L2 norm 1, finite; what the gallery searches.
        code: shape (code_bytes,), uint8: the packed competitive codes, for exact comparison.
        dense: shape (4096,), uint8: of a probe, the same codes with four times as many cells,
            by which it is aligned with a reference; none is enrolled.
    """

    extractor: ExtractorId
    hand: Hand
    vector: NDArray[np.float32] = field(repr=False)
    code: NDArray[np.uint8] = field(repr=False)
    dense: NDArray[np.uint8] | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Extraction:
    """A template, its ROI and its quality; ``extract`` returns what passed every gate."""

    template: PalmTemplate
    roi: PalmRoi
    quality: Quality


@dataclass(frozen=True, slots=True)
class Reference:
    """A template of an enrolled palm, and its group."""

    reference_id: ReferenceId
    group_id: GroupId
    template: PalmTemplate


@dataclass(frozen=True, slots=True)
class Candidate:
    """A group's best reference and its comparison score."""

    reference_id: ReferenceId
    group_id: GroupId
    score: float = field(repr=False)


@dataclass(frozen=True, slots=True)
class Match:
    """The probe belongs to this group."""

    reference_id: ReferenceId
    group_id: GroupId


class NonMatchReason(StrEnum):
    """Why there is no match. Stable."""

    BELOW_THRESHOLD = "below_threshold"
    TOO_CLOSE = "too_close"


@dataclass(frozen=True, slots=True)
class NonMatch:
    """The probe matches no group, or several."""

    reason: NonMatchReason = NonMatchReason.BELOW_THRESHOLD


Decision = Match | NonMatch
"""Result of ``engine.decision.decide``."""
