"""The gallery in memory: a scan of every row, then an exact comparison.

Up to 20,000 rows a search computes every cosine and compares the nearest rows exactly.
Above, it scans packed rows, orders the nearest by the cosine of their stored vectors and by
their coarse codes, and compares the best groups exactly. Searches scan without a lock; the
result is consistent with the gallery at the moment of the final ranking.
"""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.comparison.compare import prepare
from engine.errors import DuplicateReference, UnknownReference
from engine.features.code_bytes import code_bytes_of
from engine.gallery.rows import ABSENT, HANDS, TemplateValidator, packed_bits
from engine.gallery.search.pq_layout import check_addressing
from engine.gallery.search.ranking import Ranking
from engine.gallery.search.row_store import RowStore
from engine.gallery.search.side_index import scanned_rows
from engine.parameters import (
    COMPARED_GROUPS,
    EXACT_GALLERY_ROWS,
    PACKED_SEGMENT_ROWS,
    SHORT_LIST_ROWS,
)
from engine.types import (
    Candidate,
    ExtractorId,
    GroupId,
    Hand,
    PalmTemplate,
    Reference,
    ReferenceId,
)

_ATTEMPTS: Final = 3
"""How often a search ranks again after changes, before it takes the write lock."""


class MemoryGallery:
    """Implements ``Gallery`` and ``ChangeableGallery`` in memory.

    Args:
        extractor: whose templates it holds.
        dimension: of their vectors.
        code_bytes: of their codes; None: as the extractor's are.
        exact_rows: most rows of which every cosine is computed.
        threads: that share the scan of one search.
        segment_rows: packed rows allocated at once, of all threads.

    Attributes:
        searched: called with the probes of every search.

    Raises:
        GalleryFault: this dimension cannot be packed, or this FAISS packs in an unknown way.
    """

    def __init__(
        self,
        extractor: ExtractorId,
        dimension: int,
        *,
        code_bytes: int | None = None,
        exact_rows: int = EXACT_GALLERY_ROWS,
        threads: int = 1,
        segment_rows: int = PACKED_SEGMENT_ROWS,
    ) -> None:
        check_addressing(dimension, packed_bits(dimension))
        prepare()
        self._extractor, self._dimension = extractor, dimension
        self._validator = TemplateValidator(extractor, dimension)
        self._code_bytes = code_bytes_of(extractor) if code_bytes is None else code_bytes
        self._exact_rows, self._threads = exact_rows, threads
        self._segment_rows = segment_rows
        self.searched: Callable[[Sequence[PalmTemplate]], None] = lambda _: None
        self._rows = self._empty()

    def enrol(self, references: Sequence[Reference]) -> None:
        """Add references, all or none."""
        sound, rows = self._validator.references(references), self._rows
        with rows.versions.write_lock():
            if any(rows.records.find(r.reference_id) != ABSENT for r in sound):
                raise DuplicateReference("a reference is already enrolled")
            rows.exchange([], sound)

    def erase(self, reference_ids: Sequence[ReferenceId]) -> None:
        """Remove references, all or none."""
        rows = self._rows
        with rows.versions.write_lock():
            slots = [rows.records.find(each) for each in dict.fromkeys(reference_ids)]
            if unknown := slots.count(ABSENT):
                raise UnknownReference(f"{unknown} of the references are not enrolled")
            rows.exchange(slots, [])

    def search(
        self, probes: Sequence[PalmTemplate], *, count: int = COMPARED_GROUPS
    ) -> list[Candidate]:
        """Find the most similar groups, best first."""
        candidates = self.find(probes, count=count)
        self.searched(probes)
        return candidates

    def find(
        self, probes: Sequence[PalmTemplate], *, count: int, exact: bool = False
    ) -> list[Candidate]:
        """Search, but do not call ``searched``.

        ``exact``: compute every cosine, slow, for audits.
        """
        ours = self._validator.probes(probes, count)
        while True:
            rows = self._rows
            is_small = rows.records.live_count <= self._exact_rows
            ranking = Ranking(ours, rows, max(count, COMPARED_GROUPS), is_small=is_small)
            found = self._find_consistently(ours, rows, ranking, exact=exact)
            if rows is self._rows:
                return found[:count]

    def references_of(self, group_id: GroupId) -> list[Reference]:
        """Return a group's references; vectors have half precision."""
        rows = self._rows
        with rows.versions.write_lock():
            slots = rows.records.of_group(group_id.bytes)
            return [rows.reference(slot, self._extractor) for slot in slots]

    def __contains__(self, reference_id: ReferenceId) -> bool:
        """Return whether a reference is enrolled."""
        return self._rows.records.find(reference_id) != ABSENT

    def row_count(self, hand: Hand) -> int:
        """Return how many references of one hand are enrolled."""
        return len(self._rows.hands[HANDS.index(hand)])

    def __len__(self) -> int:
        """Return how many references are enrolled."""
        return self._rows.records.live_count

    @property
    def rows(self) -> RowStore:
        """The rows, for the disk."""
        return self._rows

    def load(self, blocks: Iterable[NDArray[np.void]]) -> None:
        """Replace all references by those of some blocks. Raises as ``RowStore.load``."""
        rows = self._empty()
        rows.load(blocks)
        self._rows = rows

    def _empty(self) -> RowStore:
        return RowStore(
            self._dimension,
            self._code_bytes,
            threads=self._threads,
            segment_rows=self._segment_rows,
        )

    def _find_consistently(
        self, probes: Sequence[PalmTemplate], rows: RowStore, ranking: Ranking, *, exact: bool
    ) -> list[Candidate]:
        versions = rows.versions
        while True:
            since = versions.changed_count
            slots = self._scan(probes, rows, ranking, exact=exact)
            for _ in range(_ATTEMPTS):
                version = versions.stable_version()
                candidates = _rank(ranking, slots, rows, since)
                if candidates is not None and versions.is_unchanged(version):
                    return candidates
            with versions.write_lock():
                candidates = _rank(ranking, slots, rows, since)
            if candidates is not None:
                return candidates

    def _scan(
        self, probes: Sequence[PalmTemplate], rows: RowStore, ranking: Ranking, *, exact: bool
    ) -> NDArray[np.int64]:
        vectors = np.stack([probe.vector for probe in probes])
        hand = rows.hands[HANDS.index(probes[0].hand)]
        if ranking.is_small:
            return hand.nearest_exactly(vectors, SHORT_LIST_ROWS, rows.records)
        if exact:
            return hand.nearest_exactly(vectors, scanned_rows(len(hand)), rows.records)
        return hand.nearest(vectors, self._pool)

    @cached_property
    def _pool(self) -> ThreadPoolExecutor | None:
        """Threads for all shares but the first; made late, since a fork copies none."""
        return ThreadPoolExecutor(self._threads - 1) if self._threads > 1 else None


def _rank(
    ranking: Ranking, slots: NDArray[np.int64], rows: RowStore, since: int
) -> list[Candidate] | None:
    """Rank scanned slots and those changed since; None if too many changed."""
    touched = rows.versions.changed_since(since)
    return None if touched is None else ranking.rank(slots, touched)
