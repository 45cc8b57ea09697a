"""Competitive codes of a gallery by slot, read for the short list only.

A code is twenty times the size of a packed row and never scanned, so it may be in a file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from engine.gallery.rows.columns import grown

if TYPE_CHECKING:
    from numpy.typing import NDArray


class CodeStore(Protocol):
    """Codes of one size by slot. One writer at a time; any number of readers beside it.

    Slots are int64, each once; names are identifier and group of each reference, shape
    (count, 32), uint8; codes have shape (count, code_bytes), uint8.
    """

    def put(
        self, slots: NDArray[np.int64], codes: NDArray[np.uint8], names: NDArray[np.uint8]
    ) -> None:
        """Store codes; slots grow by about one at a time."""
        ...

    def get(self, slots: NDArray[np.int64], names: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return codes.

        For a slot that is empty, or written meanwhile, return any code but do not raise: the
        gallery notices and reads again.
        """
        ...

    def erase(self, slots: NDArray[np.int64], names: NDArray[np.uint8]) -> None:
        """Make codes unreadable; names are zeros if unknown."""
        ...


class MemoryCodes:
    """Implements ``CodeStore`` by arrays in memory."""

    def __init__(self, code_bytes: int) -> None:
        self._codes = np.zeros((0, code_bytes), np.uint8)

    def put(
        self, slots: NDArray[np.int64], codes: NDArray[np.uint8], names: NDArray[np.uint8]
    ) -> None:
        """Store codes."""
        if len(slots) != len(names):
            raise ValueError("each code is of one reference")
        self._codes = grown(self._codes, int(slots.max(initial=-1)) + 1)
        self._codes[slots] = codes

    def get(self, slots: NDArray[np.int64], names: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return codes."""
        if len(slots) != len(names):
            raise ValueError("each code is of one reference")
        codes: NDArray[np.uint8] = self._codes[slots]
        return codes

    def erase(self, slots: NDArray[np.int64], names: NDArray[np.uint8]) -> None:
        """Overwrite codes with zeros."""
        self._codes[slots] = 0
