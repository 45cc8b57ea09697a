"""An array that grows without moving, so readers never see a copy being made.

Growing appends a chunk. Chunks are zeroed memory that costs nothing until written, so they are
large, and a short list touches few of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, DTypeLike, NDArray

CHUNK_OCTETS: Final = 1 << 28
"""Most address space of a chunk."""

_MOST_BITS: Final = 20
"""A chunk has at most a million rows."""


class ChunkedArray:
    """Rows of one shape (empty: numbers) and type; ``fill`` is the value of an unwritten row.

    Attributes:
        chunks: the arrays.
        place: their addresses, int64, and the binary logarithm of ``chunk_rows``.
        chunk_rows: rows of each, a power of two.
    """

    def __init__(self, shape: tuple[int, ...], dtype: DTypeLike, *, fill: int = 0) -> None:
        self._shape, self._dtype, self._fill = shape, dtype, fill
        row_octets = np.dtype(dtype).itemsize * self.width
        self._bits = min((CHUNK_OCTETS // row_octets).bit_length() - 1, _MOST_BITS)
        self.chunk_rows = 1 << self._bits
        self._mask = self.chunk_rows - 1
        self.chunks: list[NDArray[Any]] = []
        self.place = np.zeros(0, np.int64), self._bits

    @property
    def width(self) -> int:
        """Numbers in a row."""
        return int(np.prod(self._shape))

    def grow_to(self, count: int) -> None:
        """Make room for this many rows."""
        while len(self.chunks) << self._bits < count:
            chunk: NDArray[Any] = np.zeros((self.chunk_rows, *self._shape), self._dtype)
            if self._fill:
                chunk[:] = self._fill
            self.chunks.append(chunk)
            addresses = np.array([each.ctypes.data for each in self.chunks], np.int64)
            self.place = addresses, self._bits

    def __getitem__(self, row: int) -> NDArray[Any]:
        """Return one row: a number, or a view."""
        value: NDArray[Any] = self.chunks[row >> self._bits][row & self._mask]
        return value

    def __setitem__(self, row: int, value: ArrayLike) -> None:
        """Write one row."""
        self.chunks[row >> self._bits][row & self._mask] = value

    def take(self, rows: NDArray[np.int64]) -> NDArray[Any]:
        """Return copies of rows, shape (rows, *shape)."""
        if len(rows) == 1:
            alone: NDArray[Any] = self[int(rows[0])]
            return np.array(alone[None])
        parts = list(self.by_chunk(rows))
        if len(parts) == 1:
            chunk, _, places = parts[0]
            found: NDArray[Any] = chunk[places]
            return found
        taken: NDArray[Any] = np.empty((len(rows), *self._shape), self._dtype)
        for chunk, here, places in parts:
            taken[here] = chunk[places]
        return taken

    def by_chunk(
        self, rows: NDArray[np.int64]
    ) -> Iterator[tuple[NDArray[Any], NDArray[np.bool_], NDArray[np.int64]]]:
        """Yield each chunk concerned, the mask of its rows, and their places in it."""
        if len(rows) == 0:
            return
        parts = rows >> self._bits
        for number in range(int(parts.min()), int(parts.max()) + 1):
            here = parts == number
            if here.any():
                yield self.chunks[number], here, rows[here] & self._mask

    def put_from(self, first: int, values: NDArray[Any]) -> None:
        """Write consecutive rows."""
        done = 0
        while done < len(values):
            part, row = divmod(first + done, self.chunk_rows)
            some = values[done : done + self.chunk_rows - row]
            self.chunks[part][row : row + len(some)] = some
            done += len(some)

    def first(self, count: int) -> NDArray[Any]:
        """Return a copy of the first rows, shape (count, *shape)."""
        parts = [chunk[: count - (n << self._bits)] for n, chunk in enumerate(self.chunks)]
        empty: NDArray[Any] = np.zeros((0, *self._shape), self._dtype)
        return np.concatenate([empty, *(part for part in parts if len(part))])

    def put(self, rows: NDArray[np.int64], values: NDArray[Any]) -> None:
        """Write rows."""
        for chunk, here, places in self.by_chunk(rows):
            chunk[places] = values[here]
