"""The form in which rows lie in memory and on disk."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from engine.features.coarse_codes import COARSE_BYTES
from engine.parameters import TWO_BIT_DIMENSION
from engine.types import Hand

if TYPE_CHECKING:
    from numpy.typing import NDArray

ABSENT: Final = -1
"""The slot of a reference that the gallery does not hold."""

HANDS: Final = tuple(Hand)
"""``sides`` holds indices of it."""

NAME_BYTES: Final = 32
"""Of a reference and its group together."""

_FIRST_ROWS: Final = 1024


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


def grown(rows: NDArray[Any], count: int, *, fill: int = 0) -> NDArray[Any]:
    """Return these rows, or a copy with space for this many; readers may keep the old one."""
    if count <= len(rows):
        return rows
    size = max(count, len(rows) * 3 // 2, _FIRST_ROWS)
    larger: NDArray[Any] = np.zeros((size, *rows.shape[1:]), rows.dtype)
    larger[: len(rows)] = rows
    if fill:
        larger[len(rows) :] = fill
    return larger
