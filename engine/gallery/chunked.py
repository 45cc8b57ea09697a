"""An array that grows without moving: readers of old rows never see a copy being made.

Growing appends a chunk; what was there stays where it is. A chunk is zeroed memory that costs
nothing until it is written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike, NDArray

_BITS: Final = 16
CHUNK_ROWS: Final = 1 << _BITS
"""Rows in a chunk."""

_MASK: Final = CHUNK_ROWS - 1


class ChunkedArray:
    """Rows of one shape and type.

    Args:
        shape: of a row; empty for numbers.
        dtype: of its elements.
        fill: what a row holds before it is written.
    """

    def __init__(self, shape: tuple[int, ...], dtype: DTypeLike, *, fill: int = 0) -> None:
        self._shape, self._dtype, self._fill = shape, dtype, fill
        self.chunks: list[NDArray[Any]] = []

    @property
    def width(self) -> int:
        """Numbers in a row."""
        return int(np.prod(self._shape))

    def grow_to(self, count: int) -> None:
        """Make room for this many rows."""
        while len(self.chunks) << _BITS < count:
            chunk: NDArray[Any] = np.zeros((CHUNK_ROWS, *self._shape), self._dtype)
            if self._fill:
                chunk[:] = self._fill
            self.chunks.append(chunk)

    def __getitem__(self, row: int) -> NDArray[Any]:
        """Return one row: a number of the array's type, or a view of its array."""
        value: NDArray[Any] = self.chunks[row >> _BITS][row & _MASK]
        return value

    def __setitem__(self, row: int, value: ArrayLike) -> None:
        """Write one row."""
        self.chunks[row >> _BITS][row & _MASK] = value

    def take(self, rows: NDArray[np.int64]) -> NDArray[Any]:
        """Return copies of rows, shape (rows, *shape)."""
        parts = rows >> _BITS
        if len(rows) and (parts == parts[0]).all():
            found: NDArray[Any] = self.chunks[parts[0]][rows & _MASK]
            return found
        taken: NDArray[Any] = np.empty((len(rows), *self._shape), self._dtype)
        for part in np.unique(parts):
            here = parts == part
            taken[here] = self.chunks[part][rows[here] & _MASK]
        return taken

    def put_from(self, first: int, values: NDArray[Any]) -> None:
        """Write consecutive rows."""
        done = 0
        while done < len(values):
            part, row = divmod(first + done, CHUNK_ROWS)
            some = values[done : done + CHUNK_ROWS - row]
            self.chunks[part][row : row + len(some)] = some
            done += len(some)

    def first(self, count: int) -> NDArray[Any]:
        """Return a copy of the first rows, shape (count, *shape)."""
        parts = [chunk[: count - (n << _BITS)] for n, chunk in enumerate(self.chunks)]
        empty: NDArray[Any] = np.zeros((0, *self._shape), self._dtype)
        return np.concatenate([empty, *(part for part in parts if len(part))])

    def put(self, rows: NDArray[np.int64], values: NDArray[Any]) -> None:
        """Write rows."""
        parts = rows >> _BITS
        for part in np.unique(parts):
            here = parts == part
            self.chunks[part][rows[here] & _MASK] = values[here]
