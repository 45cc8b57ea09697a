"""The competitive code as bytes: four bit planes, 512 bytes.

Three bits for each of 32 × 32 cells, whose Hamming distance is that of the directions round
the circle, and a mask: 1 where there is skin; without skin all bits are 0. Lowest plane first,
rows from the top, column 0 in the lowest bit of the first byte.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.errors import CodeRefused, QualityTooLow, TemplateRefused
from engine.parameters import CODE_BYTES, CODE_CELLS, SEEN_SHARE
from engine.types import QualityReason

PLANES: Final = 4

DIRECTION_BITS: Final = ((0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1), (0, 1, 1), (0, 0, 1))
"""One column a plane."""

_NO_DIRECTION: Final = 255


def pack_code(directions: NDArray[np.integer], seen: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Pack directions, shape (32, 32), 0 to 5, and their mask into shape (512,), uint8."""
    bits = np.array(DIRECTION_BITS, np.uint8)[directions] * seen[..., None]
    planes = np.concatenate([bits.transpose(2, 0, 1), seen[None].astype(np.uint8)])
    return np.packbits(planes.reshape(-1), bitorder="little")


def directions_of(code: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Unpack directions, shape (32, 32), uint8, 0 to 5; 0 in masked cells.

    Raises ``TemplateRefused`` for a wrong size, ``CodeRefused`` for an invalid pattern.
    """
    low, middle, high, _ = _planes(code)
    direction_of = np.full(8, _NO_DIRECTION, np.uint8)
    for direction, (first, second, third) in enumerate(DIRECTION_BITS):
        direction_of[first + 2 * second + 4 * third] = direction
    directions: NDArray[np.uint8] = direction_of[low + 2 * middle + 4 * high]
    if np.any(directions == _NO_DIRECTION):
        raise CodeRefused("a cell of the code holds no direction")
    return directions


def require_directions(code: NDArray[np.uint8]) -> None:
    """Refuse a code that ``pack_code`` cannot make.

    Invalid patterns are nearer to all directions than valid ones: a forger would use them.
    Raises ``TemplateRefused`` for a wrong size, else ``CodeRefused``.
    """
    if code.shape != (CODE_BYTES,):
        raise TemplateRefused("the code is not of 32 × 32 cells")
    # Python's whole numbers: a plane each, ten times as fast as arrays of 32 rows.
    low, middle, high, seen = (
        int.from_bytes(plane.tobytes()) for plane in code.reshape(PLANES, -1)
    )
    # The invalid patterns 010 and 101: the middle bit differs from both others.
    if (middle ^ low) & (middle ^ high):
        raise CodeRefused("a cell of the code holds no direction")
    if (low | middle | high) & ~seen:
        raise CodeRefused("a cell of the code has a direction but shows no skin")


def seen_of(code: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return the mask, shape (32, 32). Raises ``TemplateRefused``."""
    seen: NDArray[np.bool_] = _planes(code)[3] > 0
    return seen


def require_shown(code: NDArray[np.uint8], least: float = SEEN_SHARE) -> NDArray[np.uint8]:
    """Return a code that shows enough palm. Raises ``QualityTooLow``: something covers it."""
    if seen_of(code).mean() < least:
        raise QualityTooLow(QualityReason.COVERED)
    return code


def rows_of(codes: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """Return codes, shape (…, 512), as rows, shape (…, 4, 32), uint32, column 0 lowest."""
    rows = np.ascontiguousarray(codes).view("<u4").astype(np.uint32, copy=False)
    return rows.reshape(*codes.shape[:-1], PLANES, CODE_CELLS)


def _planes(code: NDArray[np.uint8]) -> NDArray[np.uint8]:
    if code.shape != (CODE_BYTES,):
        raise TemplateRefused("the code is not of 32 × 32 cells")
    return np.unpackbits(code, bitorder="little").reshape(PLANES, CODE_CELLS, CODE_CELLS)
