"""The competitive code as bytes: three bit planes, 384 bytes.

Each of 32 × 32 cells holds one of six directions. Three bits a cell (000, 001, 011, 111, 110,
100) make the Hamming distance of two cells the distance of their directions round the circle.
The bytes are the planes, lowest bit first; in a plane the rows from the top; in a row 32 bits,
column 0 in the lowest bit of the first byte.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from engine.errors import TemplateRefused
from engine.parameters import CODE_BYTES, CODE_CELLS

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BITS: Final = ((0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1), (0, 1, 1), (0, 0, 1))
"""Bits of each direction, one column a plane."""

_NO_DIRECTION: Final = 255
"""What the two bit patterns mean that no direction has."""


def pack_directions(directions: NDArray[np.integer]) -> NDArray[np.uint8]:
    """Pack directions, shape (32, 32), 0 to 5, into a code, shape (384,), uint8."""
    bits = np.array(_BITS, np.uint8)[directions].transpose(2, 0, 1)
    return np.packbits(bits.reshape(-1), bitorder="little")


def directions_of(code: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Unpack a code into directions, shape (32, 32), uint8, 0 to 5.

    Raises:
        TemplateRefused: it is of another size, or a cell holds no direction.
    """
    if code.shape != (CODE_BYTES,):
        raise TemplateRefused("the code is not of 32 × 32 cells")
    bits = np.unpackbits(code, bitorder="little").reshape(3, CODE_CELLS, CODE_CELLS)
    numbers = bits[0] + 2 * bits[1] + 4 * bits[2]
    direction_of = np.full(8, _NO_DIRECTION, np.uint8)
    for direction, (low, middle, high) in enumerate(_BITS):
        direction_of[low + 2 * middle + 4 * high] = direction
    directions: NDArray[np.uint8] = direction_of[numbers]
    if np.any(directions == _NO_DIRECTION):
        raise TemplateRefused("a cell of the code holds no direction")
    return directions


def rows_of(codes: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """Return codes, shape (…, 384), as rows, shape (…, 3, 32), uint32, column 0 lowest."""
    rows = np.ascontiguousarray(codes).view("<u4").astype(np.uint32, copy=False)
    return rows.reshape(*codes.shape[:-1], 3, CODE_CELLS)
