"""What can be asked for the rows nearest to a vector."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray


class Searcher(Protocol):
    """Vectors that can be searched. Rows are numbered in the order in which they came."""

    @property
    def name(self) -> str:
        """What it is."""
        ...

    @property
    def row_bytes(self) -> int:
        """Octets of a row that a search reads; 0 if it does not read all rows, or not here."""
        ...

    def nearest(self, probes: NDArray[np.float32], count: int) -> list[NDArray[np.int64]]:
        """Return the rows that look nearest to each probe, in any order."""
        ...


class Peer(Searcher, Protocol):
    """Another search of vectors, with a knob."""

    @property
    def efforts(self) -> Sequence[int]:
        """What it may spend on a search; more loses fewer."""
        ...

    @property
    def is_server(self) -> bool:
        """Whether another process searches, so that only what one waits can be told."""
        ...

    def fill(
        self,
        rows: int,
        batches: Callable[[], Iterable[NDArray[np.float32]]],
        cache: Path | None,
    ) -> None:
        """Take all rows, by all processors; or take up what was kept from another time.

        Args:
            rows: how many.
            batches: yields them in order.
            kept: where to keep what took long to build, without a suffix; None: nowhere.
        """
        ...

    def set_effort(self, effort: int) -> None:
        """Search with an effort from now on."""
        ...

    def close(self) -> None:
        """Let go of it, and of what lies on a server unless it is to be kept."""
        ...
