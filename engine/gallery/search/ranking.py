"""From scanned rows to a candidate list: short list, groups, exact comparison.

In a small gallery the rows nearest by their vectors are compared, as
``engine.comparison.compare`` does. In a large one scanned rows are ordered by the cosine of
their vectors minus a weight times the distance of their coarse codes, and grouped; the last few
groups are chosen by the cosine alone, because coarse codes are blind to large shifts. There a
fixed number of groups is compared, so that a non-mated search costs as much as a mated one.
Cosines use half precision: scores differ by less than 1e-5.

Of all scanned rows the cosine is computed, of the nearest by it the distance of the coarse
codes.
"""

from collections.abc import Iterable, Sequence
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from engine.comparison.compare import (
    compare_many,
    fuse_groups,
    fused_scores,
    load_vector_penalty,
)
from engine.comparison.kernels.coarse import coarse_distances
from engine.gallery.rows import HANDS, Records
from engine.gallery.search.row_store import RowStore
from engine.parameters import BY_VECTOR_GROUPS, COARSE_ROWS, COARSE_WEIGHT, SHORT_LIST_ROWS
from engine.types import Candidate, GroupId, PalmTemplate, Reference, ReferenceId

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


class Ranking:
    """Ranks slots for the probes of one search, and caches their scores.

    Of a large gallery ``group_count`` groups are compared exactly.
    """

    def __init__(
        self,
        probes: Sequence[PalmTemplate],
        rows: RowStore,
        group_count: int,
        *,
        is_small: bool,
    ) -> None:
        self.is_small = is_small
        self._probes, self._records = probes, rows.records
        self._vectors = np.stack([probe.vector for probe in probes])
        self._side = HANDS.index(probes[0].hand)
        self._group_count = group_count
        self._scores: dict[tuple[int, int], NDArray[np.float32]] = {}

    def rank(self, slots: NDArray[np.int64], touched: NDArray[np.int64]) -> list[Candidate]:
        """Return the best groups among slots, best first, ignoring empty slots.

        Args:
            slots: found by the scan, each once.
            touched: changed since the scan began.
        """
        if len(touched):
            slots = _joined(slots, touched)
        if self.is_small:
            return _sorted(self._candidates(self._nearest_groups(slots)))
        codes = [probe.code for probe in self._probes]
        chosen = chosen_slots(
            self._records, self._side, self._vectors, codes, slots, self._group_count
        )
        groups = [self._whole_group(slot) for slot in chosen.tolist()]
        return _sorted(self._candidates([group for group in groups if group]))

    def _nearest_groups(self, slots: NDArray[np.int64]) -> list[list[int]]:
        """Return the slots nearest to any probe by their vectors, by group."""
        records = self._records
        is_alive = records.changes[slots] > 0
        slots = slots[is_alive & (records.sides[slots] == self._side)]
        if len(slots) > SHORT_LIST_ROWS:
            far = -records.products(slots, self._vectors)
            near = np.argpartition(far, SHORT_LIST_ROWS - 1, axis=1)[:, :SHORT_LIST_ROWS]
            slots = slots[np.unique(near)]
        groups: dict[bytes, list[int]] = {}
        names = records.groups[slots]
        for slot, name in zip(slots.tolist(), names, strict=True):
            groups.setdefault(name.tobytes(), []).append(slot)
        return list(groups.values())

    def _whole_group(self, slot: int) -> list[int]:
        group = self._records.groups[slot].tobytes()
        return [each for each in self._records.of_group(group) if self._is_ours(each)]

    def _is_ours(self, slot: int) -> bool:
        records = self._records
        return bool(records.sides[slot] == self._side and records.changes[slot] > 0)

    def _candidates(self, groups: list[list[int]]) -> list[Candidate]:
        if not groups:
            return []
        slots = np.array([slot for group in groups for slot in group], np.int64)
        scores, names = self._compared(slots)
        firsts = np.cumsum([0, *(len(group) for group in groups)])
        fused, best = fuse_groups(scores, firsts)
        group_names = names[firsts[:-1], 16:]
        lines = zip(names[best, :16], group_names, fused.tolist(), strict=True)
        return [_candidate(line[0].tobytes(), line[1].tobytes(), line[2]) for line in lines]

    def _compared(
        self, slots: NDArray[np.int64]
    ) -> tuple[NDArray[np.float32], NDArray[np.uint8]]:
        """Return the scores of each probe and each slot, shape (probes, slots), and names.

        The cache key is slot and change: it names what the slot held.
        """
        # In this order: a writer that fills a slot again writes its change last.
        changes, names = self._records.changes[slots], self._records.names(slots)
        keys = list(zip(slots.tolist(), changes.tolist(), strict=True))
        new = [n for n, key in enumerate(keys) if key not in self._scores]
        if new:
            computed = self._computed(slots[new])
            self._scores |= zip([keys[n] for n in new], computed.T, strict=True)
        found = [self._scores[key] for key in keys]
        return np.array(found, np.float32).reshape(-1, len(self._probes)).T, names

    def _computed(self, slots: NDArray[np.int64]) -> NDArray[np.float32]:
        codes = self._records.codes[slots]
        cosines = self._records.products(slots, self._vectors)
        penalty = load_vector_penalty(self._probes[0].extractor)
        pairs = zip(self._probes, cosines, strict=True)
        return np.stack([fused_scores(p.code, codes, own, penalty) for p, own in pairs])


def ranked(probes: Sequence[PalmTemplate], short_list: Sequence[Reference]) -> list[Candidate]:
    """Compare references exactly, fuse by group, and sort, best first."""
    if not short_list:
        return []
    groups: dict[GroupId, list[Reference]] = {}
    for reference in short_list:
        groups.setdefault(reference.group_id, []).append(reference)
    side_by_side = [reference for group in groups.values() for reference in group]
    templates = [reference.template for reference in side_by_side]
    scores = np.stack([compare_many(probe, templates) for probe in probes])
    firsts = np.cumsum([0, *(len(group) for group in groups.values())])
    fused, best = fuse_groups(scores, firsts)
    return _sorted(
        Candidate(side_by_side[row].reference_id, side_by_side[row].group_id, score)
        for row, score in zip(best.tolist(), fused.tolist(), strict=True)
    )


def _sorted(candidates: Iterable[Candidate]) -> list[Candidate]:
    return sorted(candidates, key=lambda c: (-c.score, c.group_id.bytes))


def _joined(slots: NDArray[np.int64], touched: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return slots, each once, with those touched that are not among them."""
    fresh = touched[~_is_in(touched, slots)]
    return np.concatenate([slots, np.array(list(dict.fromkeys(fresh.tolist())), np.int64)])


def _is_in(few: NDArray[np.int64], many: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which of few slots are among many: ``np.isin`` takes 1.6 ms beside enrolments."""
    found: NDArray[np.bool_] = (few[:, None] == many).any(axis=1)
    return found


def _candidate(reference: bytes, group: bytes, score: float) -> Candidate:
    return Candidate(ReferenceId(UUID(bytes=reference)), GroupId(UUID(bytes=group)), score)
