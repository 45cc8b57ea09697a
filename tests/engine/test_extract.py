"""A drawn palm becomes a template that its other pictures match and other palms do not."""

import math

import cv2
import numpy as np
import pytest

from engine.comparison.compare import compare
from engine.errors import ExtractorMismatch
from engine.extract import load_extractor
from engine.features.code_bytes import directions_of
from engine.features.competitive_code import find_lines
from engine.parameters import CODE_BYTES
from engine.settings import PALM_GRAPH, EngineSettings
from engine.template_codec import require_valid
from engine.types import Extraction, PalmSample
from tests.engine.test_roi import landmarks_at
from tests.support.palms.reference_extractor import ReferenceExtractor, encode_lines

EXTRACTOR = ReferenceExtractor()


def palm(seed: int, *, shot: int = 0, size: int = 600) -> np.ndarray:
    """Skin with a dozen creases, RGB; another shot is lit and blurred differently."""
    rng = np.random.default_rng(seed)
    skin = np.full((size, size), 165.0, np.float32)
    for _ in range(14):
        start, way = rng.uniform(0.2, 0.8, 2) * size, rng.uniform(0, math.tau)
        steps = np.linspace(0, rng.uniform(0.2, 0.5) * size, 30)
        bend = way + rng.uniform(-1.5, 1.5) * steps / size
        points = start + np.stack([steps * np.cos(bend), steps * np.sin(bend)], axis=1)
        width = int(rng.integers(3, 7))
        cv2.polylines(
            skin,
            [points.astype(np.int32)],
            isClosed=False,
            color=110.0,
            thickness=width,
            lineType=cv2.LINE_AA,
        )
    chance = np.random.default_rng((seed, shot))
    skin += cv2.GaussianBlur(rng.normal(0, 30, skin.shape).astype(np.float32), (0, 0), 2.5)
    skin *= 1 + 0.1 * chance.normal() * np.linspace(-1, 1, size, dtype=np.float32)
    skin += chance.normal(0, 2, skin.shape).astype(np.float32)
    grey = np.clip(skin, 0, 255).astype(np.uint8)
    return np.dstack([grey] * 3)


def extract(seed: int, *, shot: int = 0, angle_rad: float = 0.0, x: float = 0.0) -> Extraction:
    """The extraction of a drawn palm, with landmarks misplaced by an angle and a distance."""
    marks = landmarks_at(centre=(300 + x, 190), scale=250, angle_rad=angle_rad)
    return EXTRACTOR.extract(PalmSample(palm(seed, shot=shot)), marks)


def lines_of(angle_rad: float) -> np.ndarray:
    """Dark lines on grey, 24 pixels apart, at an angle from the vertical, down to the left."""
    y, x = np.mgrid[:128, :128].astype(np.float32)
    across = x * math.cos(angle_rad) + y * math.sin(angle_rad)
    return np.where(np.mod(across, 24) < 5, 90, 160).astype(np.float32)


def test_another_picture_of_the_palm_scores_higher_than_any_other_palm():
    """One palm under other light, with noise and displaced, is found among twelve."""
    own = extract(1).template
    again = extract(1, shot=1, angle_rad=0.05, x=8).template
    others = [extract(seed).template for seed in range(2, 14)]

    assert compare(own, again) > max(compare(own, other) for other in others) + 0.05
    cosines = [float(own.vector @ other.vector) for other in others]
    assert float(own.vector @ again.vector) > max(cosines) + 0.1


@pytest.mark.parametrize("direction", range(6))
def test_lines_get_the_direction_in_which_they_run(direction):
    """Codes of two releases compare only if direction 2 stays direction 2."""
    drawn = lines_of(direction * math.pi / 6)
    found = directions_of(encode_lines(find_lines(drawn)))
    inside = np.s_[4:-4, 4:-4]
    on_a_line = (drawn[2::4, 2::4] < 100)[inside]

    assert np.mean(found[inside][on_a_line] == direction) > 0.95


def test_the_previous_extractor_is_the_first_code_of_the_same_file():
    """Its references are found until their people moved, and never compared with two codes."""
    sample, marks = PalmSample(palm(1)), landmarks_at(centre=(300, 190), scale=250)
    now, before = (
        load_extractor(EngineSettings(palm_graph=name)).extract(sample, marks).template
        for name in (PALM_GRAPH, "palm_print_net_2")
    )

    assert require_valid(now) is now
    assert require_valid(before) is before
    assert np.array_equal(before.code, now.code[:CODE_BYTES])
    assert np.array_equal(before.vector, now.vector)
    assert before.dense is None
    with pytest.raises(ExtractorMismatch):
        compare(now, before)
