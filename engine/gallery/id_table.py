"""From an identifier of 16 bytes to a number, in two small arrays instead of a dictionary.

Open addressing with linear probing; an erased slot is closed by moving its followers up, so no
grave stays behind. The table is split into parts that grow one at a time: none takes long. Keys
are not kept here: whoever owns the numbers knows which key each has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ABSENT: Final = -1
_PARTS: Final = 1024
_FIRST_SLOTS: Final = 8


class IdTable:
    """Numbers by key. Not safe for several threads by itself.

    Args:
        key_of: returns the key of a number that is in the table.
    """

    def __init__(self, key_of: Callable[[int], bytes]) -> None:
        self._key_of = key_of
        self._parts: list[_Part | None] = [None] * _PARTS

    def find(self, key: bytes) -> int:
        """Return the number of a key, ``ABSENT`` if there is none."""
        digest = hash(key)
        part = self._parts[digest % _PARTS]
        slot = ABSENT if part is None else self._slot(part, key, digest)
        return ABSENT if part is None or slot == ABSENT else part.numbers[slot]

    def set(self, key: bytes, number: int) -> None:
        """Give a key a number, its first or another one."""
        digest = hash(key)
        part = self._parts[digest % _PARTS]
        if part is None:
            part = self._parts[digest % _PARTS] = _Part(_FIRST_SLOTS)
        slot = self._slot(part, key, digest)
        if slot != ABSENT:
            part.numbers[slot] = number
            return
        if 4 * (part.count + 1) > 3 * part.size:
            grown = self._parts[digest % _PARTS] = part.grown()
            part = grown
        part.append(digest, number)

    def remove(self, key: bytes) -> None:
        """Forget a key that is there."""
        digest = hash(key)
        part = self._parts[digest % _PARTS]
        slot = ABSENT if part is None else self._slot(part, key, digest)
        if part is None or slot == ABSENT:
            raise KeyError(key)
        part.close(slot)

    def _slot(self, part: _Part, key: bytes, digest: int) -> int:
        """Return where a key stands in its part."""
        for slot in part.chain(digest):
            if part.hashes[slot] == _short(digest) and self._key_of(part.numbers[slot]) == key:
                return slot
        return ABSENT


class _Part:
    """One part: a slot holds a number and 32 bits of its key's hash."""

    def __init__(self, size: int) -> None:
        self.size, self.count = size, 0
        # Single elements of a memoryview are read several times faster than an array's.
        self.numbers = memoryview(np.full(size, ABSENT, np.int32).data)
        self.hashes = memoryview(np.zeros(size, np.uint32).data)

    def chain(self, digest: int) -> Iterator[int]:
        """Yield the taken slots from a key's home to the next free one."""
        slot = _short(digest) & (self.size - 1)
        while self.numbers[slot] != ABSENT:
            yield slot
            slot = (slot + 1) & (self.size - 1)

    def append(self, digest: int, number: int) -> None:
        """Put a number into the first free slot of its chain."""
        slot = _short(digest) & (self.size - 1)
        while self.numbers[slot] != ABSENT:
            slot = (slot + 1) & (self.size - 1)
        self.numbers[slot], self.hashes[slot] = number, _short(digest)
        self.count += 1

    def grown(self) -> _Part:
        """Return a part of twice the size with the same numbers."""
        larger = _Part(2 * self.size)
        for number, short in zip(self.numbers, self.hashes, strict=True):
            if number != ABSENT:
                larger.append(short * _PARTS, number)
        return larger

    def close(self, hole: int) -> None:
        """Empty a slot and move up whatever is not reached any more. Knuth vol. 3, 6.4 R."""
        mask = self.size - 1
        slot = hole
        while True:
            slot = (slot + 1) & mask
            if self.numbers[slot] == ABSENT:
                break
            if (slot - (self.hashes[slot] & mask)) & mask >= (slot - hole) & mask:
                self.numbers[hole], self.hashes[hole] = self.numbers[slot], self.hashes[slot]
                hole = slot
        self.numbers[hole], self.hashes[hole] = ABSENT, 0
        self.count -= 1


def _short(digest: int) -> int:
    """Return the 32 bits of a hash that its part does not already say."""
    return (digest // _PARTS) & 0xFFFFFFFF
