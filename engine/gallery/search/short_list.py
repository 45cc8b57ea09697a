"""The compiled way from scanned rows to the groups to compare, in one call without the GIL.

Of all rows the cosine is computed, of the nearest by it the distance of the coarse codes. Their
likeness is the cosine minus a weight times the distance.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from engine.comparison.kernels.build import compile_for, compiled
from engine.gallery.rows.addresses import address_of, ask_for, carray, pointer
from engine.gallery.rows.coarse_codes import COARSE_BYTES
from engine.gallery.rows.half_vectors import halves_at, product
from engine.gallery.rows.id_table import ABSENT
from engine.gallery.rows.records import Records
from engine.gallery.search.coarse_kernel import (
    CoarseProbes,
    coarse_probes,
    least_distance,
    new_work,
    no_probes,
)
from engine.parameters import (
    BY_VECTOR_GROUPS,
    COARSE_ROWS,
    COARSE_WEIGHT,
    CODE_BYTES,
    SHORT_LIST_ROWS,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from engine.gallery.rows.addresses import Place

    Floats = NDArray[np.float32]

_AHEAD_ROWS: Final = 4
"""How many rows ahead memory is prefetched."""

_ONE_CHUNK_BITS: Final = 62
"""Binary logarithm of more rows than any array has."""

_NAME_OCTETS: Final = 16
_CHANGE_OCTETS: Final = 8
_SLOT_OCTETS: Final = 4


class ShortList:
    """Chooses among slots for the probes of one search, of one hand."""

    def __init__(
        self, records: Records, side: int, vectors: Floats, codes: Sequence[NDArray[np.uint8]]
    ) -> None:
        self._records, self._side, self._vectors = records, side, vectors
        self._coarse = coarse_probes(codes)

    def chosen(self, slots: NDArray[np.int64], count: int) -> NDArray[np.int64]:
        """Return the likest slot of each group to compare, shape (at most ``count``,).

        The last few groups are chosen by the cosine, the rest by likeness. Slots that hold no
        reference of this hand are ignored.
        """
        columns = _columns(self._records)
        return _chosen(slots, self._side, columns, self._vectors, self._coarse, count)


def likest_rows(
    cosines: Floats,
    coarse: NDArray[np.uint8],
    groups: NDArray[np.uint8],
    codes: Sequence[NDArray[np.uint8]],
    count: int,
) -> NDArray[np.int64]:
    """Return the likest row of each group to compare, of rows that another server scanned.

    Args:
        cosines: shape (probes, rows), float32.
        coarse: coarse codes, shape (rows, 64).
        groups: identifiers of their groups, shape (rows, 16).
        codes: of the probes.
        count: of groups, at most.
    """
    coarse, groups = np.ascontiguousarray(coarse), np.ascontiguousarray(groups)
    rows, probes = np.arange(len(coarse)), coarse_probes(codes)
    return _likest(rows, cosines, _one_chunk(coarse), _one_chunk(groups), probes, count)


def _one_chunk(column: NDArray[np.uint8]) -> Place:
    return np.array([column.ctypes.data], np.int64), _ONE_CHUNK_BITS


def prepare() -> None:
    """Load or compile the kernels before the first search."""
    records, slots = Records(8), np.zeros(1, np.int64)
    records.reserve(1)
    vectors, code = np.zeros((1, 8), np.float32), np.zeros(CODE_BYTES, np.uint8)
    ShortList(records, 0, vectors, [code]).chosen(slots, BY_VECTOR_GROUPS + 1)
    slots_of(records.rows.place, slots)


def compile_all() -> None:
    """Compile the kernels."""
    records, slots = Records(8), np.zeros(1, np.int64)
    vectors = np.zeros((1, 8), np.float32)
    columns = _columns(records)
    compile_for(_chosen, slots, 0, columns, vectors, no_probes(1), 1)
    compile_for(_likest, slots, vectors, columns.coarse, columns.groups, no_probes(1), 1)
    compile_for(slots_of, records.rows.place, slots)


class _Columns(NamedTuple):
    """Where the columns of ``Records`` are."""

    changes: Place
    sides: Place
    coarse: Place
    vectors: Place
    groups: Place


def _columns(records: Records) -> _Columns:
    return _Columns(
        records.changes.place,
        records.sides.place,
        records.coarse.place,
        records.vectors.place,
        records.groups.place,
    )


@compiled
def _is_of(  # pragma: no cover - compiled
    slot: int, side: int, changes: Place, sides: Place
) -> bool:
    found = carray(pointer(address_of(sides, slot, 1)), (1,), np.uint8)[0]
    change = carray(pointer(address_of(changes, slot, _CHANGE_OCTETS)), (1,), np.int64)[0]
    return bool(found == side and change > 0)


@compiled
def _cosines(  # pragma: no cover - compiled
    slots: NDArray[np.int64], side: int, columns: _Columns, probes: Floats
) -> tuple[NDArray[np.int64], Floats]:
    """Return the slots of this hand, and their cosines with each probe."""
    ours, found, dimension = np.empty(len(slots), np.int64), 0, probes.shape[1]
    cosines = np.empty((len(probes), len(slots)), np.float32)
    for place in range(len(slots)):
        if place + _AHEAD_ROWS < len(slots):
            ahead = slots[place + _AHEAD_ROWS]
            ask_for(columns.vectors, ahead, 2 * dimension)
            ask_for(columns.changes, ahead, _CHANGE_OCTETS)
            ask_for(columns.sides, ahead, 1)
        if _is_of(slots[place], side, columns.changes, columns.sides):
            vector = halves_at(columns.vectors, slots[place], dimension)
            for which in range(len(probes)):
                cosines[which, found] = product(vector, probes[which])
            ours[found] = slots[place]
            found += 1
    return ours[:found], cosines[:, :found]


@compiled
def coarse_distances(  # pragma: no cover - compiled
    slots: NDArray[np.int64], coarse: Place, probes: CoarseProbes
) -> Floats:
    """Return the distances of coarse codes, shape (probes, slots)."""
    bits, seen, hidden, extra = probes
    distances, work = np.empty((len(bits), len(slots)), np.float32), new_work()
    for slot in slots[:_AHEAD_ROWS]:
        ask_for(coarse, slot, COARSE_BYTES)
    for place in range(len(slots)):
        if place + _AHEAD_ROWS < len(slots):
            ask_for(coarse, slots[place + _AHEAD_ROWS], COARSE_BYTES)
        row = address_of(coarse, slots[place], COARSE_BYTES)
        for which in range(len(bits)):
            distances[which, place] = least_distance(
                row, bits[which], seen[which], hidden[which], extra, work
            )
    return distances


@compiled
def _near(far: Floats, count: int) -> NDArray[np.bool_]:  # pragma: no cover - compiled
    """Return which columns are among the nearest of a probe, or as near as the last of them."""
    is_near = np.full(far.shape[1], far.shape[1] <= count, np.bool_)
    if far.shape[1] > count:
        for which in range(len(far)):
            is_near |= far[which] <= np.partition(far[which], count - 1)[count - 1]
    return is_near


@compiled
def _grouped(  # pragma: no cover - compiled
    slots: NDArray[np.int64], likeness: Floats, cosines: Floats, groups: Place
) -> tuple[NDArray[np.int64], Floats]:
    """Group slots.

    Returns:
        The likest slot of each group, and its best likeness and its best cosine, each the mean
        over probes, shape (2, groups).
    """
    probes, found = len(likeness), 0
    names, likest = np.empty((len(slots), 2), np.uint64), np.empty(len(slots), np.int64)
    best = np.full((2, probes, len(slots)), -np.inf, np.float32)
    most = np.full(len(slots), -np.inf, np.float32)
    for slot in slots:
        ask_for(groups, slot, _NAME_OCTETS)
    for place in range(len(slots)):
        where = pointer(address_of(groups, slots[place], _NAME_OCTETS))
        name = carray(where, (2,), np.uint64)
        first, second, group = name[0], name[1], 0
        while group < found and (names[group, 0] != first or names[group, 1] != second):
            group += 1
        if group == found:
            names[group, 0], names[group, 1], likest[group] = first, second, slots[place]
            found += 1
        if likeness[:, place].sum() > most[group]:
            most[group], likest[group] = likeness[:, place].sum(), slots[place]
        for which in range(probes):
            best[0, which, group] = max(best[0, which, group], likeness[which, place])
            best[1, which, group] = max(best[1, which, group], cosines[which, place])
    sums = best[:, 0, :found].copy()
    for which in range(1, probes):
        sums += best[:, which, :found]
    return likest[:found], sums / np.float32(probes)


@compiled
def _chosen(  # pragma: no cover - compiled
    slots: NDArray[np.int64], side: int, columns: _Columns, vectors: Floats,
    probes: CoarseProbes, count: int,
) -> NDArray[np.int64]:  # fmt: skip
    slots, cosines = _cosines(slots, side, columns, vectors)
    return _likest(slots, cosines, columns.coarse, columns.groups, probes, count)


@compiled
def _likest(  # pragma: no cover - compiled
    slots: NDArray[np.int64], cosines: Floats, coarse: Place, groups: Place,
    probes: CoarseProbes, count: int,
) -> NDArray[np.int64]:  # fmt: skip
    near = np.flatnonzero(_near(-cosines, COARSE_ROWS))
    slots, cosines = slots[near], cosines[:, near]
    distances = coarse_distances(slots, coarse, probes)
    likeness = cosines - np.float32(COARSE_WEIGHT) * distances
    is_near = _near(distances, SHORT_LIST_ROWS) | _near(-cosines, SHORT_LIST_ROWS)
    near = np.flatnonzero(is_near)
    likest, means = _grouped(slots[near], likeness[:, near], cosines[:, near], groups)
    chosen = np.empty(min(count, len(likest)), np.int64)
    for number in range(len(chosen)):
        best = np.argmax(means[0 if number < count - BY_VECTOR_GROUPS else 1])
        chosen[number] = likest[best]
        means[:, best] = -np.inf
    return chosen


@compiled
def slots_of(  # pragma: no cover - compiled
    column: Place, rows: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the slots of sorted rows, each once, without ``ABSENT``; the column is int32."""
    slots, found = np.empty(len(rows), np.int64), 0
    for number in range(len(rows)):
        if number + _AHEAD_ROWS < len(rows):
            ask_for(column, rows[number + _AHEAD_ROWS], _SLOT_OCTETS)
        where = pointer(address_of(column, rows[number], _SLOT_OCTETS))
        slot = carray(where, (1,), np.int32)[0]
        if slot != ABSENT and (number == 0 or rows[number] != rows[number - 1]):
            slots[found] = slot
            found += 1
    return slots[:found]
