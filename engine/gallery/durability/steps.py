"""The steps since the last snapshot: what was removed and added, encrypted, in order.

A step is bound to its number and to the snapshot it follows. Reading ends at the first one that
is missing or does not decrypt; the database supplies the rest again.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from engine.errors import DirectoryDamaged
from engine.gallery.rows.columns import Columns, Shape

if TYPE_CHECKING:
    import sqlite3

    from engine.gallery.durability.gallery_file import GalleryFile

MARK_BYTES: Final = 16
_HEAD: Final = struct.Struct("<q16sII")


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """First remove references, then add some.

    Attributes:
        sequence: of the database change after it.
        mark: names that change, 16 bytes.
        removed: identifiers, shape (count, 16), uint8.
        added: rows with codes, without packed rows.
    """

    sequence: int
    mark: bytes
    removed: np.ndarray[tuple[int, int], np.dtype[np.uint8]]
    added: Columns


class StepLog:
    """Steps that wait to be written. Not thread-safe.

    Attributes:
        size: bytes of all steps since the snapshot.
    """

    def __init__(self, file: GalleryFile, generation: int) -> None:
        self._file, self._generation = file, generation
        self._waiting: list[tuple[int, bytes]] = []
        self._number = self.size = 0

    def append(self, step: Step) -> None:
        """Add a step; it is durable once it is taken and written."""
        sealed = self._file.cipher.encrypt(
            _encode(step), _associated_data(self._generation, self._number)
        )
        self._waiting.append((self._number, sealed))
        self._number += 1
        self.size += len(sealed)

    def take(self) -> list[tuple[int, bytes]]:
        """Return and clear the waiting steps."""
        waiting, self._waiting = self._waiting, []
        return waiting


def write_steps(db: sqlite3.Connection, steps: list[tuple[int, bytes]]) -> None:
    """Write steps, within a transaction."""
    db.executemany("INSERT INTO steps VALUES (?, ?)", steps)


@dataclass(frozen=True, slots=True)
class Replay:
    """What was read of the steps: those in order, and how many are there in all."""

    steps: tuple[Step, ...]
    count: int

    @property
    def lost_count(self) -> int:
        """Return how many could not be read."""
        return self.count - len(self.steps)


def read_steps(file: GalleryFile, generation: int, shape: Shape) -> Replay:
    """Read the steps after a snapshot."""
    rows = file.read("SELECT number, sealed FROM steps ORDER BY number")
    steps: list[Step] = []
    for number, sealed in rows:
        if number != len(steps):
            break
        try:
            content = file.cipher.decrypt(sealed, _associated_data(generation, number))
            steps.append(_decode(content, shape))
        except (DirectoryDamaged, TypeError):
            break
    return Replay(tuple(steps), len(rows))


def _associated_data(generation: int, number: int) -> bytes:
    return b"step" + struct.pack("<IQ", generation, number)


def _encode(step: Step) -> bytes:
    mark = step.mark.ljust(MARK_BYTES, b"\0")
    head = _HEAD.pack(step.sequence, mark, len(step.removed), len(step.added))
    return head + step.removed.tobytes() + step.added.to_bytes()


def _decode(content: bytes, shape: Shape) -> Step:
    sequence, mark, removed_count, added_count = _HEAD.unpack_from(content)
    end = _HEAD.size + 16 * removed_count
    removed = np.frombuffer(content[_HEAD.size : end], np.uint8).reshape(removed_count, 16)
    added = Columns.from_bytes(content[end:], added_count, shape)
    return Step(sequence, mark, removed, added)
