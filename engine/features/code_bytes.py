"""The competitive code as bytes: four bit planes, 512 bytes; the fine code follows it.

Three bits for each of 32 × 32 cells, whose Hamming distance is that of the directions round
the circle, and a mask: 1 where there is skin; without skin all bits are 0. Lowest plane first,
rows from the top, column 0 in the lowest bit of the first byte.

A coarse code is an eighth of it, small enough to lie in memory: of each 8 × 8 tile every second
cell, as on a chessboard, gives one of its three bits: 32 bits a tile, tiles row by row.
"""

from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.errors import CodeRefused, QualityTooLow, TemplateRefused
from engine.parameters import (
    CODE_BYTES,
    CODE_CELLS,
    CODE_TILE_CELLS,
    SEEN_SHARE,
    TEMPLATE_SIZES,
)
from engine.types import ExtractorId, QualityReason

PLANES: Final = 4

DIRECTION_BITS: Final = ((0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1), (0, 1, 1), (0, 0, 1))
"""One column a plane."""

_NO_DIRECTION: Final = 255

HIDDEN: Final = len(DIRECTION_BITS)
"""Direction of a masked cell in ``fields_of``."""


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
    directions: NDArray[np.uint8] = _direction_of()[low + 2 * middle + 4 * high]
    if np.any(directions == _NO_DIRECTION):
        raise CodeRefused("a cell of the code holds no direction")
    return directions


def fields_of(codes: NDArray[np.uint8], cells: int) -> NDArray[np.uint8]:
    """Unpack valid codes, shape (n, cells, cells), uint8; ``HIDDEN`` in masked cells."""
    bits = np.unpackbits(codes, bitorder="little").reshape(-1, PLANES, cells, cells)
    low, middle, high, seen = bits.swapaxes(0, 1)
    return np.where(seen > 0, _direction_of()[low + 2 * middle + 4 * high], np.uint8(HIDDEN))


def require_directions(code: NDArray[np.uint8], code_bytes: int = CODE_BYTES) -> None:
    """Refuse codes, of these bytes each, that ``pack_code`` cannot make.

    Invalid patterns are nearer to all directions than valid ones: a forger would use them.
    Raises ``TemplateRefused`` for a wrong size, else ``CodeRefused``.
    """
    for one in codes_of(code, code_bytes):
        # Python's whole numbers: a plane each, ten times as fast as arrays of 32 rows.
        low, middle, high, seen = (
            int.from_bytes(plane.tobytes()) for plane in one.reshape(PLANES, -1)
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


def seen_shares(codes: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return the shares of cells that codes, shape (…, 512), show, shape (…,), float32."""
    masks = codes[..., CODE_BYTES - CODE_BYTES // PLANES :]
    return np.asarray(np.unpackbits(masks, axis=-1).mean(axis=-1), np.float32)


def require_shown(code: NDArray[np.uint8], least: float = SEEN_SHARE) -> NDArray[np.uint8]:
    """Return a code that shows enough palm. Raises ``QualityTooLow``: something covers it."""
    if seen_of(code).mean() < least:
        raise QualityTooLow(QualityReason.COVERED)
    return code


def code_bytes_of(extractor: ExtractorId) -> int:
    """Return the bytes of all codes of an extractor's template."""
    return TEMPLATE_SIZES.get(extractor, (0, CODE_BYTES))[1]


def codes_of(code: NDArray[np.uint8], code_bytes: int = CODE_BYTES) -> NDArray[np.uint8]:
    """Return codes that follow each other, shape (…, n × 512), as shape (…, n, 512).

    Raises ``TemplateRefused`` for a wrong size.
    """
    count, rest = divmod(code.shape[-1], code_bytes)
    if count == 0 or rest:
        raise TemplateRefused("the code is not of 32 × 32 cells")
    return code.reshape(*code.shape[:-1], count, code_bytes)


def first_codes(codes: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the first of codes that follow each other, shape (…, 512): what a search reads."""
    return codes[..., :CODE_BYTES]


def rows_of(codes: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """Return codes, shape (…, 512), as rows, shape (…, 4, 32), uint32, column 0 lowest."""
    rows = np.ascontiguousarray(codes).view("<u4").astype(np.uint32, copy=False)
    return rows.reshape(*codes.shape[:-1], PLANES, CODE_CELLS)


def _planes(code: NDArray[np.uint8]) -> NDArray[np.uint8]:
    first = codes_of(code)[0]
    return np.unpackbits(first, bitorder="little").reshape(PLANES, CODE_CELLS, CODE_CELLS)


@cache
def _direction_of() -> NDArray[np.uint8]:
    direction_of = np.full(8, _NO_DIRECTION, np.uint8)
    for direction, (first, second, third) in enumerate(DIRECTION_BITS):
        direction_of[first + 2 * second + 4 * third] = direction
    return direction_of


Words = NDArray[np.uint32]

TILES: Final = (CODE_CELLS // CODE_TILE_CELLS) ** 2
COARSE_BYTES: Final = 4 * TILES

_PER_SIDE: Final = CODE_CELLS // CODE_TILE_CELLS
_BITS: Final = len(DIRECTION_BITS[0])


def coarse_codes(codes: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the coarse codes of codes, shape (count, n × 512), as shape (count, 64), uint8."""
    rows, chosen = rows_of(first_codes(codes)), chosen_cells()
    bits = rows[:, 0] & chosen[0]
    for plane in range(1, _BITS):
        bits |= rows[:, plane] & chosen[plane]
    pairs = np.ascontiguousarray(bits[:, 0::2] | bits[:, 1::2], "<u4")
    octets = pairs.view(np.uint8).reshape(len(codes), _PER_SIDE, -1, _PER_SIDE)
    return octets.swapaxes(-1, -2).reshape(len(codes), COARSE_BYTES)


@cache
def chosen_cells() -> Words:
    """Return the cells of each row that give a plane's bit, shape (3, 32).

    The cells of two neighbouring rows alternate.
    """
    y, x = np.mgrid[:CODE_CELLS, :CODE_CELLS]
    in_tile = x % CODE_TILE_CELLS // 2 + y % CODE_TILE_CELLS
    bits = np.left_shift(np.uint32(1), x.astype(np.uint32))
    planes = [((x + y) % 2 == 0) & (in_tile % _BITS == plane) for plane in range(_BITS)]
    return np.stack([np.where(plane, bits, 0).sum(axis=1) for plane in planes]).astype(
        np.uint32
    )
