"""What a packed gallery knows of each reference, by slot: a number that does not change.

A slot is reused after an erasure. Two tables map references and groups to slots; a group's
slots form a circular list in the order of enrolment. One writer at a time; ``changes``,
``sides``, ``groups``, ``vectors`` and ``coarse`` may be read beside it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.errors import DuplicateReference
from engine.gallery.rows.chunked_array import ChunkedArray
from engine.gallery.rows.coarse_codes import COARSE_BYTES, coarse_codes
from engine.gallery.rows.columns import HANDS, NAME_BYTES
from engine.gallery.rows.half_vectors import products
from engine.gallery.rows.id_table import ABSENT, IdTable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from engine.types import Reference, ReferenceId

__all__ = ["HANDS", "Records"]


class Records:
    """The columns.

    Attributes:
        changes: number of the change that wrote a slot, int64; 0 if it is empty.
        sides: which hand, as an index of ``HANDS``.
        ids: the reference's identifier, 16 bytes.
        groups: its group's, 16 bytes.
        rows: its packed row among those of its hand, int32.
        vectors: its vector, not rotated, float16.
        coarse: its coarse code, 64 bytes.
    """

    def __init__(self, dimension: int) -> None:
        self.changes = ChunkedArray((), np.int64)
        self.sides = ChunkedArray((), np.uint8)
        self.ids = ChunkedArray((16,), np.uint8)
        self.groups = ChunkedArray((16,), np.uint8)
        self.rows = ChunkedArray((), np.int32)
        self.vectors = ChunkedArray((dimension,), np.float16)
        self.coarse = ChunkedArray((COARSE_BYTES,), np.uint8)
        self._next = ChunkedArray((), np.int32)
        # Without ``self``: in a circle, gigabytes would wait for the garbage collector.
        ids, groups = self.ids, self.groups
        self._by_id = IdTable(lambda slot: ids[slot].tobytes())
        self._by_group = IdTable(lambda slot: groups[slot].tobytes())
        self._free: list[int] = []
        self.slot_count = 0
        self.live_count = 0

    def find(self, reference_id: ReferenceId) -> int:
        """Return a reference's slot, or ``ABSENT``."""
        return self._by_id.find(reference_id.bytes)

    def of_group(self, group: bytes) -> list[int]:
        """Return the slots of a group, oldest first."""
        newest = self._by_group.find(group)
        return [] if newest == ABSENT else self.ring(int(self._next[newest]))

    def ring(self, slot: int) -> list[int]:
        """Return all slots of a slot's group, itself first; may miss some during a change."""
        group = self.groups[slot].tobytes()
        ring = {slot: None}
        following = int(self._next[slot])
        while following not in ring and self._is_of(following, group):
            ring[following] = None
            following = int(self._next[following])
        return list(ring)

    def _is_of(self, slot: int, group: bytes) -> bool:
        return 0 <= slot < self.slot_count and self.groups[slot].tobytes() == group

    def reserve(self, count: int) -> NDArray[np.int64]:
        """Return empty slots, to be published or released."""
        again = min(count, len(self._free))
        fresh = range(self.slot_count, self.slot_count + count - again)
        slots = np.array([*self._free[len(self._free) - again :], *fresh], np.int64)
        del self._free[len(self._free) - again :]
        self.slot_count = fresh.stop
        self._grow()
        return slots

    def release(self, slots: NDArray[np.int64]) -> None:
        """Release reserved slots that were not published."""
        for column in (self.vectors, self.coarse, self.ids, self.groups):
            column.put(slots, np.zeros((len(slots), 1), np.uint8))
        self._free.extend(slots.tolist())

    def fill(
        self, slots: NDArray[np.int64], references: Sequence[Reference], first_row: list[int]
    ) -> None:
        """Write references into reserved slots, invisible before ``publish``.

        ``first_row`` is the next packed row of each of ``HANDS``.
        """
        rows = list(first_row)
        vectors = np.stack([r.template.vector for r in references])
        self.vectors.put(slots, vectors.astype(np.float16))
        self.coarse.put(slots, coarse_codes(np.stack([r.template.code for r in references])))
        for slot, reference in zip(slots.tolist(), references, strict=True):
            side = HANDS.index(reference.template.hand)
            self.sides[slot] = side
            self.ids[slot] = np.frombuffer(reference.reference_id.bytes, np.uint8)
            self.groups[slot] = np.frombuffer(reference.group_id.bytes, np.uint8)
            self.rows[slot] = rows[side]
            rows[side] += 1

    def publish(self, slots: NDArray[np.int64], change: int) -> None:
        """Make filled slots visible."""
        self.live_count += len(slots)
        self.changes.put(slots, np.full(len(slots), change))
        for slot in slots.tolist():
            self._by_id.set(self.ids[slot].tobytes(), slot)
            self._chain(slot)

    def erase(self, slot: int) -> None:
        """Remove a reference and overwrite its data."""
        self._unchain(slot)
        self._by_id.remove(self.ids[slot].tobytes())
        self.changes[slot] = 0
        self.vectors[slot] = 0
        self.coarse[slot] = 0
        self.ids[slot] = 0
        self.groups[slot] = 0
        self._free.append(slot)
        self.live_count -= 1

    def names(self, slots: NDArray[np.int64]) -> NDArray[np.uint8]:
        """Return identifier and group of slots, shape (slots, 32); zeros of empty ones."""
        names = np.empty((len(slots), NAME_BYTES), np.uint8)
        names[:, :16], names[:, 16:] = self.ids.take(slots), self.groups.take(slots)
        return names

    def products(
        self, slots: NDArray[np.int64], probes: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """Return the cosines of probes and slots, shape (probes, slots), float32.

        Half precision changes a vector's length by less than 1e-6. Empty slots give 0.
        """
        return products(self.vectors.place, slots, probes)

    def load(self, blocks: Iterable[NDArray[np.void]]) -> NDArray[np.uint8]:
        """Fill empty records, the first row into slot 0; return the packed rows by slot.

        The caller fills ``rows``.

        Raises:
            DuplicateReference: an identifier comes twice.
        """
        packed = [np.zeros((0, 0), np.uint8)]
        for block in blocks:
            first = self.slot_count
            self.slot_count += len(block)
            self._grow()
            self.ids.put_from(first, block["name"][:, :16])
            self.groups.put_from(first, block["name"][:, 16:])
            self.changes.put_from(first, block["change"])
            self.sides.put_from(first, block["side"])
            self.vectors.put_from(first, block["vector"])
            self.coarse.put_from(first, block["coarse"])
            packed.append(block["packed"].copy())
        self._fill_tables()
        return np.concatenate(packed[1:] or packed)

    def _fill_tables(self) -> None:
        slots = np.arange(self.slot_count)
        changes = self.changes.first(self.slot_count)
        alive = slots[changes > 0]
        ids = self.ids.first(self.slot_count)[changes > 0]
        if len(alive) > 1 and len(np.unique(np.ascontiguousarray(ids).view("V16"))) < len(ids):
            raise DuplicateReference("a reference comes twice")
        self._by_id.fill(ids, alive)
        self._fill_rings(alive, changes[alive])
        self.live_count = len(alive)
        self._free = slots[changes == 0][::-1].tolist()

    @property
    def free_slots(self) -> list[int]:
        """Slots that were erased or never used."""
        return self._free

    def _fill_rings(self, alive: NDArray[np.int64], changes: NDArray[np.int64]) -> None:
        if len(alive) == 0:
            return
        groups = self.groups.first(self.slot_count)[alive]
        halves = np.ascontiguousarray(groups).view(np.uint64).reshape(-1, 2)
        order = np.lexsort((changes, halves[:, 0], halves[:, 1]))
        alive, halves = alive[order], halves[order]
        is_first = np.append(True, (halves[1:] != halves[:-1]).any(axis=1))
        firsts = np.flatnonzero(is_first)
        lasts = np.append(firsts[1:], len(alive)) - 1
        following = np.roll(alive, -1)
        following[lasts] = alive[firsts]
        self._next.put(alive, following)
        self._by_group.fill(groups[order][lasts], alive[lasts])

    def _grow(self) -> None:
        for column in (self.changes, self.sides, self.ids, self.groups, self.rows, self._next):
            column.grow_to(self.slot_count)
        self.vectors.grow_to(self.slot_count)
        self.coarse.grow_to(self.slot_count)

    def _chain(self, slot: int) -> None:
        """Insert a slot into its group's list, between the newest and the oldest."""
        group = self.groups[slot].tobytes()
        newest = self._by_group.find(group)
        if newest == ABSENT:
            self._next[slot] = slot
        else:
            self._next[slot] = int(self._next[newest])
            self._next[newest] = slot
        self._by_group.set(group, slot)

    def _unchain(self, slot: int) -> None:
        group = self.groups[slot].tobytes()
        before = self.ring(slot)[-1]
        if before == slot:
            self._by_group.remove(group)
            return
        self._next[before] = int(self._next[slot])
        if self._by_group.find(group) == slot:
            self._by_group.set(group, before)
