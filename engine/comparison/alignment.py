"""Compares a probe with the references of one account, laid over each: E78.

A palm that is tilted, hollow or stretched fits no turn and shift. Blocks of the reference are
found in the probe's dense code; a quadratic warp is fitted to where they lie, robustly. Where
the codes agree at these places, and nowhere else, a score rises. One warp for one reference:
the best of several would lift other palms as well.
"""

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from engine import parameters as tuned
from engine.comparison.compare import compare_many
from engine.features.code_bytes import HIDDEN, codes_of, fields_of, rows_of
from engine.parameters import ALIGN_BLOCKS, CODE_CELLS, DENSE_CELLS
from engine.types import PalmTemplate

Fields = NDArray[np.uint8]
Numbers = NDArray[np.float64]

_STEP: Final = DENSE_CELLS // CODE_CELLS
_DOWN, _RIGHT = np.mgrid[-1:2, -1:2].reshape(2, -1, 1, 1)
"""How far a tile may lie from its place, dense cells."""
_FAR: Final = tuned.CODE_NON_MATED_DISTANCE
_TURNS: Final = 8
"""Of the robust fit: the first two allow three times and twice the error."""


def compare_claimed(
    probe: PalmTemplate,
    references: Sequence[PalmTemplate],
    *,
    floor: float = tuned.ALIGN_FLOOR,
    enough: float = np.inf,
    plain: NDArray[np.float32] | None = None,
) -> NDArray[np.float32]:
    """Return scores as ``compare_many`` does, or higher where an alignment makes them so.

    Plain scores of at least ``enough``, or below ``floor``, are not aligned, nor is a probe
    without a dense code. ``plain``: scores that are known. Raises like ``compare_many``.
    """
    scores = compare_many(probe, references) if plain is None else plain.copy()
    if probe.dense is not None:
        hopeful = (scores >= max(floor, tuned.ALIGN_FLOOR)) & (scores < enough)
        for n in np.flatnonzero(hopeful).tolist():
            scores[n] = min(scores[n] + _gain(probe.dense, references[n].code), 1)
    return scores


def _gain(dense: NDArray[np.uint8], reference: NDArray[np.uint8]) -> np.float32:
    """Return what a score gains from an alignment: at least 0."""
    (least, more, shown, most), (harder, sharp) = tuned.ALIGN_GAIN, tuned.ALIGN_ROUGH
    alike, seen, rough = likeness(dense, reference)
    needed = least + more * max(shown - seen, 0) + harder * max(sharp - rough, 0)
    return np.float32(np.clip(alike - needed, 0, most))


def likeness(
    dense: NDArray[np.uint8], reference: NDArray[np.uint8]
) -> tuple[float, float, float]:
    """Return how alike codes are where a probe's warp lays them, 0 to 1.

    Also the share that is seen in both, 0 to 1, and the roughness of the rougher code, in
    directions. Each tile of the reference may move by a dense cell.
    """
    fields, own = fields_of(dense, DENSE_CELLS), fields_of(_shown(reference), CODE_CELLS)
    places = np.rint(_places(fields, own)).astype(np.int64).clip(-2, DENSE_CELLS + 1) + 3
    x, y = np.moveaxis(places, -1, 0)
    framed = np.pad(fields, ((0, 0), (3, 3), (3, 3)), constant_values=HIDDEN)
    rough = max(_roughness(fields[:, 1::_STEP, 1::_STEP]), _roughness(own))
    apart, both = _apart(framed[:, y + _DOWN, x + _RIGHT], own[:, None])
    differing = _by_tiles(apart) / (HIDDEN // 2)
    cells = _by_tiles(both)
    few, counted = cells < tuned.CODE_TILE_MIN_CELLS, cells.max(axis=1)
    best = np.where(few, _FAR, differing / np.maximum(cells, 1)).min(axis=1)
    mean = (best * counted).sum(axis=1) / np.maximum(counted.sum(axis=1), 1)
    seen = counted.sum(axis=1) / CODE_CELLS**2
    nearer = np.dot(tuned.ALIGN_WEIGHTS, (_FAR - mean) * np.sqrt(seen))
    return float(1 - _FAR + nearer), float(seen.min()), rough


def _shown(reference: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return a reference's codes without the plain cells that no score counts: E72."""
    rows = rows_of(codes_of(reference)).astype("<u4")
    for each in rows:
        _kernels("tiles").hide_plain_cells(each)
    return rows.view(np.uint8).reshape(-1)


def _apart(one: Fields, other: Fields) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return by how many directions cells differ, 0 if hidden, and which are seen in both."""
    both, apart = (one < HIDDEN) & (other < HIDDEN), np.abs(one.astype(np.int64) - other)
    return np.minimum(apart, HIDDEN - apart) * both, both


def _roughness(fields: Fields) -> float:
    """Return the mean difference of neighbouring cells, 0 to 3 directions."""
    down, across = (fields[:, 1:], fields[:, :-1]), (fields[..., 1:], fields[..., :-1])
    differing, counted = np.sum([[one.sum() for one in _apart(*p)] for p in (down, across)], 0)
    return float(differing / max(counted, 1))


def _by_tiles(cells: NDArray[Any]) -> NDArray[np.int64]:
    """Return the sums over tiles, shape (n, shifts, 16)."""
    side = tuned.CODE_TILE_CELLS
    tiles = cells.reshape(*cells.shape[:2], CODE_CELLS // side, side, CODE_CELLS // side, side)
    return np.asarray(tiles.sum(axis=(3, 5)).reshape(*cells.shape[:2], -1), np.int64)


def _places(probe: Fields, reference: Fields) -> Numbers:
    """Return where the cells of a reference lie in a probe, shape (32, 32, 2), x and y."""
    # A cell lies on the second dense one of its two.
    places = np.stack(np.meshgrid(*[np.arange(1.0, DENSE_CELLS, _STEP)] * 2), axis=-1)
    for radius, terms, error in tuned.ALIGN_PASSES:
        places += _warp(probe, reference, places, radius, terms, error)
    return places


def _warp(
    probe: Fields, reference: Fields, places: Numbers, radius: int, terms: int, error: float
) -> Numbers:
    """Return how far each cell moves from its place, shape (32, 32, 2), dense cells."""
    whole, blocks = np.rint(places).astype(np.int64), _kernels("blocks")
    sums = blocks.match_blocks(probe, reference, whole, radius, blocks.likenesses())
    moves, likeness = _peaks(sums, radius)
    middles = np.arange(1, ALIGN_BLOCKS + 1) / (ALIGN_BLOCKS + 1) * 2 - 1
    known = _terms(middles, terms).reshape(-1, terms)
    stiffness = tuned.ALIGN_STIFFNESS * np.diag([0.0, 1, 1, 3, 3, 3][:terms])
    weights, found = likeness, np.zeros((terms, 2))
    for turn in range(_TURNS):
        normal = known.T @ (known * weights[:, None]) + stiffness * weights.sum()
        found = np.linalg.solve(normal, known.T @ (moves * weights[:, None]))
        far = ((moves - known @ found) ** 2).sum(axis=1) / (error * max(1, 3 - turn)) ** 2
        weights = likeness / (1 + far) ** 2
    cells = (np.arange(CODE_CELLS) - (CODE_CELLS - 1) / 2) / (CODE_CELLS / 2)
    return np.asarray(_terms(cells, terms) @ found, np.float64)


def _peaks(sums: NDArray[np.int32], radius: int) -> tuple[Numbers, Numbers]:
    """Return each block's best shift, shape (blocks, 2), x and y, and its likeness above 0."""
    side = 2 * radius + 1
    framed = np.pad(sums.astype(np.float64), ((0, 0), (1, 1), (1, 1)), mode="edge")
    block = np.arange(len(sums))
    y, x = np.divmod(sums.reshape(len(sums), -1).argmax(axis=1), side)
    peak = framed[block, y + 1, x + 1]
    moves = np.stack([x, y], axis=1).astype(np.float64) - radius
    sides = (
        (framed[block, y + 1, x], framed[block, y + 1, x + 2]),
        (framed[block, y, x + 1], framed[block, y + 2, x + 1]),
    )
    for axis, (before, after) in enumerate(sides):
        # The top of a parabola through three sums.
        moves[:, axis] += (after - before) / 2 / np.maximum(2 * peak - before - after, 1)
    return moves, np.maximum(peak, 1)


def _terms(along: NDArray[np.floating[Any]], count: int) -> Numbers:
    """Return the terms of a warp on a square grid, shape (n, n, count)."""
    x, y = np.meshgrid(along, along)
    return np.stack([np.ones_like(x), x, y, x * x, x * y, y * y][:count], axis=-1)


@cache
def _kernels(name: str) -> ModuleType:
    """Import numba late: it is slow to load."""
    return import_module(f"engine.comparison.kernels.{name}")
