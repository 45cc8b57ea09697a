"""Interface of vector searchers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray


class Searcher(Protocol):
    """Vectors that can be searched; rows are numbered in order of insertion."""

    @property
    def name(self) -> str:
        """Name in the report."""
        ...

    @property
    def row_bytes(self) -> int:
        """Bytes of a row that a scan reads; 0 if not all rows are read here."""
        ...

    def nearest(self, probes: NDArray[np.float32], count: int) -> list[NDArray[np.int64]]:
        """Return the nearest rows of each probe, in any order."""
        ...


class Peer(Searcher, Protocol):
    """A searcher whose effort can be set."""

    @property
    def efforts(self) -> Sequence[int]:
        """Efforts to measure; a larger one loses fewer mates."""
        ...

    @property
    def is_server(self) -> bool:
        """Whether another process searches, so that only wall time is known."""
        ...

    def fill(
        self,
        rows: int,
        batches: Callable[[], Iterable[NDArray[np.float32]]],
        cache: Path | None,
    ) -> None:
        """Insert all rows, or load a cached index.

        Args:
            rows: how many.
            batches: yields them in order.
            cache: path for the index, without a suffix; None: no cache.
        """
        ...

    def set_effort(self, effort: int) -> None:
        """Set the effort of the next searches."""
        ...

    def close(self) -> None:
        """Close it; drop uncached data on a server."""
        ...
