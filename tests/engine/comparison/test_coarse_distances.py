"""coarse: the compiled distance of coarse codes is the one that its docstring describes."""

from itertools import product

import numpy as np
import pytest

from engine.comparison.kernels.coarse import coarse_distances
from engine.features.code_bytes import COARSE_BYTES, coarse_codes, pack_code
from engine.parameters import (
    COARSE_MAX_SHIFT,
    CODE_CELLS,
    CODE_DIRECTIONS,
    CODE_NON_MATED_DISTANCE,
)

REACH = COARSE_MAX_SHIFT


def code_of(seed, *, seen=0.9):
    """A random code with holes."""
    rng = np.random.default_rng(seed)
    directions = rng.integers(0, CODE_DIRECTIONS, (CODE_CELLS, CODE_CELLS))
    return pack_code(directions, rng.random((CODE_CELLS, CODE_CELLS)) < seen)


def planes(code):
    """Bits of a code: plane, row, column."""
    return np.unpackbits(code, bitorder="little").reshape(4, CODE_CELLS, CODE_CELLS)


def tile_costs(probe, reference, x, y):
    """Each tile's distance, shape (4, 4), the probe's cells x and y farther on."""
    wide = np.pad(planes(probe), ((0, 0), (REACH, REACH), (REACH, REACH)))
    size = CODE_CELLS
    moved = wide[:, y + REACH : y + REACH + size, x + REACH : x + REACH + size]
    row, column = np.mgrid[:size, :size]
    plane = (column % 8 // 2 + row % 8) % 3
    chosen = (row + column) % 2 == 0
    seen = chosen & (moved[3] > 0)
    differ = np.take_along_axis(moved != planes(reference), plane[None], axis=0)[0] & seen
    differing, hidden = (
        cells.reshape(4, 8, 4, 8).sum(axis=(1, 3)) for cells in (differ, chosen & ~seen)
    )
    return differing + np.rint(4 * CODE_NON_MATED_DISTANCE * hidden) / 4


def plain_distance(probe, reference):
    """Return the kernel's result, computed step by step in numpy."""
    reach = range(-REACH, REACH + 1)
    costs = {(x, y): tile_costs(probe, reference, x, y) for x, y in product(reach, reach)}
    sums = [
        np.min(
            [c for (a, b), c in costs.items() if max(abs(a - x), abs(b - y)) <= 1], axis=0
        ).sum()
        for x, y in costs
    ]
    return min(sums) / (8 * COARSE_BYTES)


@pytest.mark.parametrize("seen", [1.0, 0.7, 0.0])
def test_the_compiled_distance_is_the_plain_one(seen):
    """Of whole probes, of probes with holes, and of one that shows nothing."""
    probe, codes = code_of(0, seen=seen), [code_of(n) for n in range(1, 6)]
    (found,) = coarse_distances(coarse_codes(np.stack(codes)), [probe])

    assert found.tolist() == pytest.approx([plain_distance(probe, code) for code in codes])


def test_each_probe_is_compared_with_each_row():
    """The buffers of one probe leave nothing to the next."""
    codes = [code_of(n) for n in range(20)]
    rows = coarse_codes(np.stack(codes))
    found = coarse_distances(rows, codes[3:5])

    assert found.argmin(axis=1).tolist() == [3, 4]
    assert np.array_equal(found[1:], coarse_distances(rows, codes[4:5]))
