"""The gallery for many references: a coarse scan, then an exact comparison.

Every search scans every packed row, orders the nearest by the cosine of their stored vectors
and by their coarse codes, and compares the best groups exactly. Searches scan without a lock;
the result is consistent with the gallery at the moment of the final ranking.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import TYPE_CHECKING, Final
from uuid import UUID

import numpy as np

from engine.errors import DuplicateReference, UnknownReference
from engine.gallery.rows.code_store import MemoryCodes
from engine.gallery.rows.columns import NAME_BYTES
from engine.gallery.rows.id_table import ABSENT
from engine.gallery.rows.records import HANDS, Records
from engine.gallery.rows.validation import TemplateValidator
from engine.gallery.search import scan_kernel, short_list
from engine.gallery.search.codebook import packed_bits
from engine.gallery.search.pq_layout import Encoder, check_addressing
from engine.gallery.search.ranking import Ranking
from engine.gallery.search.side_index import SideIndex
from engine.gallery.search.slot_columns import SlotColumns
from engine.gallery.versioned_reads import VersionedReads
from engine.parameters import CODE_BYTES, COMPARED_GROUPS, PACKED_SEGMENT_ROWS
from engine.types import GroupId, PalmTemplate, Reference, ReferenceId

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from engine.gallery.rows.code_store import CodeStore
    from engine.types import Candidate, ExtractorId, Hand

_ATTEMPTS: Final = 3
"""How often a search ranks again after changes, before it takes the write lock."""


class PackedGallery:
    """Implements ``Gallery`` by an exhaustive scan of packed rows.

    Args:
        extractor: whose templates it holds.
        dimension: of their vectors.
        codes: store of their codes; None: in memory.
        bits: of a packed row per dimension, 1 or 2; None: by the dimension.
        threads: that share the scan of one search, a shard each.
        segment_rows: rows allocated at once, a multiple of 32.

    Raises:
        GalleryFault: this dimension cannot be packed, or this FAISS packs in an unknown way.
    """

    def __init__(
        self,
        extractor: ExtractorId,
        dimension: int,
        *,
        codes: CodeStore | None = None,
        bits: int | None = None,
        threads: int = 1,
        segment_rows: int = PACKED_SEGMENT_ROWS,
    ) -> None:
        bits = packed_bits(dimension) if bits is None else bits
        check_addressing(dimension, bits)
        scan_kernel.prepare()
        short_list.prepare()
        self._extractor = extractor
        self._validator = TemplateValidator(extractor, dimension)
        self._threads = threads
        self._codes = MemoryCodes(CODE_BYTES) if codes is None else codes
        self._records, self._versions = (
            Records(dimension),
            VersionedReads(),
        )
        encoder = Encoder(dimension, bits)
        self._hands = [
            SideIndex(
                side,
                encoder,
                dimension=dimension,
                bits=bits,
                shards=threads,
                segment_rows=segment_rows,
            )
            for side in range(len(HANDS))
        ]
        self.slot_columns = SlotColumns(self._records, self._hands, self._versions, bits)

    def enrol(self, references: Sequence[Reference]) -> None:
        """Add references, all or none."""
        sound = self._validator.references(references)
        with self._versions.write_lock():
            if any(self._records.find(r.reference_id) != ABSENT for r in sound):
                raise DuplicateReference("a reference is already enrolled")
            self._exchange([], sound)

    def replace(self, references: Sequence[Reference]) -> None:
        """Replace references of the same identifiers."""
        sound = self._validator.references(references)
        with self._versions.write_lock():
            leaving = self._require_known([r.reference_id for r in sound])
            self._exchange(leaving, sound)

    def erase(self, reference_ids: Sequence[ReferenceId]) -> None:
        """Remove references, all or none."""
        with self._versions.write_lock():
            self._exchange(self._require_known(list(dict.fromkeys(reference_ids))), [])

    def erase_group(self, group_id: GroupId) -> int:
        """Remove a group; return how many references it had."""
        with self._versions.write_lock():
            leaving = self._records.of_group(group_id.bytes)
            self._exchange(leaving, [])
            return len(leaving)

    def search(
        self,
        probes: Sequence[PalmTemplate],
        *,
        count: int = COMPARED_GROUPS,
        exact: bool = False,
    ) -> list[Candidate]:
        """Find the most similar groups; ``exact``: compute every cosine, slow, for audits."""
        ours = self._validator.probes(probes, count)
        groups = max(count, COMPARED_GROUPS)
        ranking = Ranking(ours, self._records, self._codes, groups)
        return self._search_consistently(ours, ranking, exact=exact)[:count]

    def references_of(self, group_id: GroupId) -> list[Reference]:
        """Return a group's references; vectors have half precision."""
        with self._versions.write_lock():
            return [self._reference(slot) for slot in self._records.of_group(group_id.bytes)]

    def __contains__(self, reference_id: ReferenceId) -> bool:
        """Return whether a reference is enrolled."""
        return self._records.find(reference_id) != ABSENT

    def row_count(self, hand: Hand) -> int:
        """Return how many references of one hand are enrolled."""
        return len(self._hands[HANDS.index(hand)])

    def __len__(self) -> int:
        """Return how many references are enrolled."""
        return self._records.live_count

    def _search_consistently(
        self, probes: Sequence[PalmTemplate], ranking: Ranking, *, exact: bool
    ) -> list[Candidate]:
        versions = self._versions
        while True:
            since = versions.changed_count
            slots = self._scan(probes, exact=exact)
            for _ in range(_ATTEMPTS):
                version = versions.stable_version()
                candidates = self._rank(ranking, slots, since)
                if candidates is not None and versions.is_unchanged(version):
                    return candidates
            with versions.write_lock():
                candidates = self._rank(ranking, slots, since)
            if candidates is not None:
                return candidates

    def _rank(
        self, ranking: Ranking, slots: NDArray[np.int64], since: int
    ) -> list[Candidate] | None:
        """Rank scanned slots and those changed since; None if too many changed."""
        touched = self._versions.changed_since(since)
        return None if touched is None else ranking.rank(slots, touched)

    def _scan(self, probes: Sequence[PalmTemplate], *, exact: bool) -> NDArray[np.int64]:
        vectors = np.stack([probe.vector for probe in probes])
        hand = self._hands[HANDS.index(probes[0].hand)]
        if exact:
            return hand.nearest_exactly(vectors, self._records)
        return hand.nearest(vectors, self._pool)

    @cached_property
    def _pool(self) -> ThreadPoolExecutor | None:
        """Threads for all shards but the first; made late, since a fork copies none."""
        return ThreadPoolExecutor(self._threads - 1) if self._threads > 1 else None

    def _exchange(self, leaving: Sequence[int], references: Sequence[Reference]) -> None:
        slots = self._prepared(references)
        names = self._records.names(np.array(leaving, np.int64))
        sides = self._records.sides.take(slots)
        with self._versions.change() as change:
            for side in np.unique(sides).tolist():
                self._hands[side].add(int(np.count_nonzero(sides == side)))
            moved = [self._close_row(slot) for slot in leaving]
            for slot in leaving:
                self._records.erase(slot)
            self._records.publish(slots, change)
            touched = [*leaving, *(slot for slot in moved if slot != ABSENT), *slots.tolist()]
            self._versions.mark_changed(np.array(touched, np.int64))
            self.slot_columns.touch([*leaving, *slots.tolist()])
        self._codes.erase(np.array(leaving, np.int64), names)

    def _prepared(self, references: Sequence[Reference]) -> NDArray[np.int64]:
        if not references:
            return np.zeros(0, np.int64)
        slots = self._records.reserve(len(references))
        try:
            codes = np.stack([reference.template.code for reference in references])
            self._records.fill(slots, references, [len(hand) for hand in self._hands])
            self._codes.put(slots, codes, self._records.names(slots))
            sides = self._records.sides.take(slots)
            vectors = np.stack([reference.template.vector for reference in references])
            for side, hand in enumerate(self._hands):
                if (sides == side).any():
                    hand.prepare(slots[sides == side], vectors[sides == side])
        except BaseException:
            self._codes.erase(slots, np.zeros((len(slots), NAME_BYTES), np.uint8))
            self._records.release(slots)
            raise
        return slots

    def _close_row(self, slot: int) -> int:
        """Remove a slot's row; return the slot whose row moved into its place."""
        row = int(self._records.rows[slot])
        moved = self._hands[int(self._records.sides[slot])].remove(row)
        if moved != ABSENT:
            self._records.rows[moved] = row
        return moved

    def _reference(self, slot: int) -> Reference:
        records = self._records
        vector = records.vectors[slot].astype(np.float32)
        template = PalmTemplate(
            self._extractor,
            HANDS[int(records.sides[slot])],
            vector / np.float32(np.linalg.norm(vector)),
            self._codes.get(np.array([slot]), records.names(np.array([slot])))[0],
        )
        reference_id = ReferenceId(UUID(bytes=records.ids[slot].tobytes()))
        group_id = GroupId(UUID(bytes=records.groups[slot].tobytes()))
        return Reference(reference_id, group_id, template)

    def _require_known(self, reference_ids: Sequence[ReferenceId]) -> list[int]:
        slots = [self._records.find(reference_id) for reference_id in reference_ids]
        unknown = slots.count(ABSENT)
        if unknown:
            raise UnknownReference(f"{unknown} of the references are not enrolled")
        return slots
