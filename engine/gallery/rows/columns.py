"""The form in which rows are written to disk."""

from __future__ import annotations

from typing import Final

import numpy as np

from engine.gallery.rows.coarse_codes import COARSE_BYTES
from engine.parameters import TWO_BIT_DIMENSION
from engine.types import Hand

HANDS: Final = tuple(Hand)
"""``sides`` holds indices of it."""

NAME_BYTES: Final = 32
"""Of a reference and its group together."""


def packed_bits(dimension: int) -> int:
    """Return the bits of a packed row per dimension of its vector."""
    return 2 if dimension <= TWO_BIT_DIMENSION else 1


def row_type(dimension: int) -> np.dtype[np.void]:
    """Return the structure of a row; a row of zeros is empty.

    ``name`` is identifier and group, ``change`` the number of the change that wrote the row,
    ``side`` an index of ``HANDS``, ``vector`` has half precision, ``packed`` is what is
    scanned, ``coarse`` the coarse code.
    """
    return np.dtype(
        [
            ("name", "u1", NAME_BYTES),
            ("change", "<i8"),
            ("side", "u1"),
            ("vector", "<f2", dimension),
            ("packed", "u1", dimension * packed_bits(dimension) // 8),
            ("coarse", "u1", COARSE_BYTES),
        ]
    )
