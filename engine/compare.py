"""Two templates become a comparison score: exact, symmetric, pure numpy.

The codes are laid over each other at every shift of up to four cells in x and y. A palm is
no plate: at each shift, every tile of 8 × 8 cells may move one cell further on its own. The
distance is the mean difference of the directions where both codes have cells, at the best
shift, averaged over cutting the one code into tiles or the other.

A tile of one bit plane is one machine word, so a comparison is XOR and population count.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

from engine.codes import rows_of
from engine.errors import ExtractorMismatch, TemplateRefused
from engine.parameters import (
    CODE_BYTES,
    CODE_CELLS,
    CODE_DIRECTIONS,
    CODE_MAX_SHIFT,
    CODE_STRANGE_DISTANCE,
    CODE_TILE_CELLS,
    CODE_TILE_MIN_CELLS,
    CODE_TILE_SLACK,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from engine.types import PalmTemplate

    Words = NDArray[np.uint64]

_SHIFTS: Final = 2 * CODE_MAX_SHIFT + 1
"""Shifts in x, and in y."""

_TILES: Final = CODE_CELLS // CODE_TILE_CELLS
"""Tiles in x, and in y."""

_ONE: Final = 1 << 20
"""Distance 1 in the whole numbers that are computed with: sums do not depend on their order,
so a comparison is symmetric to the last bit, alone or among many. 1024 cells fit 32 bits."""

_BATCH: Final = 32
"""References compared at once: their words fit the processor's cache."""


def compare(probe: PalmTemplate, reference: PalmTemplate) -> float:
    """Return the comparison score of two templates.

    Returns:
        0 to 1, higher is more similar, symmetric; 1 for equal codes all of whose cells show
        skin. Codes of different palms score about 0.6, because the best of many shifts counts.

    Raises:
        ExtractorMismatch: the templates are of two extractors or of two sides of the body.
        TemplateRefused: a code has the wrong size.
    """
    return float(compare_many(probe, [reference])[0])


def compare_many(
    probe: PalmTemplate, references: Sequence[PalmTemplate]
) -> NDArray[np.float32]:
    """Return the comparison scores of a probe and each reference, shape (count,), float32.

    Raises:
        ExtractorMismatch: a reference is of another extractor or side of the body.
        TemplateRefused: a code has the wrong size.
    """
    for reference in references:
        if (reference.extractor, reference.hand) != (probe.extractor, probe.hand):
            raise ExtractorMismatch("templates of two extractors or two sides do not compare")
    if any(template.code.shape != (CODE_BYTES,) for template in (probe, *references)):
        raise TemplateRefused("a code has the wrong size")
    if not references:
        return np.zeros(0, np.float32)
    distances = compare_codes(probe.code, np.stack([r.code for r in references]))
    return np.float32(1) - distances


def compare_codes(
    probe: NDArray[np.uint8], references: NDArray[np.uint8]
) -> NDArray[np.float32]:
    """Return the distances of a code, shape (512,), and codes, shape (count, 512).

    Returns:
        Shape (count,), float32, 0 (equal) to 1 (every direction at right angles).
    """
    rows, reference_rows = rows_of(probe)[None], rows_of(references)
    fixed, moved = _tiles(rows), _shifted(rows)
    distances = np.empty(len(references), np.float64)
    for start in range(0, len(references), _BATCH):
        batch = reference_rows[start : start + _BATCH]
        one_way = _distances(moved, _tiles(batch))
        other_way = _distances(_shifted(batch), fixed)
        distances[start : start + _BATCH] = (one_way + other_way) / 2
    return distances.astype(np.float32)


def _distances(moved: Words, fixed: Words) -> NDArray[np.float64]:
    """Distances of shifted codes from codes that are cut into tiles.

    Args:
        moved: shape (count or 1, 4, shifts in x, tiles in x, shifts in y, tiles in y).
        fixed: shape (1 or count, 4, 1, tiles in x, shifts in y, tiles in y), the same at every
            shift.

    Returns:
        Shape (count,).
    """
    seen = moved[:, 3] & fixed[:, 3]
    cells = np.bitwise_count(seen)
    differing = np.bitwise_count((moved[:, 0] ^ fixed[:, 0]) & seen)
    for plane in (1, 2):
        differing += np.bitwise_count((moved[:, plane] ^ fixed[:, plane]) & seen)
    by_tile = _quotients()[cells, differing]
    relaxed = _relax(_relax(by_tile, axis=1), axis=3)
    return _best_shift(_over_tiles(relaxed * cells), _over_tiles(cells.astype(np.int32)))


def _best_shift(
    differences: NDArray[np.int32], cells: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Return the distance at the best shift.

    Args:
        differences: shape (count, shifts in x, shifts in y): summed over the cells.
        cells: same shape: how many cells both codes have at a shift.
    """
    distances = differences / (np.maximum(cells, 1) * float(_ONE))
    certainty = np.sqrt(cells / CODE_CELLS**2)
    drawn = CODE_STRANGE_DISTANCE - (CODE_STRANGE_DISTANCE - distances) * certainty
    return np.asarray(drawn.min(axis=(1, 2)), np.float64)


def _over_tiles(by_tile: NDArray[np.int32]) -> NDArray[np.int32]:
    """Sum over tiles, (count, shifts, tiles, shifts, tiles) → (count, shifts, shifts)."""
    columns = by_tile[:, :, 0] + by_tile[:, :, 1]
    for tile in range(2, _TILES):
        columns += by_tile[:, :, tile]
    total = columns[..., 0] + columns[..., 1]
    for tile in range(2, _TILES):
        total += columns[..., tile]
    return total


@cache
def _quotients() -> NDArray[np.int32]:
    """Distance of a tile by how many cells count and how many bits differ, shape (65, 193).

    Tiles of hardly any cell say nothing: they are as far as those of strangers.
    """
    cells = np.arange(CODE_TILE_CELLS**2 + 1)[:, None]
    most = CODE_DIRECTIONS // 2
    bits = np.arange(most * CODE_TILE_CELLS**2 + 1)[None]
    known = np.minimum(bits / np.maximum(most * cells, 1), 1)
    quotients = np.where(cells < CODE_TILE_MIN_CELLS, CODE_STRANGE_DISTANCE, known)
    return np.asarray(np.rint(_ONE * quotients), np.int32)


def _relax(by_tile: NDArray[np.int32], axis: int) -> NDArray[np.int32]:
    """Let each tile take the best of the shifts next to the common one, along an axis."""
    relaxed = by_tile.copy()
    to, of = np.moveaxis(relaxed, axis, 0), np.moveaxis(by_tile, axis, 0)
    for step in range(1, CODE_TILE_SLACK + 1):
        np.minimum(to[step:], of[:-step], out=to[step:])
        np.minimum(to[:-step], of[step:], out=to[:-step])
    return relaxed


def _shifted(rows: NDArray[np.uint32]) -> Words:
    """Move codes by every shift and cut them into tiles.

    Args:
        rows: shape (count, 4, 32).

    Returns:
        Shape (count, 4, shifts in x, tiles in x, shifts in y, tiles in y). At shift (x, y), a
        cell (column, row) is the code's cell (column + x, row + y), or 0 beyond its edge.
    """
    reach = range(-CODE_MAX_SHIFT, CODE_MAX_SHIFT + 1)
    sideways = np.stack(
        [rows >> np.uint32(x) if x >= 0 else rows << np.uint32(-x) for x in reach], axis=2
    )
    columns = _columns(sideways)
    padded = np.pad(columns, [(0, 0)] * 4 + [(CODE_MAX_SHIFT, CODE_MAX_SHIFT)])
    moved = np.empty((*columns.shape[:-1], _SHIFTS, CODE_CELLS), np.uint8)
    for y in range(_SHIFTS):
        moved[..., y, :] = padded[..., y : y + CODE_CELLS]
    return moved.view(np.uint64)


def _tiles(rows: NDArray[np.uint32]) -> Words:
    """Cut codes, shape (count, 4, 32), into tiles, a word each.

    Returns:
        Shape (count, 4, 1, tiles in x, shifts in y, tiles in y): repeated for every shift in y,
        because long runs of words are compared fastest.
    """
    words = _columns(rows[:, :, None])[..., None, :].view(np.uint64)
    return np.repeat(words, _SHIFTS, axis=-2)


def _columns(rows: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """Turn rows, shape (…, 32), into columns 8 cells wide, shape (…, 4, 32), an octet each."""
    octets = np.ascontiguousarray(rows.astype("<u4", copy=False)).view(np.uint8)
    by_row = octets.reshape(*rows.shape, _TILES)
    return np.ascontiguousarray(by_row.swapaxes(-1, -2))
