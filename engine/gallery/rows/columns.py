"""Rows of a gallery as columns: the form in which they are written to disk."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from uuid import UUID

import numpy as np

from engine.errors import TemplateRefused
from engine.types import ExtractorId, GroupId, Hand, PalmTemplate, Reference, ReferenceId

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

HANDS = tuple(Hand)
"""``sides`` holds indices of it."""

NAME_BYTES = 32
"""Of a reference and its group together."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What one row consists of.

    Attributes:
        dimension: numbers in a vector.
        packed_bytes: of a packed row; 0: none.
        code_bytes: of a code; of a coarse one, if rows are packed.
    """

    dimension: int
    packed_bytes: int
    code_bytes: int

    @property
    def row_bytes(self) -> int:
        """Bytes of a row."""
        return NAME_BYTES + 8 + 1 + 2 * self.dimension + self.packed_bytes + self.code_bytes


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Rows, of which some may be empty.

    Attributes:
        names: identifier and group, shape (rows, 32), uint8; zeros if empty.
        changes: number of the change that wrote a row, shape (rows,), int64; 0 if empty.
        sides: which hand, as an index of ``HANDS``, shape (rows,), uint8.
        vectors: shape (rows, dimension), float16.
        packed: shape (rows, packed_bytes), uint8.
        codes: shape (rows, code_bytes), uint8; coarse, if rows are packed.
    """

    names: NDArray[np.uint8] = field(repr=False)
    changes: NDArray[np.int64] = field(repr=False)
    sides: NDArray[np.uint8] = field(repr=False)
    vectors: NDArray[np.float16] = field(repr=False)
    packed: NDArray[np.uint8] = field(repr=False)
    codes: NDArray[np.uint8] = field(repr=False)

    def __len__(self) -> int:
        """Return how many rows there are."""
        return len(self.changes)

    def to_bytes(self) -> bytes:
        """Return the columns one after the other, little-endian."""
        parts = (self.names, self.changes.astype("<i8"), self.sides)
        wide = (self.vectors.astype("<f2"), self.packed, self.codes)
        return b"".join(np.ascontiguousarray(part).tobytes() for part in parts + wide)

    @classmethod
    def from_bytes(cls, data: bytes, rows: int, shape: Shape) -> Columns:
        """Decode ``to_bytes``; the columns are views of the data.

        Raises:
            ValueError: the data are of another size.
        """
        if len(data) != rows * shape.row_bytes:
            raise ValueError("columns of another size")
        cut = _Cutter(data, rows)
        return cls(
            cut.next("u1", NAME_BYTES),
            cut.next("<i8", 0),
            cut.next("u1", 0),
            cut.next("<f2", shape.dimension),
            cut.next("u1", shape.packed_bytes, wide=True),
            cut.next("u1", shape.code_bytes, wide=True),
        )


class _Cutter:
    def __init__(self, data: bytes, rows: int) -> None:
        self._data, self._rows, self._offset = data, rows, 0

    def next(self, kind: str, width: int, *, wide: bool = False) -> NDArray:  # type: ignore[type-arg]
        """Return the next array, flat if its width is 0 unless it is always wide."""
        shape = (self._rows, width) if width or wide else (self._rows,)
        count = self._rows * (width if width or wide else 1)
        array = np.frombuffer(self._data, kind, count, self._offset)
        self._offset += array.nbytes
        return array.reshape(shape)


def columns_of(
    references: Sequence[Reference], changes: Sequence[int], shape: Shape
) -> Columns:
    """Return references as rows with codes and without packed rows; ``changes``: of each."""
    count = len(references)
    names = b"".join(r.reference_id.bytes + r.group_id.bytes for r in references)
    vectors = np.zeros((count, shape.dimension), np.float16)
    codes = np.zeros((count, shape.code_bytes), np.uint8)
    for row, reference in enumerate(references):
        vectors[row] = reference.template.vector
        codes[row] = reference.template.code
    return Columns(
        np.frombuffer(names, np.uint8).reshape(count, NAME_BYTES),
        np.array(changes, np.int64),
        np.array([HANDS.index(r.template.hand) for r in references], np.uint8),
        vectors,
        np.zeros((count, 0), np.uint8),
        codes,
    )


def references_in(columns: Columns, extractor: ExtractorId) -> list[Reference]:
    """Return rows with codes as references, in the order of enrolment, without empty rows.

    Raises:
        TemplateRefused: a row holds what no gallery would have written.
    """
    rows = np.flatnonzero(columns.changes > 0)
    rows = rows[np.argsort(columns.changes[rows], kind="stable")]
    if len(rows) and int(columns.sides[rows].max()) >= len(HANDS):
        raise TemplateRefused("a row is of no hand")
    return [_reference(columns, row, extractor) for row in rows.tolist()]


def _reference(columns: Columns, row: int, extractor: ExtractorId) -> Reference:
    name = columns.names[row].tobytes()
    template = PalmTemplate(
        extractor,
        HANDS[int(columns.sides[row])],
        unit(columns.vectors[row]),
        columns.codes[row].copy(),
    )
    identifier, group = ReferenceId(UUID(bytes=name[:16])), GroupId(UUID(bytes=name[16:]))
    return Reference(identifier, group, template)


def unit(vector: NDArray[np.float16]) -> NDArray[np.float32]:
    """Return a stored vector, scaled to unit length."""
    wide = vector.astype(np.float32)
    return np.asarray(wide / np.float32(np.linalg.norm(wide)), np.float32)
