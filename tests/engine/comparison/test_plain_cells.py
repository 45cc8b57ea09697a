"""plain_cells: what covers a palm is hidden, and nothing else."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from engine.comparison.kernels.tiles import hide_plain_cells
from engine.features.code_bytes import (
    directions_of,
    pack_code,
    require_directions,
    rows_of,
    seen_of,
)
from engine.parameters import CODE_PLAIN_CELLS


def codes_with_covers():
    """Random codes, each with a cover of one direction and some cells that are not seen."""
    rng = np.random.default_rng(1)
    codes = []
    for size in range(2, 10):
        directions, seen = rng.integers(0, 6, (32, 32)), rng.random((32, 32)) < 0.999
        row, column = rng.integers(0, 33 - size, 2)
        directions[row : row + size, column : column + size] = size % 6
        directions[:size, 32 - size :], directions[32 - size :, :size] = 0, 3
        codes.append(pack_code(directions, seen))
    return np.stack(codes)


def without_plain_cells(code):
    """A code after plain cells are hidden."""
    rows = rows_of(code).copy()
    hide_plain_cells(rows)
    return rows.view(np.uint8).ravel()


def slowly_hidden(code):
    """The cells of windows that are seen and of one direction, window by window."""
    size = CODE_PLAIN_CELLS
    cells = np.where(seen_of(code), directions_of(code).astype(int), -1)
    hidden = np.zeros((32, 32), np.bool_)
    for place, window in np.ndenumerate(sliding_window_view(cells, (size, size))[..., 0, 0]):
        row, column = place
        here = cells[row : row + size, column : column + size]
        if (here == window).all() and window >= 0:
            hidden[row : row + size, column : column + size] = True
    return hidden


def test_cells_of_windows_of_one_direction_are_hidden_and_no_others():
    """At the edges of a code, too."""
    codes = codes_with_covers()

    hidden = np.stack([without_plain_cells(code) for code in codes])

    for before, after in zip(codes, hidden, strict=True):
        require_directions(after)
        gone = slowly_hidden(before)
        assert np.array_equal(seen_of(after), seen_of(before) & ~gone)
        kept = seen_of(after)
        assert np.array_equal(directions_of(after)[kept], directions_of(before)[kept])
    assert (hidden != codes).any()
