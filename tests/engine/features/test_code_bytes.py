"""A packed code keeps every direction, and its bits measure how far two directions are."""

from contextlib import nullcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import CodeRefused, QualityTooLow, TemplateRefused
from engine.features.code_bytes import (
    directions_of,
    pack_code,
    require_directions,
    require_shown,
    seen_of,
)
from engine.parameters import CODE_BYTES


@given(st.integers(0, 2**32 - 1))
def test_a_code_survives_packing(seed):
    """A code survives writing and reading unchanged."""
    rng = np.random.default_rng(seed)
    directions, seen = rng.integers(0, 6, (32, 32)), rng.random((32, 32)) < 0.8
    code = pack_code(directions, seen)

    assert code.shape == (CODE_BYTES,)
    assert code.dtype == np.uint8
    assert np.array_equal(directions_of(code), np.where(seen, directions, 0))
    assert np.array_equal(seen_of(code), seen)


def test_the_layout_is_what_the_docstring_says():
    """Templates are kept for years: the bytes of one cell are written down here."""
    directions, seen = np.zeros((32, 32), np.int64), np.zeros((32, 32), np.bool_)
    directions[2, 9], seen[2, 9] = 1, True
    code = pack_code(directions, seen)

    place = 2 * 4 + 1
    assert {int(i): int(code[i]) for i in np.flatnonzero(code)} == {place: 2, 384 + place: 2}


@pytest.mark.parametrize("size", [0, 384, 511, 513])
def test_a_code_of_another_size_is_refused(size):
    """The bytes may come from a phone."""
    with pytest.raises(TemplateRefused):
        directions_of(np.zeros(size, np.uint8))


def test_a_cell_without_direction_is_refused():
    """Two of the eight patterns of three bits mean nothing."""
    code = np.zeros(CODE_BYTES, np.uint8)
    code[128] = 1

    with pytest.raises(TemplateRefused):
        directions_of(code)


@pytest.mark.parametrize("pattern", range(8))
@pytest.mark.parametrize("is_seen", [True, False])
def test_only_what_a_palm_can_give_is_taken(pattern, is_seen):
    """A pattern without direction is never far from any: a forger's favourite."""
    planes = np.zeros((4, 32, 32), np.uint8)
    planes[:3, 5, 7] = pattern & 1, pattern >> 1 & 1, pattern >> 2
    planes[3] = 1
    planes[3, 5, 7] = is_seen
    code = np.packbits(planes.reshape(-1), bitorder="little")

    if pattern in ((0, 1, 3, 7, 6, 4) if is_seen else (0,)):
        require_directions(code)
    else:
        with pytest.raises(CodeRefused):
            require_directions(code)


@pytest.mark.parametrize(("rows", "is_taken"), [(14, True), (13, False)])
def test_a_code_that_shows_too_little_palm_is_refused(rows, is_taken):
    """Something covers the palm; what it is, the mask does not say."""
    seen = np.zeros((32, 32), bool)
    seen[:rows] = True
    code = pack_code(np.zeros((32, 32), int), seen)

    with nullcontext() if is_taken else pytest.raises(QualityTooLow, match="covered"):
        require_shown(code)
