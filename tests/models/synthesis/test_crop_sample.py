"""Samples of drawn palms: one field for all layers, and what stays the same between two."""

from dataclasses import replace

import cv2
import numpy as np

from engine.features.competitive_code import normalise
from models.synthesis.crop.identity import draw_identity
from models.synthesis.crop.sample import CropSampler
from models.synthesis.crop.style import Variation, draw_framing, draw_style


def test_samples_of_one_palm_are_alike_and_of_two_are_not():
    """Otherwise there is nothing to learn, or nothing but noise."""
    sampler = CropSampler(replace(Variation(), covered_share=0.0))
    palms = [_palm(seed) for seed in range(16)]
    one, other = (
        [sampler.sample(palm, np.random.default_rng((v, i))) for i, palm in enumerate(palms)]
        for v in (1, 2)
    )

    mated = [_likeness(a, b) for a, b in zip(one, other, strict=True)]
    non_mated = [_likeness(a, b) for a, b in zip(one, other[1:] + other[:1], strict=True)]
    assert np.median(mated) > 0.3
    assert np.median(mated) > max(np.median(non_mated), 0) + 0.15


def _palm(seed):
    """Draw one palm of a separate family."""
    style = draw_style(
        np.random.default_rng((seed, 1)), draw_framing(np.random.default_rng((seed, 0)))
    )
    return draw_identity(style, np.random.default_rng((seed, 2)))


def _likeness(one, other):
    """Return the best correlation of two normalised crops over small shifts."""
    first, second = (
        cv2.GaussianBlur(
            normalise(crop.astype(np.float32), np.zeros(crop.shape, bool)), (0, 0), 1.5
        )
        for crop in (one, other)
    )
    return float(cv2.matchTemplate(first, second[20:-20, 20:-20], cv2.TM_CCOEFF_NORMED).max())
