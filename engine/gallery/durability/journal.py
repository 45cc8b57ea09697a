"""What changed since the last snapshot: an append-only file of sealed records.

A record is its length (4 bytes) and its sealed content, bound to the file's generation and to
the record's number, which goes on from file to file. Reading ends at the first record that does
not open, wherever that is: what follows it is asked of the database again.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from engine.errors import DirectoryDamaged
from engine.gallery.durability.encryption import ENCRYPTION_OVERHEAD_BYTES
from engine.gallery.rows.columns import Columns, Shape

if TYPE_CHECKING:
    from engine.gallery.durability.encryption import GalleryCipher
    from engine.gallery.durability.files import Files

MARK_BYTES: Final = 16
_LENGTH: Final = struct.Struct("<I")
_HEAD: Final = struct.Struct("<q16sII")
_MOST_BYTES: Final = 1 << 30
"""A longer record is none of ours."""


@dataclass(frozen=True, slots=True, eq=False)
class JournalRecord:
    """One step: first some references leave, then some come, or come in others' place.

    Attributes:
        sequence: of the change of the database after it.
        mark: names that change, 16 bytes.
        leaving: identifiers, shape (count, 16), uint8.
        coming: rows with codes and without packed rows.
    """

    sequence: int
    mark: bytes
    leaving: np.ndarray[tuple[int, int], np.dtype[np.uint8]]
    coming: Columns


class Journal:
    """Appends to one file. One thread at a time.

    Args:
        files: of the directory.
        seal: of the directory.
        generation: of the file, which must not be there yet, or be empty.
        record: number of its first record.
    """

    def __init__(self, files: Files, seal: GalleryCipher, generation: int, record: int) -> None:
        self._files, self._seal = files, seal
        self.generation, self.record = generation, record
        self.size = self._synced = 0
        self._is_named = False

    def append(self, record: JournalRecord) -> None:
        """Write a record; ``sync`` makes it durable."""
        content = _encode(record)
        sealed = self._seal.close(content, _place(self.generation, self.record))
        line = _LENGTH.pack(len(sealed)) + sealed
        self._files.write_at(journal_name(self.generation), self.size, line)
        self.size += len(line)
        self.record += 1

    def sync(self) -> None:
        """Make durable what was appended."""
        size = self.size
        if size > self._synced:
            self._files.sync(journal_name(self.generation))
            if not self._is_named:
                # A new file that is synced may still be lost with its name.
                self._files.sync_names()
            self._synced, self._is_named = size, True


@dataclass(frozen=True, slots=True)
class Replay:
    """What was read of all journals.

    Attributes:
        records: that opened, in order.
        seen_bytes: of all files.
        lost_bytes: of these, what did not open or came after something that did not.
        generation: of the newest file.
    """

    records: tuple[JournalRecord, ...]
    seen_bytes: int
    lost_bytes: int
    generation: int


def read_journals(
    files: Files, seal: GalleryCipher, generation: int, record: int, shape: Shape
) -> Replay:
    """Read all journals from a generation on.

    Args:
        files: of the directory.
        seal: of the directory.
        generation: of the first.
        record: number of its first record.
        shape: of the rows: with codes, without packed rows.
    """
    there = [n for n in map(journal_generation, files.names()) if n is not None]
    records: list[JournalRecord] = []
    seen = lost = 0
    for each in sorted(number for number in there if number >= generation):
        data = files.read_at(journal_name(each), 0, files.size(journal_name(each)))
        seen += len(data)
        if not lost:
            found, end = _read(data, seal, each, record + len(records), shape)
            records += found
            lost += len(data) - end
        else:
            lost += len(data)
    return Replay(tuple(records), seen, lost, max([generation, *there]))


def journal_name(generation: int) -> str:
    """Return the name of a journal's file."""
    return f"journal-{generation:08d}"


def journal_generation(name: str) -> int | None:
    """Return which journal a file is; None if it is none."""
    kind, _, number = name.partition("-")
    return int(number) if kind == "journal" and number.isdecimal() else None


def _read(
    data: bytes, seal: GalleryCipher, generation: int, record: int, shape: Shape
) -> tuple[list[JournalRecord], int]:
    """Return the records that open, and where the first that does not begins."""
    records: list[JournalRecord] = []
    offset = 0
    while offset + _LENGTH.size <= len(data):
        (length,) = _LENGTH.unpack_from(data, offset)
        start = offset + _LENGTH.size
        if not ENCRYPTION_OVERHEAD_BYTES < length <= min(_MOST_BYTES, len(data) - start):
            break
        try:
            place = _place(generation, record + len(records))
            content = seal.open(data[start : start + length], place)
        except DirectoryDamaged:
            break
        records.append(_decode(content, shape))
        offset = start + length
    return records, offset


def _place(generation: int, record: int) -> bytes:
    return b"journal" + struct.pack("<IQ", generation, record)


def _encode(record: JournalRecord) -> bytes:
    coming = record.coming
    mark = record.mark.ljust(MARK_BYTES, b"\0")
    head = _HEAD.pack(record.sequence, mark, len(record.leaving), len(coming))
    return head + record.leaving.tobytes() + coming.to_bytes()


def _decode(content: bytes, shape: Shape) -> JournalRecord:
    sequence, mark, leaving_count, coming_count = _HEAD.unpack_from(content)
    end = _HEAD.size + 16 * leaving_count
    leaving = np.frombuffer(content[_HEAD.size : end], np.uint8).reshape(leaving_count, 16)
    coming = Columns.from_bytes(content[end:], coming_count, shape)
    return JournalRecord(sequence, mark, leaving, coming)
