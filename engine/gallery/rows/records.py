"""Records of a packed gallery's references, by slot: a number that does not change.

A slot is reused after an erasure. One writer at a time; the arrays and ``of_group`` may be read
beside it. An array that is full is replaced by a larger copy, which readers see later.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from engine.comparison.kernels.half_vectors import products
from engine.errors import DuplicateReference
from engine.features.coarse_codes import COARSE_BYTES, coarse_codes
from engine.gallery.rows.columns import ABSENT, HANDS, NAME_BYTES, grown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from engine.types import Reference, ReferenceId

_ID_BYTES: Final = 16
_COLUMNS: Final = ("changes", "sides", "ids", "groups", "rows", "vectors", "coarse")


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
        self.changes = np.zeros(0, np.int64)
        self.sides = np.zeros(0, np.uint8)
        self.ids = np.zeros((0, _ID_BYTES), np.uint8)
        self.groups = np.zeros((0, _ID_BYTES), np.uint8)
        self.rows = np.zeros(0, np.int32)
        self.vectors = np.zeros((0, dimension), np.float16)
        self.coarse = np.zeros((0, COARSE_BYTES), np.uint8)
        self._by_id: dict[bytes, int] = {}
        self._by_group: dict[bytes, tuple[int, ...]] = {}
        self._free: list[int] = []
        self.slot_count = 0

    @property
    def live_count(self) -> int:
        """Number of references."""
        return len(self._by_id)

    def find(self, reference_id: ReferenceId) -> int:
        """Return a reference's slot, or ``ABSENT``."""
        return self._by_id.get(reference_id.bytes, ABSENT)

    def of_group(self, group: bytes) -> tuple[int, ...]:
        """Return the slots of a group, oldest first."""
        return self._by_group.get(group, ())

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
            column[slots] = 0
        self._free.extend(slots.tolist())

    def fill(
        self, slots: NDArray[np.int64], references: Sequence[Reference], first_row: list[int]
    ) -> None:
        """Write references into reserved slots, invisible before ``publish``.

        ``first_row`` is the next packed row of each of ``HANDS``.
        """
        rows = list(first_row)
        vectors = np.stack([r.template.vector for r in references])
        self.vectors[slots] = vectors
        self.coarse[slots] = coarse_codes(np.stack([r.template.code for r in references]))
        for slot, reference in zip(slots.tolist(), references, strict=True):
            side = HANDS.index(reference.template.hand)
            self.sides[slot] = side
            self.ids[slot] = np.frombuffer(reference.reference_id.bytes, np.uint8)
            self.groups[slot] = np.frombuffer(reference.group_id.bytes, np.uint8)
            self.rows[slot] = rows[side]
            rows[side] += 1

    def publish(self, slots: NDArray[np.int64], change: int) -> None:
        """Make filled slots visible."""
        self.changes[slots] = change
        for slot in slots.tolist():
            self._by_id[self.ids[slot].tobytes()] = slot
            group = self.groups[slot].tobytes()
            self._by_group[group] = (*self.of_group(group), slot)

    def erase(self, slot: int) -> None:
        """Remove a reference and overwrite its data."""
        del self._by_id[self.ids[slot].tobytes()]
        group = self.groups[slot].tobytes()
        others = tuple(each for each in self._by_group.pop(group) if each != slot)
        if others:
            self._by_group[group] = others
        self.changes[slot] = 0
        self.vectors[slot] = 0
        self.coarse[slot] = 0
        self.ids[slot] = 0
        self.groups[slot] = 0
        self._free.append(slot)

    def names(self, slots: NDArray[np.int64]) -> NDArray[np.uint8]:
        """Return identifier and group of slots, shape (slots, 32); zeros of empty ones."""
        names = np.empty((len(slots), NAME_BYTES), np.uint8)
        names[:, :16], names[:, 16:] = self.ids[slots], self.groups[slots]
        return names

    def products(
        self, slots: NDArray[np.int64], probes: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """Return the cosines of probes and slots, shape (probes, slots), float32.

        Half precision changes a vector's length by less than 1e-6. Empty slots give 0.
        """
        return products(self.vectors, slots, probes)

    def load(self, blocks: Iterable[NDArray[np.void]]) -> NDArray[np.uint8]:
        """Fill empty records, the first row into slot 0; return the packed rows by slot.

        The caller fills ``rows``.

        Raises:
            DuplicateReference: an identifier comes twice.
        """
        packed = [np.zeros((0, 0), np.uint8)]
        for block in blocks:
            here = slice(self.slot_count, self.slot_count + len(block))
            self.slot_count = here.stop
            self._grow()
            self.ids[here] = block["name"][:, :_ID_BYTES]
            self.groups[here] = block["name"][:, _ID_BYTES:]
            self.changes[here], self.sides[here] = block["change"], block["side"]
            self.vectors[here], self.coarse[here] = block["vector"], block["coarse"]
            packed.append(block["packed"].copy())
        self._fill_tables()
        return np.concatenate(packed[1:] or packed)

    def _fill_tables(self) -> None:
        changes = self.changes[: self.slot_count]
        self._free = np.flatnonzero(changes == 0)[::-1].tolist()
        alive = np.flatnonzero(changes > 0)
        alive = alive[np.argsort(changes[alive], kind="stable")]
        names = zip(self.ids[alive], self.groups[alive], alive.tolist(), strict=True)
        for reference, group, slot in names:
            self._by_id[reference.tobytes()] = slot
            name = group.tobytes()
            self._by_group[name] = (*self.of_group(name), slot)
        if len(self._by_id) < len(alive):
            raise DuplicateReference("a reference comes twice")

    @property
    def free_slots(self) -> list[int]:
        """Slots that were erased or never used."""
        return self._free

    def _grow(self) -> None:
        for name in _COLUMNS:
            setattr(self, name, grown(getattr(self, name), self.slot_count))
