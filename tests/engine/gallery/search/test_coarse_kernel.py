"""coarse_kernel: the compiled distance of coarse codes is the one that its docstring tells."""

from itertools import product

import numpy as np
import pytest

from engine.features.code_bytes import pack_code
from engine.gallery.rows.coarse_codes import COARSE_BYTES, coarse_codes
from engine.gallery.rows.records import Records
from engine.gallery.search.coarse_kernel import coarse_probes
from engine.gallery.search.short_list import coarse_distances
from engine.parameters import (
    COARSE_MAX_SHIFT,
    CODE_CELLS,
    CODE_DIRECTIONS,
    CODE_NON_MATED_DISTANCE,
)

REACH = COARSE_MAX_SHIFT


def code_of(seed, *, seen=0.9):
    """A code of nobody, with holes."""
    rng = np.random.default_rng(seed)
    directions = rng.integers(0, CODE_DIRECTIONS, (CODE_CELLS, CODE_CELLS))
    return pack_code(directions, rng.random((CODE_CELLS, CODE_CELLS)) < seen)


def kept(codes):
    """Coarse codes as a gallery keeps them."""
    records = Records(1)
    slots = records.reserve(len(codes))
    records.coarse.put(slots, coarse_codes(np.stack(codes)))
    records.changes.put(slots, slots + 1)
    return records


def distances(probe, records, slots):
    """Distances of a probe's coarse code, as a search measures them."""
    return coarse_distances(np.array(slots), records.coarse.place, coarse_probes([probe]))[0]


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
    """What the kernel computes, one step after the other."""
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
    found = distances(probe, kept(codes), range(5))

    assert found.tolist() == pytest.approx([plain_distance(probe, code) for code in codes])


def test_only_the_rows_that_are_asked_for_are_compared():
    """In their order, wherever they lie."""
    codes = [code_of(n) for n in range(20)]
    records, some = kept(codes), [12, 3, 7]
    found = distances(codes[3], records, some)

    assert found.tolist() == distances(codes[3], records, range(20))[some].tolist()
    assert found.argmin() == 1
