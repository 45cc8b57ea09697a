"""Templates of palms look like templates of palms."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from engine.features.code_bytes import directions_of, pack_code
from engine.features.plausibility import is_plausible
from engine.features.reference_extractor import ReferenceExtractor
from engine.roi import cut_roi, landmarks_on_square
from engine.types import ExtractorId, Hand, PalmSample, PalmTemplate
from models.synthesis.crop.variation import Variation
from models.training.sample_store import draw_samples

EVERYWHERE = np.ones((32, 32), np.bool_)


@cache
def palms() -> tuple[PalmTemplate, ...]:
    """Templates of four drawn palms."""
    crops = draw_samples(3, range(4), 1, Variation(shift=0.0)).reshape(4, 128, 128)
    samples = [PalmSample(np.repeat(crop[..., None], 3, axis=2)) for crop in crops]
    landmarks = landmarks_on_square((128, 128), Hand.LEFT)
    return tuple(ReferenceExtractor().template_of(cut_roi(s, landmarks)) for s in samples)


def patchwork(*, owners: np.ndarray) -> PalmTemplate:
    """A code of four palms, each cell its owner's, and the mean of their vectors."""
    directions = np.stack([directions_of(palm.code) for palm in palms()])
    code = pack_code(np.take_along_axis(directions, owners[None], 0)[0], EVERYWHERE)
    mean = np.mean([palm.vector for palm in palms()], axis=0)
    return replace(palms()[0], code=code, vector=mean / np.linalg.norm(mean))


def test_palms_are_plausible() -> None:
    """Nobody who shows a palm is refused."""
    assert all(is_plausible([palm]) for palm in palms())


@pytest.mark.parametrize("cells", [1, 8], ids=["fine", "coarse"])
def test_a_mixture_is_not(cells: int) -> None:
    """A fine one is rougher than skin; the mean vector belongs to no coarse one."""
    rows, columns = np.indices((32, 32)) // cells

    assert not is_plausible([patchwork(owners=(rows + 2 * columns) % 4)])


def test_another_extractors_vector_is_not_judged() -> None:
    """A network's vector cannot be foretold from the code."""
    mixture = patchwork(owners=np.zeros((32, 32), np.int64))

    assert is_plausible([replace(mixture, extractor=ExtractorId("palmnet-2"))])
