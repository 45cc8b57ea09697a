"""Each gate closes for its own reason, and only for that."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from engine.errors import QualityTooLow
from engine.quality import require_usable
from engine.types import Hand, PalmRoi, QualityReason
from tests.support.palms.reference_extractor import assess


def skin(*, mean: float = 150.0, seed: int = 3) -> np.ndarray:
    """Texture with detail of all sizes, falling as skin's does, and some lines."""
    rng = np.random.default_rng(seed)
    layers = [
        weight * cv2.GaussianBlur(rng.normal(0, 1, (128, 128)), (0, 0), sigma) * sigma
        for sigma, weight in ((1.0, 2.0), (2.0, 4.0), (4.0, 6.0), (8.0, 8.0))
    ]
    drawn = np.sum(layers, axis=0)
    for row in (30, 60, 95):
        cv2.line(drawn, (0, row), (127, row + 20), -40.0, 2, cv2.LINE_AA)
    return np.asarray(np.clip(drawn + mean, 0, 255), np.float32)


GOOD = PalmRoi(
    pixels=skin(),
    hand=Hand.LEFT,
    corners=np.zeros((4, 2), np.float32),
    residual=0.03,
    scale_px=300.0,
    inside_share=1.0,
)


def blurred(sigma: float) -> np.ndarray:
    """The good region out of focus."""
    return cv2.GaussianBlur(GOOD.pixels, (0, 0), sigma)


def test_a_good_palm_passes_every_gate():
    """The table below changes one thing of this one at a time."""
    quality = require_usable(assess(GOOD))

    assert quality.reason is None
    assert quality.score == 100


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"pixels": blurred(5.0)}, QualityReason.TOO_BLURRED),
        ({"pixels": np.full((128, 128), 128, np.float32)}, QualityReason.TOO_BLURRED),
        ({"pixels": (GOOD.pixels * 0.08).astype(np.float32)}, QualityReason.TOO_DARK),
        ({"pixels": np.zeros((128, 128), np.float32)}, QualityReason.TOO_DARK),
        ({"pixels": np.full((128, 128), 255, np.float32)}, QualityReason.TOO_BRIGHT),
        (
            {"pixels": np.where(np.arange(128) < 70, 255, GOOD.pixels).astype(np.float32)},
            QualityReason.TOO_BRIGHT,
        ),
        (
            {"pixels": np.where(np.arange(128) < 70, 0, GOOD.pixels).astype(np.float32)},
            QualityReason.TOO_DARK,
        ),
        ({"inside_share": 0.9}, QualityReason.OUT_OF_FRAME),
        ({"scale_px": 40.0}, QualityReason.TOO_SMALL),
        ({"residual": 0.2}, QualityReason.BAD_POSE),
        ({"residual": float("nan")}, QualityReason.BAD_POSE),
    ],
)
def test_one_wrong_thing_closes_one_gate(change, reason):
    """The phone shows an instruction for the reason: a wrong one sends people astray."""
    bad = replace(GOOD, **change)

    quality = assess(bad)
    assert (quality.reason, quality.score) == (reason, 0)
    with pytest.raises(QualityTooLow) as refused:
        require_usable(assess(bad))
    assert refused.value.reason is reason


@pytest.mark.parametrize(
    "change",
    [
        {"pixels": (GOOD.pixels * 0.15).astype(np.float32)},
        {"pixels": blurred(3.0)},
        {"pixels": np.where(np.arange(128) < 50, 0, GOOD.pixels).astype(np.float32)},
        {"scale_px": np.float32(63.99999)},
    ],
)
def test_what_can_be_recognised_is_not_refused(change):
    """Sensors differ: dim, near infrared, padded, of 64 pixels. A refused one never matches."""
    quality = require_usable(assess(replace(GOOD, **change)))

    assert 1 <= quality.score < 60


def test_a_gate_is_open_at_its_limit():
    """Limits say from where on a picture is taken."""
    assert assess(replace(GOOD, residual=0.13)).reason is None
    assert assess(replace(GOOD, residual=0.1301)).reason is QualityReason.BAD_POSE
