"""Where two codes match, and where they do not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.comparison.compare import compare_codes, place_codes
from engine.comparison.spread import worse_half
from engine.features.code_bytes import directions_of, pack_code
from engine.types import PalmTemplate
from tests.support.palms.templates import template_of

EVERYWHERE = np.ones((32, 32), np.bool_)


def test_a_distance_is_the_mean_of_its_tiles() -> None:
    """For whole codes in one place; the order of the two does not matter."""
    one, other = (template_of(1, noise=0.2, sample=sample).code for sample in range(2))
    tiles = place_codes(one, np.stack([other, other]))

    assert tiles.shape == (4, 16)
    assert tiles.mean() == pytest.approx(float(compare_codes(one, other[None])[0]), abs=1e-6)
    assert np.allclose(
        np.sort(tiles.mean(axis=0)), np.sort(place_codes(other, one[None]).mean(axis=0))
    )


def test_a_mixture_is_near_in_one_half_only() -> None:
    """The other half is as far as a non-mated palm, whatever the mean says."""
    palm, other = template_of(1), template_of(2)
    shots = [template_of(1, noise=0.2, sample=sample) for sample in range(3)]

    assert worse_half(palm, shots) < 0.2
    assert worse_half(palm, [mixed(shots[0], other)]) > 0.35
    assert worse_half(palm, [other]) > 0.35


def mixed(left: PalmTemplate, right: PalmTemplate) -> PalmTemplate:
    """The left half of one palm beside the right half of another."""
    directions = directions_of(left.code).copy()
    directions[:, 16:] = directions_of(right.code)[:, 16:]
    return replace(left, code=pack_code(directions, EVERYWHERE))
