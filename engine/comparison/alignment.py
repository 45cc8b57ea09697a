"""Compares a probe with the references of one account, laid over each: E78.

A palm that is tilted, hollow or stretched fits no turn and shift. Blocks of the reference are
found in the probe's dense code; a quadratic warp is fitted to where they lie, robustly; the
dense code is read at the warped cells and scored once. The better of both scores counts. One
warp for one reference: the best of several would lift other palms as well.
"""

from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from engine import parameters as tuned
from engine.comparison.compare import (
    compare_codes,
    compare_many,
    compare_shifted,
    load_vector_penalty,
    penalised_scores,
)
from engine.features.code_bytes import fields_of, pack_code
from engine.parameters import ALIGN_BLOCKS, CODE_CELLS, DENSE_CELLS
from engine.types import PalmTemplate

Fields = NDArray[np.uint8]
Numbers = NDArray[np.float64]

_STEP: Final = DENSE_CELLS // CODE_CELLS
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
            score = _aligned_score(probe, probe.dense, references[n]) - tuned.ALIGN_COST
            scores[n] = max(scores[n], score)
    return scores


def _aligned_score(
    probe: PalmTemplate, dense: NDArray[np.uint8], reference: PalmTemplate
) -> np.float32:
    """Return the score of the warped probe, its vector judged at the plain one's shift."""
    _, shifts = compare_shifted(probe.code, reference.code[None])
    cosines = np.array([(reference.vector * probe.vector).sum()], np.float32)
    warped = warped_code(dense, reference.code)
    distances = compare_codes(warped, reference.code[None])
    penalty = load_vector_penalty(probe.extractor)
    return np.float32(penalised_scores(distances, shifts, cosines, penalty)[0])


def warped_code(dense: NDArray[np.uint8], reference: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return a probe's codes, shape (n × 512,), read where the reference's cells lie in it."""
    fields, own = fields_of(dense, DENSE_CELLS), fields_of(reference, CODE_CELLS)
    # A cell lies on the second dense one of its two.
    places = np.stack(np.meshgrid(*[np.arange(1.0, DENSE_CELLS, _STEP)] * 2), axis=-1)
    for radius, terms, error in tuned.ALIGN_PASSES:
        places += _warp(fields, own, places, radius, terms, error)
    x, y = np.moveaxis(np.rint(places).astype(np.int64), -1, 0)
    inside = (np.minimum(x, y) >= 0) & (np.maximum(x, y) < DENSE_CELLS)
    read = fields[:, y.clip(0, DENSE_CELLS - 1), x.clip(0, DENSE_CELLS - 1)]
    seen = inside & (read < tuned.CODE_DIRECTIONS)
    return np.concatenate([pack_code(*one) for one in zip(read * seen, seen, strict=True)])


def _warp(
    probe: Fields, reference: Fields, places: Numbers, radius: int, terms: int, error: float
) -> Numbers:
    """Return how far each cell moves from its place, shape (32, 32, 2), dense cells."""
    sums = _kernel()(probe, reference, np.rint(places).astype(np.int64), radius, _likenesses())
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
def _kernel() -> Callable[..., NDArray[np.int32]]:
    """Import numba late: it is slow to load."""
    kernel: Callable[..., NDArray[np.int32]]
    kernel = import_module("engine.comparison.kernels.blocks").match_blocks
    return kernel


@cache
def _likenesses() -> NDArray[Any]:
    table: NDArray[Any] = import_module("engine.comparison.kernels.blocks").likenesses()
    return table
