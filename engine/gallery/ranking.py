"""From rows that look near to a candidate list: exact cosine, groups, exact comparison.

The packed scan is coarse. What it found is ranked by the cosine of the kept vectors, grouped,
and the best groups are compared as ``engine.compare`` does: only that score meets a threshold.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

import numpy as np

from engine.compare import compare_many
from engine.fusion import fuse
from engine.gallery.records import HANDS
from engine.parameters import SHORT_LIST_ROWS
from engine.types import Candidate, GroupId, PalmTemplate, ReferenceId

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from engine.gallery.code_store import CodeStore
    from engine.gallery.records import Records


class Ranking:
    """Ranks slots for the probes of one search; remembers the scores it has computed.

    Args:
        probes: of one hand.
        records: of the gallery.
        codes: of the gallery.
        group_count: how many groups are compared exactly.
    """

    def __init__(
        self,
        probes: Sequence[PalmTemplate],
        records: Records,
        codes: CodeStore,
        group_count: int,
    ) -> None:
        self._probes, self._records, self._codes = probes, records, codes
        self._vectors = np.stack([probe.vector for probe in probes])
        self._side = HANDS.index(probes[0].hand)
        self._group_count = group_count
        self._scores: dict[tuple[int, int], NDArray[np.float32]] = {}

    def candidates(self, slots: NDArray[np.int64]) -> list[Candidate]:
        """Return the best groups among slots, best first. Empty slots are passed over."""
        slots = np.unique(slots)
        born = self._records.born.take(slots)
        alive = (born > 0) & (self._records.sides.take(slots) == self._side)
        slots, born = slots[alive], born[alive]
        if len(slots) == 0:
            return []
        cosines = self._cosines(slots)
        near = _among_the_nearest(cosines, SHORT_LIST_ROWS)
        slots, born, cosines = slots[near], born[near], cosines[:, near]
        groups = self._records.groups.take(slots)
        members = _best_groups(groups, cosines, self._group_count)
        wanted = np.concatenate(members)
        self._compare(slots[wanted], born[wanted])
        found = [self._candidate(slots[rows], born[rows], groups[rows[0]]) for rows in members]
        return sorted(found, key=lambda c: (-c.score, c.group_id.bytes))

    def _cosines(self, slots: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the cosines of each probe and each slot, shape (probes, slots)."""
        vectors = self._records.vectors.take(slots).astype(np.float32)
        lengths = np.maximum(np.linalg.norm(vectors, axis=1), np.finfo(np.float32).tiny)
        cosines: NDArray[np.float32] = (self._vectors @ vectors.T) / lengths
        return cosines

    def _compare(self, slots: NDArray[np.int64], born: NDArray[np.int64]) -> None:
        """Compute the scores of those that have none yet."""
        keys = list(zip(slots.tolist(), born.tolist(), strict=True))
        new = [number for number, key in enumerate(keys) if key not in self._scores]
        if not new:
            return
        first = self._probes[0]
        references = [
            PalmTemplate(first.extractor, first.hand, first.vector, code)
            for code in self._codes.take(slots[new])
        ]
        scores = np.stack([compare_many(probe, references) for probe in self._probes])
        for number, column in zip(new, scores.T, strict=True):
            self._scores[keys[number]] = column

    def _candidate(
        self, slots: NDArray[np.int64], born: NDArray[np.int64], group: NDArray[np.uint8]
    ) -> Candidate:
        """Return the candidate of one group."""
        keys = zip(slots.tolist(), born.tolist(), strict=True)
        score, best = fuse(np.stack([self._scores[key] for key in keys], axis=1))
        identifier = UUID(bytes=self._records.ids[int(slots[best])].tobytes())
        return Candidate(ReferenceId(identifier), GroupId(UUID(bytes=group.tobytes())), score)


def _among_the_nearest(cosines: NDArray[np.float32], count: int) -> NDArray[np.int64]:
    """Return the columns that are among the ``count`` highest of at least one row."""
    if cosines.shape[1] <= count:
        return np.arange(cosines.shape[1])
    return np.unique(np.argpartition(-cosines, count - 1, axis=1)[:, :count])


def _best_groups(
    groups: NDArray[np.uint8], cosines: NDArray[np.float32], count: int
) -> list[NDArray[np.int64]]:
    """Return the rows of the groups whose best cosine, averaged over the probes, is highest.

    Args:
        groups: whose each row is, shape (rows, 16).
        cosines: shape (probes, rows).
        count: how many groups.
    """
    keys = np.ascontiguousarray(groups).view("V16").ravel()
    names, group_of_row = np.unique(keys, return_inverse=True)
    best = np.full((len(names), len(cosines)), -np.inf, np.float32)
    np.maximum.at(best, group_of_row, cosines.T)
    order = np.argsort(-best.mean(axis=1), kind="stable")[:count]
    return [np.flatnonzero(group_of_row == group) for group in order]
