"""An engine without networks: pictures that say whose palm they show, honest comparison.

The pictures are real PNG files that go through the real decoder; their first pixels name
person, side and shot. Templates have real competitive codes, so that the real comparison tells
people apart.
"""

from dataclasses import replace

import cv2
import numpy as np

from engine.decode import decode_sample
from engine.errors import BackOfHand, FailureToAcquire, PalmNotFound, QualityTooLow
from engine.features.code_bytes import pack_code
from engine.types import (
    Extraction,
    ExtractorId,
    Hand,
    PalmRoi,
    PalmTemplate,
    Quality,
    QualityReason,
)

FAKE_EXTRACTOR = ExtractorId("fake-1")
FAKE_DIMENSION = 32
CHANGED_CELLS = 0.08
"""Share of a code that differs between two shots of one palm."""

NO_HAND, BACK, DARK = 1, 2, 3
"""Defects a picture may have."""


def picture(
    person: int,
    hand: Hand = Hand.RIGHT,
    shot: int = 0,
    *,
    defect: int = 0,
    mixed: tuple[int, int] = (0, 0),
) -> bytes:
    """Return a PNG that the fake pipeline reads as a palm.

    ``mixed`` are another person and the percentage of the palm that is theirs.
    """
    pixels = np.full((32, 32, 3), 128, np.uint8)
    pixels[0, 2] = (*mixed, 0)
    pixels[0, 0] = (person // 256, person % 256, shot)
    pixels[0, 1] = (0 if hand is Hand.LEFT else 1, defect, 77)
    done, data = cv2.imencode(".png", pixels[:, :, ::-1])
    assert done
    return data.tobytes()


def shots(
    person: int, hand: Hand = Hand.RIGHT, count: int = 2, *, first: int = 0
) -> list[bytes]:
    """Return pictures of one palm."""
    return [picture(person, hand, shot) for shot in range(first, first + count)]


def template(person: int, hand: Hand = Hand.RIGHT, shot: int = 0) -> PalmTemplate:
    """Return the template of a shot of a person's palm.

    The two palms of a person are as different as those of two people.
    """
    palm = np.random.default_rng((person, hand is Hand.LEFT))
    noise = np.random.default_rng((person, hand is Hand.LEFT, shot))
    directions = palm.integers(0, 6, (32, 32))
    vector = palm.standard_normal(FAKE_DIMENSION) + 0.05 * noise.standard_normal(FAKE_DIMENSION)
    changed = noise.random((32, 32)) < CHANGED_CELLS
    directions[changed] = noise.integers(0, 6, int(changed.sum()))
    unit = (vector / np.linalg.norm(vector)).astype(np.float32)
    return PalmTemplate(
        FAKE_EXTRACTOR, hand, unit, pack_code(directions, np.ones((32, 32), np.bool_))
    )


def mixture(one: PalmTemplate, other: PalmTemplate, percent: int) -> PalmTemplate:
    """Return a template of which so many cells, spread over the palm, are of another one."""
    is_other = np.random.default_rng(0).permutation(32 * 32).reshape(32, 32) < percent * 10.24
    planes = np.packbits(is_other.reshape(-1), bitorder="little")
    cells = np.tile(planes, 4)
    vector = (100 - percent) * one.vector + percent * other.vector
    unit = (vector / np.linalg.norm(vector)).astype(np.float32)
    return replace(one, vector=unit, code=(one.code & ~cells) | (other.code & cells))


def partly_covered(bare: PalmTemplate, rows: int) -> PalmTemplate:
    """Return a template of which so many of 32 rows of cells show no palm."""
    code = bare.code.reshape(4, 32, 4).copy()
    code[:, :rows] = 0
    return replace(bare, code=code.reshape(-1))


class FakePipeline:
    """Reads the pictures above; refuses others as the real one does.

    Attributes:
        fault: raised instead of reading anything, if there is one.
    """

    def __init__(self) -> None:
        self.fault: Exception | None = None

    def extract_each(self, image: bytes) -> list[Extraction]:
        """Return the template of the one extractor."""
        return [self.extract(image)]

    def extract(self, image: bytes) -> Extraction:
        """Return the template of the palm the picture names."""
        if self.fault is not None:
            raise self.fault
        pixels = decode_sample(image).pixels
        if tuple(pixels.shape) != (32, 32, 3) or pixels[0, 1, 2] != 77:
            raise PalmNotFound("no hand in the picture")
        high, low, shot = (int(value) for value in pixels[0, 0])
        side, defect = int(pixels[0, 1, 0]), int(pixels[0, 1, 1])
        if defect:
            raise _fault(defect)
        hand = Hand.RIGHT if side else Hand.LEFT
        roi = PalmRoi(
            pixels[:, :, 0].astype(np.float32),
            hand,
            np.zeros((4, 2), np.float32),
            0.02,
            32.0,
            1.0,
        )
        quality = Quality(80, None, 1.0, 128.0, 0.0, 0.02, 1.0, 32.0, 1.0, 1.0)
        seen = template(256 * high + low, hand, shot)
        other, percent, _ = (int(value) for value in pixels[0, 2])
        if percent:
            seen = mixture(seen, template(other, hand, shot), percent)
        return Extraction(seen, roi, quality)


def _fault(defect: int) -> FailureToAcquire:
    match defect:
        case 1:
            return PalmNotFound("no hand in the picture")
        case 2:
            return BackOfHand("the back of a hand")
        case _:
            return QualityTooLow(QualityReason.TOO_DARK)
