"""The data of a gallery in memory: rows by slot, identifiers, and their form on disk.

A slot is a number that does not change. It is reused after an erasure. One writer at a time;
the arrays and ``of_group`` may be read beside it. An array that is full is replaced by a larger
copy, which readers see later.

Memory hints are for Linux with glibc; on other systems they do nothing.

References and probes are validated for every kind of gallery: a vector that is not finite or
too long would win every search.
"""

import ctypes
import mmap
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from engine.comparison.kernels.half_vectors import products
from engine.errors import DuplicateReference, ExtractorMismatch, GalleryFault, TemplateRefused
from engine.features.code_bytes import COARSE_BYTES, coarse_codes
from engine.parameters import CODE_BYTES, TWO_BIT_DIMENSION
from engine.template_codec import require_valid
from engine.types import ExtractorId, Hand, PalmTemplate, Reference, ReferenceId

ABSENT: Final = -1
"""The slot of a reference that the gallery does not hold."""

HANDS: Final = tuple(Hand)
"""``sides`` holds indices of it."""

NAME_BYTES: Final = 32
"""Length of the identifiers of a reference and its group together."""

_FIRST_ROWS: Final = 1024


def packed_bits(dimension: int) -> int:
    """Return the bits of a packed row per dimension of its vector."""
    return 2 if dimension <= TWO_BIT_DIMENSION else 1


BLOCK_SLOTS: Final = 256
"""Slots of a block on disk, rewritten when one of them changes: 0.4 MB (384 numbers)."""


def row_type(dimension: int, code_bytes: int = CODE_BYTES) -> np.dtype[np.void]:
    """Return the structure of a row; a row of zeros is empty.

    ``name`` is identifier and group, ``change`` the number of the change that wrote the row,
    ``side`` an index of ``HANDS``, ``vector`` has half precision, ``packed`` is what is
    scanned, ``coarse`` the coarse code and ``code`` the whole one.
    """
    return np.dtype(
        [
            ("name", "u1", NAME_BYTES),
            ("change", "<i8"),
            ("side", "u1"),
            ("vector", "<f2", dimension),
            ("packed", "u1", dimension * packed_bits(dimension) // 8),
            ("coarse", "u1", COARSE_BYTES),
            ("code", "u1", code_bytes),
        ]
    )


def grown(rows: NDArray[Any], count: int, *, fill: int = 0) -> NDArray[Any]:
    """Return these rows, or a copy with space for this many; readers may keep the old one."""
    if count <= len(rows):
        return rows
    size = max(count, len(rows) * 3 // 2, _FIRST_ROWS)
    larger: NDArray[Any] = np.zeros((size, *rows.shape[1:]), rows.dtype)
    larger[: len(rows)] = rows
    if fill:
        larger[len(rows) :] = fill
    return larger


_ID_BYTES: Final = 16
_COLUMNS: Final = ("changes", "sides", "ids", "groups", "rows", "vectors", "coarse", "codes")


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
        codes: its code, read for the short list only.
    """

    def __init__(self, dimension: int, code_bytes: int = CODE_BYTES) -> None:
        self.changes = np.zeros(0, np.int64)
        self.sides = np.zeros(0, np.uint8)
        self.ids = np.zeros((0, _ID_BYTES), np.uint8)
        self.groups = np.zeros((0, _ID_BYTES), np.uint8)
        self.rows = np.zeros(0, np.int32)
        self.vectors = np.zeros((0, dimension), np.float16)
        self.coarse = np.zeros((0, COARSE_BYTES), np.uint8)
        self.codes = np.zeros((0, code_bytes), np.uint8)
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
        slots = np.array([*self._free[len(self._free) - again :][::-1], *fresh], np.int64)
        del self._free[len(self._free) - again :]
        self.slot_count = fresh.stop
        self._grow()
        return slots

    def release(self, slots: NDArray[np.int64]) -> None:
        """Release reserved slots that were not published."""
        self._clear(slots)
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
        codes = np.stack([r.template.code for r in references])
        self.codes[slots], self.coarse[slots] = codes, coarse_codes(codes)
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
        self._clear(slot)
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
            self.codes[here] = block["code"]
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

    def _clear(self, slots: int | NDArray[np.int64]) -> None:
        for column in (self.vectors, self.coarse, self.codes, self.ids, self.groups):
            column[slots] = 0

    def _grow(self) -> None:
        for name in _COLUMNS:
            setattr(self, name, grown(getattr(self, name), self.slot_count))


_HUGE_PAGES: Final = 14
"""MADV_HUGEPAGE of Linux."""


def use_large_pages(array: NDArray[Any]) -> None:
    """Request huge pages for memory not used yet: a scan reads it a sixth faster."""
    first = -(-array.ctypes.data // mmap.PAGESIZE) * mmap.PAGESIZE
    size = (array.ctypes.data + array.nbytes - first) // mmap.PAGESIZE * mmap.PAGESIZE
    with suppress(OSError, AttributeError):
        library = ctypes.CDLL(None)
        library.madvise(ctypes.c_void_p(first), ctypes.c_size_t(max(size, 0)), _HUGE_PAGES)


def trim_memory() -> None:
    """Return freed memory to the system; glibc would keep it."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


@dataclass(frozen=True, slots=True)
class TemplateValidator:
    """Checks templates against a gallery's extractor and vector dimension."""

    extractor: ExtractorId
    dimension: int

    def references(self, references: Sequence[Reference]) -> list[Reference]:
        """Return references that may be enrolled. Raises as ``Gallery.enrol``."""
        sound = [replace(r, template=self._sound(r.template)) for r in references]
        if len({reference.reference_id for reference in sound}) < len(sound):
            raise DuplicateReference("a reference comes twice")
        return sound

    def probes(self, probes: Sequence[PalmTemplate], count: int) -> list[PalmTemplate]:
        """Return probes that may be searched. Raises as ``Gallery.search``."""
        if not probes or count < 1:
            raise GalleryFault("a search needs at least one probe and a count of at least 1")
        sound = [self._sound(probe) for probe in probes]
        if len({probe.hand for probe in sound}) > 1:
            raise ExtractorMismatch("the probes of one search are of two hands")
        return sound

    def _sound(self, template: PalmTemplate) -> PalmTemplate:
        if template.extractor != self.extractor:
            raise ExtractorMismatch("the template is not of the gallery's extractor")
        if template.vector.shape != (self.dimension,):
            raise TemplateRefused("the template's vector is not of the gallery's dimension")
        return require_valid(template)
