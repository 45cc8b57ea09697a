"""Where the competitive codes of a packed gallery lie: read for the short list only.

A code is twenty times the size of a packed row and no search scans it, so it may well lie in a
file. The gallery names codes by slot, a small number that is used again after an erasure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from engine.gallery.rows.chunked_array import ChunkedArray

if TYPE_CHECKING:
    from numpy.typing import NDArray


class CodeStore(Protocol):
    """Codes of one size by slot. One thread writes at a time; any number may read beside it.

    Attributes:
        defers_reuse: whether the slot of an erased code must not be used before it has allow_reuse.
    """

    defers_reuse: bool

    def put(
        self, slots: NDArray[np.int64], codes: NDArray[np.uint8], names: NDArray[np.uint8]
    ) -> None:
        """Keep codes.

        Args:
            slots: shape (count,), int64, not negative, each once; grow by about one at a time.
            codes: shape (count, code_bytes), uint8.
            names: identifier and group of each reference, shape (count, 32), uint8.
        """
        ...

    def get(self, slots: NDArray[np.int64], names: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return codes, shape (count, code_bytes), uint8.

        Args:
            slots: shape (count,), int64.
            names: identifier and group of each reference, shape (count, 32), uint8.

        Of a slot that is empty, or is written meanwhile, any code may be returned, but nothing
        may be raised: the gallery notices and reads again.
        """
        ...

    def erase(self, slots: NDArray[np.int64], names: NDArray[np.uint8]) -> None:
        """Make codes unreadable.

        Args:
            slots: shape (count,), int64.
            names: that they were kept under, shape (count, 32), uint8; zeros if that is not
                known.
        """
        ...


class MemoryCodes:
    """Implements ``CodeStore`` by arrays in memory.

    Args:
        code_bytes: size of a code.
    """

    defers_reuse = False

    def __init__(self, code_bytes: int) -> None:
        self._codes = ChunkedArray((code_bytes,), np.uint8)
        self._code_bytes = code_bytes

    def put(
        self, slots: NDArray[np.int64], codes: NDArray[np.uint8], names: NDArray[np.uint8]
    ) -> None:
        """Keep codes; their place tells whose they are. See ``CodeStore.put``."""
        if len(slots) != len(names):
            raise ValueError("each code is of one reference")
        self._codes.grow_to(int(slots.max(initial=-1)) + 1)
        self._codes.put(slots, codes)

    def get(self, slots: NDArray[np.int64], names: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return codes. See ``CodeStore.get``."""
        if len(slots) != len(names):
            raise ValueError("each code is of one reference")
        return self._codes.take(slots)

    def erase(self, slots: NDArray[np.int64], names: NDArray[np.uint8]) -> None:
        """Overwrite codes with zeros. See ``CodeStore.erase``."""
        self._codes.put(slots, np.zeros((len(names), self._code_bytes), np.uint8))
