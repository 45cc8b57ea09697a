"""plain_cells: what covers a palm is hidden, and nothing else."""

import hashlib

import numpy as np

from engine.comparison.alignment import likeness
from engine.comparison.kernels.tiles import hide_plain_cells
from engine.features.code_bytes import pack_code, rows_of
from tests.engine.comparison.test_alignment import template


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


def test_an_alignment_counts_no_plain_cells_either():
    """Else the same cover on two palms, or a forged one, aligns them."""
    dense, code = np.asarray(template(0).dense), codes_with_covers()[-1]

    bare = np.tile(without_plain_cells(code), 2)
    assert likeness(dense, np.tile(code, 2)) == likeness(dense, bare)


def test_the_cells_that_are_hidden_have_not_changed():
    """Windows of one direction, at the edges of a code, too.

    The digest is of codes whose cells were once hidden window by window, too.
    """
    hidden = np.stack([without_plain_cells(code) for code in codes_with_covers()])

    assert hashlib.sha256(hidden.tobytes()).hexdigest() == (
        "52bf33bd2848b49564ae6265a34891580218b1068cec81b4d84ed6f000809d9b"
    )
