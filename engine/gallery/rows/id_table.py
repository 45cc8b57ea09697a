"""A hash table from 16-byte identifiers to numbers, in two small arrays.

Open addressing with linear probing; an erased slot is closed by moving its followers up, so
there are no tombstones. The table is split into parts that grow one at a time, so no insertion
takes long. Keys are not stored: the caller knows the key of each number.
"""

from __future__ import annotations

import secrets
import struct
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

ABSENT: Final = -1
_PARTS: Final = 1024
_FIRST_SLOTS: Final = 8

_HALVES: Final = struct.Struct(">QQ")
_WORD: Final = (1 << 64) - 1
_STIR: Final = 0xFF51AFD7ED558CCD
"""Odd; the first multiplier of MurmurHash3's last step (Appleby 2011)."""


class KeyHash:
    """Hashes keys, one or many.

    Args:
        secret: two odd numbers below 2⁶⁴, so that nobody can construct colliding keys.
    """

    def __init__(self, secret: tuple[int, int] | None = None) -> None:
        self._first, self._second = secret or (
            secrets.randbits(64) | 1,
            secrets.randbits(64) | 1,
        )

    def of(self, key: bytes) -> int:
        """Return the hash of a key of 16 bytes, 0 to below 2⁶⁴."""
        halves: tuple[int, int] = _HALVES.unpack(key)
        mixed = (halves[0] * self._first + halves[1] * self._second) & _WORD
        mixed ^= mixed >> 32
        mixed = (mixed * _STIR) & _WORD
        return mixed ^ (mixed >> 32)

    def of_many(self, keys: NDArray[np.uint8]) -> NDArray[np.uint64]:
        """Return the hashes of keys, shape (count, 16), as ``of`` does, shape (count,)."""
        halves = np.ascontiguousarray(keys).view(">u8").astype(np.uint64).reshape(-1, 2)
        mixed = halves[:, 0] * np.uint64(self._first) + halves[:, 1] * np.uint64(self._second)
        mixed ^= mixed >> np.uint64(32)
        mixed *= np.uint64(_STIR)
        return np.asarray(mixed ^ (mixed >> np.uint64(32)), np.uint64)


class IdTable:
    """Numbers by key; ``key_of`` returns the key of a number. Not thread-safe."""

    def __init__(self, key_of: Callable[[int], bytes], key_hash: KeyHash | None = None) -> None:
        self._key_of = key_of
        self._hash = key_hash or KeyHash()
        self._parts: list[_Part | None] = [None] * _PARTS

    def find(self, key: bytes) -> int:
        """Return the number of a key, or ``ABSENT``."""
        digest = self._hash.of(key)
        part = self._parts[digest % _PARTS]
        slot = ABSENT if part is None else self._slot(part, key, digest)
        return ABSENT if part is None or slot == ABSENT else part.numbers[slot]

    def fill(self, keys: NDArray[np.uint8], numbers: NDArray[np.int64]) -> None:
        """Fill an empty table: distinct keys, shape (count, 16), uint8, and their numbers."""
        hashes = self._hash.of_many(keys)
        order = np.argsort(hashes % np.uint64(_PARTS), kind="stable")
        hashes, numbers = hashes[order], numbers[order]
        ends = np.searchsorted(hashes % np.uint64(_PARTS), np.arange(1, _PARTS + 1))
        start = 0
        for number, end in enumerate(ends.tolist()):
            if end > start:
                self._parts[number] = _filled(hashes[start:end], numbers[start:end])
            start = end

    def set(self, key: bytes, number: int) -> None:
        """Set the number of a key."""
        digest = self._hash.of(key)
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
        """Remove a key that is there."""
        digest = self._hash.of(key)
        part = self._parts[digest % _PARTS]
        slot = ABSENT if part is None else self._slot(part, key, digest)
        if part is None or slot == ABSENT:
            raise KeyError(key)
        part.close(slot)

    def _slot(self, part: _Part, key: bytes, digest: int) -> int:
        for slot in part.chain(digest):
            if part.hashes[slot] == _short(digest) and self._key_of(part.numbers[slot]) == key:
                return slot
        return ABSENT


class _Part:
    """One part: a slot holds a number and 32 bits of its key's hash."""

    def __init__(self, size: int) -> None:
        self.size, self.count = size, 0
        # Reading one element of a memoryview is several times faster than of an array.
        self.numbers = memoryview(np.full(size, ABSENT, np.int32).data)
        self.hashes = memoryview(np.zeros(size, np.uint32).data)

    def chain(self, digest: int) -> Iterator[int]:
        """Yield the used slots from a key's home slot to the next free one."""
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
        """Empty a slot and move up entries no longer reachable. Knuth vol. 3, 6.4 R."""
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
    """Return the 32 bits of a hash that its part does not imply."""
    return (digest // _PARTS) & 0xFFFFFFFF


def _filled(hashes: NDArray[np.uint64], numbers: NDArray[np.int64]) -> _Part:
    """Return a part of many numbers, placed as if inserted one by one."""
    size = _FIRST_SLOTS
    while 4 * len(numbers) > 3 * size:
        size *= 2
    part = _Part(size)
    shorts = ((hashes // np.uint64(_PARTS)) & np.uint64(0xFFFFFFFF)).astype(np.int64)
    order = np.argsort(shorts & (size - 1), kind="stable")
    shorts, numbers = shorts[order], numbers[order]
    # Sorted by home slot, each goes to its home or just behind the one before.
    steps = np.arange(len(shorts))
    slots = np.maximum.accumulate((shorts & (size - 1)) - steps) + steps
    fits = slots < size
    np.asarray(part.numbers)[slots[fits]] = numbers[fits]
    np.asarray(part.hashes)[slots[fits]] = shorts[fits]
    part.count = int(fits.sum())
    for short, number in zip(shorts[~fits].tolist(), numbers[~fits].tolist(), strict=True):
        part.append(short * _PARTS, number)
    return part
