"""From scanned rows to the groups to compare.

Of all rows the cosine is computed, of the nearest by it the distance of the coarse codes. Their
likeness is the cosine minus a weight times the distance.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.comparison.kernels.coarse import coarse_distances
from engine.parameters import BY_VECTOR_GROUPS, COARSE_ROWS, COARSE_WEIGHT, SHORT_LIST_ROWS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from engine.gallery.rows.records import Records

    Floats = NDArray[np.float32]
    Numbers = NDArray[np.int64]


def chosen_slots(
    records: Records,
    side: int,
    vectors: Floats,
    codes: Sequence[NDArray[np.uint8]],
    slots: Numbers,
    count: int,
) -> Numbers:
    """Return the likest slot of each group to compare, shape (at most ``count``,).

    Slots that hold no reference of this hand are ignored.

    Args:
        records: of the gallery.
        side: the hand of the probes.
        vectors: of the probes.
        codes: of the probes.
        slots: found by the scan.
        count: of groups, at most.
    """
    slots = slots[(records.sides[slots] == side) & (records.changes[slots] > 0)]
    cosines = records.products(slots, vectors)
    if len(slots) > COARSE_ROWS:
        near = np.flatnonzero(_is_near(-cosines, COARSE_ROWS))
        slots, cosines = slots[near], cosines[:, near]
    near, likeness = _short_list(cosines, records.coarse[slots], codes)
    slots = slots[near]
    likest = _likest(likeness, cosines[:, near], records.groups[slots], count)
    return np.asarray(slots[likest])


def likest_rows(
    cosines: Floats,
    coarse: NDArray[np.uint8],
    groups: NDArray[np.uint8],
    codes: Sequence[NDArray[np.uint8]],
    count: int,
) -> Numbers:
    """Return the likest row of each group to compare.

    The last few groups are chosen by the cosine, the rest by likeness.

    Args:
        cosines: shape (probes, rows), float32.
        coarse: coarse codes, shape (rows, 64).
        groups: identifiers of their groups, shape (rows, 16).
        codes: of the probes.
        count: of groups, at most.
    """
    rows = np.flatnonzero(_is_near(-cosines, COARSE_ROWS))
    near, likeness = _short_list(cosines[:, rows], coarse[rows], codes)
    rows = rows[near]
    return np.asarray(rows[_likest(likeness, cosines[:, rows], groups[rows], count)])


def _short_list(
    cosines: Floats, coarse: NDArray[np.uint8], codes: Sequence[NDArray[np.uint8]]
) -> tuple[Numbers, Floats]:
    """Return the rows nearest by their coarse codes or cosines, and their likeness."""
    distances = coarse_distances(coarse, codes)
    is_near = _is_near(distances, SHORT_LIST_ROWS) | _is_near(-cosines, SHORT_LIST_ROWS)
    near = np.flatnonzero(is_near)
    return near, cosines[:, near] - np.float32(COARSE_WEIGHT) * distances[:, near]


def _likest(
    likeness: Floats, cosines: Floats, groups: NDArray[np.uint8], count: int
) -> Numbers:
    """Return the likest row of each group to compare."""
    numbers = _group_numbers(groups)
    worst_first = np.argsort(-likeness.sum(axis=0), kind="stable")[::-1]
    likest = np.zeros(int(numbers.max(initial=-1)) + 1, np.int64)
    likest[numbers[worst_first]] = worst_first
    by_likeness, by_vector = (_means(values, numbers) for values in (likeness, cosines))
    first = np.argsort(-by_likeness, kind="stable")[: max(count - BY_VECTOR_GROUPS, 0)]
    by_vector[first] = -np.inf
    rest = np.argsort(-by_vector, kind="stable")[: min(count, len(likest)) - len(first)]
    return np.asarray(likest[np.concatenate([first, rest])])


def _is_near(far: Floats, count: int) -> NDArray[np.bool_]:
    """Return which columns are among the nearest of a probe, or as near as the last of them."""
    if far.shape[1] <= count:
        return np.ones(far.shape[1], np.bool_)
    last = np.partition(far, count - 1, axis=1)[:, count - 1]
    return np.asarray((far <= last[:, None]).any(axis=0))


def _group_numbers(groups: NDArray[np.uint8]) -> Numbers:
    """Return a number for each row, the same for rows of one group, from 0 on."""
    names, size = groups.tobytes(), groups.shape[1]
    numbers: dict[bytes, int] = {}
    cut = (names[start : start + size] for start in range(0, len(names), size))
    return np.array([numbers.setdefault(name, len(numbers)) for name in cut], np.int64)


def _means(values: Floats, numbers: Numbers) -> Floats:
    """Return the mean over probes of each group's best value."""
    best = np.full((len(values), int(numbers.max(initial=-1)) + 1), -np.inf, np.float32)
    for which, line in enumerate(values):
        np.maximum.at(best[which], numbers, line)
    return np.asarray(best.mean(axis=0))
