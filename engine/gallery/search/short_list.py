"""The compiled way from scanned rows to the groups to compare. Releases the GIL.

It is two calls, because beside enrolments a search waits for the interpreter after each.
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
    coarse_probes,
    least_distance,
    new_work,
    no_probes,
    places,
)
from engine.parameters import BY_VECTOR_GROUPS, COARSE_WEIGHT, CODE_BYTES, SHORT_LIST_ROWS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from engine.gallery.rows.addresses import Place

    Floats = NDArray[np.float32]

_AHEAD_ROWS: Final = 4
"""How many rows ahead memory is prefetched."""

_NAME_OCTETS: Final = 16
_CHANGE_OCTETS: Final = 8
_SLOT_OCTETS: Final = 4


class ShortList:
    """Measures and groups slots for the probes of one search, of one hand."""

    def __init__(
        self, records: Records, side: int, vectors: Floats, codes: Sequence[NDArray[np.uint8]]
    ) -> None:
        self._records, self._side, self._vectors = records, side, vectors
        self._coarse = coarse_probes(codes)

    def measured(self, slots: NDArray[np.int64]) -> Measured:
        """Measure those slots that hold a reference of this hand."""
        is_ours, numbers = _measure(
            slots, self._side, *_places(self._records), self._vectors, *self._coarse, places()
        )
        if is_ours.all():
            return Measured(slots, numbers)
        return Measured(slots[is_ours], np.compress(is_ours, numbers, axis=2))

    def chosen(self, measured: Measured, count: int) -> tuple[NDArray[np.int64], Floats]:
        """Choose the groups to compare: the last few by the cosine, the rest by likeness.

        Returns:
            The first slot of each, and the likeness and the cosine of which another group must
            reach one to be chosen, shape (2,); −∞ if all were chosen.
        """
        groups = self._records.groups.place
        return _chosen(*measured, groups, SHORT_LIST_ROWS, count - BY_VECTOR_GROUPS, count)


class Measured(NamedTuple):
    """Slots, and of each probe and each slot three numbers.

    Attributes:
        numbers: shape (3, probes, slots), float32: the distance of coarse codes, the cosine,
            and the likeness: the cosine minus a weight times the distance.
    """

    slots: NDArray[np.int64]
    numbers: Floats


def prepare() -> None:
    """Load or compile the kernels before the first search."""
    records, slots = Records(8), np.zeros(1, np.int64)
    records.reserve(1)
    vectors, code = np.zeros((1, 8), np.float32), np.zeros(CODE_BYTES, np.uint8)
    short_list = ShortList(records, 0, vectors, [code])
    short_list.chosen(short_list.measured(slots), BY_VECTOR_GROUPS + 1)
    slots_of(records.rows.place, slots)


def compile_all() -> None:
    """Compile the kernels."""
    records, slots = Records(8), np.zeros(1, np.int64)
    numbers = np.zeros((3, 1, 1), np.float32)
    compile_for(_measure, slots, 0, *_places(records), numbers[0], *no_probes(1), places())
    compile_for(_chosen, slots, numbers, records.groups.place, 1, 1, 1)
    compile_for(slots_of, records.rows.place, slots)


def _places(records: Records) -> tuple[Place, Place, Place, Place]:
    return (
        records.changes.place,
        records.sides.place,
        records.coarse.place,
        records.vectors.place,
    )


@compiled
def _is_of(  # pragma: no cover - compiled
    slot: int, side: int, changes: Place, sides: Place
) -> bool:
    found = carray(pointer(address_of(sides, slot, 1)), (1,), np.uint8)[0]
    change = carray(pointer(address_of(changes, slot, _CHANGE_OCTETS)), (1,), np.int64)[0]
    return bool(found == side and change > 0)


@compiled
def _measure(  # pragma: no cover - compiled  # noqa: PLR0913 - compiled: numbers and arrays only
    slots: NDArray[np.int64],
    side: int,
    changes: Place,
    sides: Place,
    coarse: Place,
    vectors: Place,
    probes: Floats,
    bits: NDArray[np.uint32],
    seen: NDArray[np.uint32],
    hidden: NDArray[np.uint8],
    extra: NDArray[np.uint16],
) -> tuple[NDArray[np.bool_], Floats]:
    """Return which slots hold a reference of this hand, and the numbers of ``Measured``."""
    is_ours = np.empty(len(slots), np.bool_)
    numbers = np.empty((3, len(probes), len(slots)), np.float32)
    work, dimension = new_work(), probes.shape[1]
    for place in range(len(slots)):
        if place + _AHEAD_ROWS < len(slots):
            ahead = slots[place + _AHEAD_ROWS]
            ask_for(coarse, ahead, COARSE_BYTES)
            ask_for(vectors, ahead, 2 * dimension)
            ask_for(changes, ahead, _CHANGE_OCTETS)
            ask_for(sides, ahead, 1)
        slot = slots[place]
        is_ours[place] = _is_of(slot, side, changes, sides)
        row, vector = (
            address_of(coarse, slot, COARSE_BYTES),
            halves_at(vectors, slot, dimension),
        )
        for which in range(len(probes)):
            distance = least_distance(row, bits[which], seen[which], hidden[which], extra, work)
            cosine = product(vector, probes[which])
            numbers[0, which, place], numbers[1, which, place] = distance, cosine
            numbers[2, which, place] = cosine - np.float32(COARSE_WEIGHT) * distance
    return is_ours, numbers


@compiled
def _nearest(numbers: Floats, count: int) -> NDArray[np.int64]:  # pragma: no cover - compiled
    """Return the columns that are among the nearest of a probe by distance or by cosine.

    All that are as near as the last of them, too: distances are coarse.
    """
    is_near = np.full(numbers.shape[2], numbers.shape[2] <= count, np.bool_)
    if numbers.shape[2] > count:
        for which in range(numbers.shape[1]):
            for far in (numbers[0, which], -numbers[1, which]):
                is_near |= far <= np.partition(far, count - 1)[count - 1]
    return np.flatnonzero(is_near)


@compiled
def _grouped(  # pragma: no cover - compiled
    slots: NDArray[np.int64], numbers: Floats, groups: Place, near: NDArray[np.int64]
) -> tuple[NDArray[np.int64], Floats]:
    """Group near columns.

    Returns:
        The first slot of each group, and its best likeness and its best cosine, each the mean
        over probes, shape (2, groups).
    """
    probes, found = numbers.shape[1], 0
    names, firsts = np.empty((len(near), 2), np.uint64), np.empty(len(near), np.int64)
    best = np.full((2, probes, len(near)), -np.inf, np.float32)
    for place in near:
        ask_for(groups, slots[place], _NAME_OCTETS)
    for place in near:
        where = pointer(address_of(groups, slots[place], _NAME_OCTETS))
        name = carray(where, (2,), np.uint64)
        first, second, group = name[0], name[1], 0
        while group < found and (names[group, 0] != first or names[group, 1] != second):
            group += 1
        if group == found:
            names[group, 0], names[group, 1], firsts[group] = first, second, slots[place]
            found += 1
        for which in range(probes):
            best[0, which, group] = max(best[0, which, group], numbers[2, which, place])
            best[1, which, group] = max(best[1, which, group], numbers[1, which, place])
    sums = best[:, 0, :found].copy()
    for which in range(1, probes):
        sums += best[:, which, :found]
    return firsts[:found], sums / np.float32(probes)


@compiled
def _chosen(  # pragma: no cover - compiled
    slots: NDArray[np.int64],
    numbers: Floats,
    groups: Place,
    near_count: int,
    likely_count: int,
    count: int,
) -> tuple[NDArray[np.int64], Floats]:
    firsts, means = _grouped(slots, numbers, groups, _nearest(numbers, near_count))
    lowest = np.full(2, -np.inf, np.float32)
    chosen = np.empty(min(count, len(firsts)), np.int64)
    for number in range(len(chosen)):
        order = 0 if number < likely_count else 1
        best = np.argmax(means[order])
        chosen[number] = firsts[best]
        if len(firsts) > count:
            lowest[order] = means[order, best]
        means[:, best] = -np.inf
    return chosen, lowest


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
