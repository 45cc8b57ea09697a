"""The gallery in memory: FAISS finds a short list, the exact comparison orders it.

The vector alone is coarse; ``engine/comparison`` computes the score that counts. Every row is
compared in every search: graphs, clusters and hashes lose mated references far above any
threshold. Nothing is stored on disk.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from engine.comparison.compare import compare_many
from engine.comparison.multi_sample import fuse_groups
from engine.errors import DuplicateReference, UnknownReference
from engine.gallery.rows.readers_writer_lock import ReadersWriterLock
from engine.gallery.rows.validation import TemplateValidator
from engine.gallery.search.exact_index import ExactIndex
from engine.parameters import COMPARED_GROUPS, SHORT_LIST_ROWS
from engine.types import Candidate, Hand

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence, Set

    from engine.types import ExtractorId, GroupId, PalmTemplate, Reference, ReferenceId

_ATTEMPTS: Final = 8
"""How often a search restarts after a removal, before it holds the lock throughout."""


class ExactGallery:
    """Implements ``Gallery`` by exhaustive search in memory."""

    def __init__(self, extractor: ExtractorId, dimension: int) -> None:
        self._validator = TemplateValidator(extractor, dimension)
        self._lock = ReadersWriterLock()
        self._rows = {hand: ExactIndex(dimension) for hand in Hand}
        self._references: dict[ReferenceId, Reference] = {}
        self._groups: dict[GroupId, dict[ReferenceId, Reference]] = {}

    def enrol(self, references: Sequence[Reference]) -> None:
        """Add references, all or none."""
        sound = self._validator.references(references)
        with self._lock.writing():
            if any(reference.reference_id in self._references for reference in sound):
                raise DuplicateReference("a reference is already enrolled")
            self._add(sound)

    def replace(self, references: Sequence[Reference]) -> None:
        """Replace references of the same identifiers."""
        sound = self._validator.references(references)
        names = {reference.reference_id for reference in sound}
        with self._lock.writing():
            self._require_known(names)
            self._remove(names)
            self._add(sound)

    def erase(self, reference_ids: Sequence[ReferenceId]) -> None:
        """Remove references, all or none."""
        with self._lock.writing():
            self._require_known(set(reference_ids))
            self._remove(set(reference_ids))

    def erase_group(self, group_id: GroupId) -> int:
        """Remove a group; return how many references it had."""
        with self._lock.writing():
            leaving = set(self._groups.get(group_id, ()))
            self._remove(leaving)
            return len(leaving)

    def search(
        self, probes: Sequence[PalmTemplate], *, count: int = COMPARED_GROUPS
    ) -> list[Candidate]:
        """Find the most similar groups, best first."""
        ours = self._validator.probes(probes, count)
        for _ in range(_ATTEMPTS):
            with self._lock.reading():
                short_list = self._rows[ours[0].hand].nearest(ours, SHORT_LIST_ROWS)
            candidates = ranked(ours, short_list)[:count]
            with self._lock.reading():
                if all(self._references.get(r.reference_id) is r for r in short_list):
                    return candidates
        with self._lock.reading():
            short_list = self._rows[ours[0].hand].nearest(ours, SHORT_LIST_ROWS)
            return ranked(ours, short_list)[:count]

    def references_of(self, group_id: GroupId) -> list[Reference]:
        """Return a group's references."""
        with self._lock.reading():
            return list(self._groups.get(group_id, {}).values())

    def __contains__(self, reference_id: ReferenceId) -> bool:
        """Return whether a reference is enrolled."""
        with self._lock.reading():
            return reference_id in self._references

    def all_references(self) -> list[Reference]:
        """Return all references, oldest first."""
        with self._lock.reading():
            return list(self._references.values())

    def row_count(self, hand: Hand) -> int:
        """Return how many references of one hand are enrolled."""
        with self._lock.reading():
            return len(self._rows[hand])

    def __len__(self) -> int:
        """Return how many references are enrolled."""
        with self._lock.reading():
            return len(self._references)

    def _require_known(self, reference_ids: Set[ReferenceId]) -> None:
        unknown = sum(name not in self._references for name in reference_ids)
        if unknown:
            raise UnknownReference(f"{unknown} of the references are not enrolled")

    def _add(self, references: Sequence[Reference]) -> None:
        for hand, rows in self._rows.items():
            rows.add([r for r in references if r.template.hand is hand])
        for reference in references:
            self._references[reference.reference_id] = reference
            group = self._groups.setdefault(reference.group_id, {})
            group[reference.reference_id] = reference

    def _remove(self, reference_ids: Collection[ReferenceId]) -> None:
        for rows in self._rows.values():
            rows.remove(reference_ids)
        for reference_id in reference_ids:
            group_id = self._references.pop(reference_id).group_id
            del self._groups[group_id][reference_id]
            if not self._groups[group_id]:
                del self._groups[group_id]


def ranked(probes: Sequence[PalmTemplate], short_list: Sequence[Reference]) -> list[Candidate]:
    """Compare exactly, fuse by group, and sort, best first."""
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
    candidates = [
        Candidate(side_by_side[row].reference_id, side_by_side[row].group_id, score)
        for row, score in zip(best.tolist(), fused.tolist(), strict=True)
    ]
    return sorted(candidates, key=lambda c: (-c.score, c.group_id.bytes))
