"""Templates of palms look like templates of palms."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from engine.extract import load_extractor
from engine.features.code_bytes import directions_of, pack_code
from engine.plausibility import is_plausible
from engine.roi import landmarks_on_square
from engine.settings import EngineSettings
from engine.types import Hand, PalmSample, PalmTemplate
from models.synthesis.crop.variation import Variation
from models.training.sample_store import draw_samples

EXTRACTOR = load_extractor(EngineSettings())
EVERYWHERE = np.ones((32, 32), np.bool_)


@cache
def palms() -> tuple[PalmTemplate, ...]:
    """Templates of four drawn palms."""
    crops = draw_samples(3, range(4), 1, Variation(shift=0.0)).reshape(4, 128, 128)
    samples = [PalmSample(np.repeat(crop[..., None], 3, axis=2)) for crop in crops]
    landmarks = landmarks_on_square((128, 128), Hand.RIGHT)
    return tuple(EXTRACTOR.extract(each, landmarks).template for each in samples)


def patchwork(*, owners: np.ndarray) -> PalmTemplate:
    """A code of four palms, each cell its owner's, and the mean of their vectors."""
    directions = np.stack([directions_of(palm.code) for palm in palms()])
    code = pack_code(np.take_along_axis(directions, owners[None], 0)[0], EVERYWHERE)
    mean = np.mean([palm.vector for palm in palms()], axis=0)
    return replace(palms()[0], code=code, vector=mean / np.linalg.norm(mean))


def test_palms_are_plausible() -> None:
    """Nobody who shows a palm is refused."""
    assert all(is_plausible([palm], EXTRACTOR) for palm in palms())


def test_a_fine_patchwork_is_not() -> None:
    """It is rougher than skin."""
    rows, columns = np.indices((32, 32))

    assert not is_plausible([patchwork(owners=(rows + 2 * columns) % 4)], EXTRACTOR)


def test_a_code_with_another_vector_is_not() -> None:
    """A picture of it would have given its own."""
    others = (*palms()[2:], *palms()[:2])
    swapped = [replace(a, vector=b.vector) for a, b in zip(palms(), others, strict=True)]

    assert not is_plausible(swapped, EXTRACTOR)


def test_a_code_without_skin_is_not() -> None:
    """Its picture has no line that a vector could be of."""
    nothing = pack_code(np.zeros((32, 32), np.int64), ~EVERYWHERE)

    assert not is_plausible([replace(palms()[0], code=nothing)], EXTRACTOR)
