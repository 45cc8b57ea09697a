"""From scanned rows to a candidate list: short list, groups, exact comparison.

In a small gallery the rows nearest by their vectors are compared, as
``engine.comparison.compare`` does. In a large one scanned rows are ordered by the cosine of
their vectors minus a weight times the distance of their coarse codes, and grouped; the last few
groups are chosen by the cosine alone, because coarse codes are blind to large shifts. There a
fixed number of groups is compared, so that a non-mated search costs as much as a mated one.
Cosines use half precision: scores differ by less than 1e-5.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

import numpy as np

from engine.comparison.compare import compare_many, fused_scores
from engine.comparison.multi_sample import fuse_groups
from engine.comparison.vector_penalty import load_vector_penalty
from engine.gallery.rows.columns import HANDS
from engine.gallery.search.short_list import chosen_slots
from engine.parameters import SHORT_LIST_ROWS
from engine.types import Candidate, GroupId, ReferenceId

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from engine.gallery.search.row_store import RowStore
    from engine.types import PalmTemplate, Reference


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
        self._probes, self._records, self._codes = probes, rows.records, rows.codes
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
            computed = self._computed(slots[new], names[new])
            self._scores |= zip([keys[n] for n in new], computed.T, strict=True)
        found = [self._scores[key] for key in keys]
        return np.array(found, np.float32).reshape(-1, len(self._probes)).T, names

    def _computed(
        self, slots: NDArray[np.int64], names: NDArray[np.uint8]
    ) -> NDArray[np.float32]:
        codes = self._codes.get(slots, names)
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
