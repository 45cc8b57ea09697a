"""The journal: changes since the last snapshot, an append-only file of encrypted records.

A record is its length (4 bytes) and its ciphertext, bound to the file's generation and to the
record's number, which continues from file to file. Reading ends at the first record that does
not decrypt; the database supplies the rest again.
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
"""Longest record we write."""


@dataclass(frozen=True, slots=True, eq=False)
class JournalRecord:
    """One step: first remove references, then add some.

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


class Journal:
    """Appends to one file. Not thread-safe.

    The file must be missing or empty; ``record`` is the number of its first record.
    """

    def __init__(
        self, files: Files, cipher: GalleryCipher, generation: int, record: int
    ) -> None:
        self._files, self._cipher = files, cipher
        self.generation, self.record = generation, record
        self.size = self._synced = 0
        self._is_name_synced = False

    def append(self, record: JournalRecord) -> None:
        """Write a record; ``sync`` makes it durable."""
        content = _encode(record)
        ciphertext = self._cipher.encrypt(
            content, _associated_data(self.generation, self.record)
        )
        line = _LENGTH.pack(len(ciphertext)) + ciphertext
        self._files.write_at(journal_name(self.generation), self.size, line)
        self.size += len(line)
        self.record += 1

    def sync(self) -> None:
        """Make appended records durable."""
        size = self.size
        if size > self._synced:
            self._files.sync(journal_name(self.generation))
            if not self._is_name_synced:
                # The name of a new file needs a sync of its own.
                self._files.sync_names()
            self._synced, self._is_name_synced = size, True


@dataclass(frozen=True, slots=True)
class Replay:
    """What was read of all journals.

    Attributes:
        records: decrypted, in order.
        seen_bytes: of all files.
        lost_bytes: of these, those from the first record that did not decrypt.
        generation: of the newest file.
    """

    records: tuple[JournalRecord, ...]
    seen_bytes: int
    lost_bytes: int
    generation: int


def read_journals(
    files: Files, cipher: GalleryCipher, generation: int, record: int, shape: Shape
) -> Replay:
    """Read all journals from a generation, whose first record has this number."""
    there = [n for n in map(journal_generation, files.names()) if n is not None]
    records: list[JournalRecord] = []
    seen = lost = 0
    for each in sorted(number for number in there if number >= generation):
        data = files.read_at(journal_name(each), 0, files.size(journal_name(each)))
        seen += len(data)
        if not lost:
            found, end = _read(data, cipher, each, record + len(records), shape)
            records += found
            lost += len(data) - end
        else:
            lost += len(data)
    return Replay(tuple(records), seen, lost, max([generation, *there]))


def journal_name(generation: int) -> str:
    """Return the name of a journal's file."""
    return f"journal-{generation:08d}"


def journal_generation(name: str) -> int | None:
    """Return a journal's generation by its file name; None if it is no journal."""
    kind, _, number = name.partition("-")
    return int(number) if kind == "journal" and number.isdecimal() else None


def _read(
    data: bytes, cipher: GalleryCipher, generation: int, record: int, shape: Shape
) -> tuple[list[JournalRecord], int]:
    """Return the records that decrypt, and the offset of the first that does not."""
    records: list[JournalRecord] = []
    offset = 0
    while offset + _LENGTH.size <= len(data):
        (length,) = _LENGTH.unpack_from(data, offset)
        start = offset + _LENGTH.size
        if not ENCRYPTION_OVERHEAD_BYTES < length <= min(_MOST_BYTES, len(data) - start):
            break
        try:
            associated_data = _associated_data(generation, record + len(records))
            content = cipher.decrypt(data[start : start + length], associated_data)
        except DirectoryDamaged:
            break
        records.append(_decode(content, shape))
        offset = start + length
    return records, offset


def _associated_data(generation: int, record: int) -> bytes:
    return b"journal" + struct.pack("<IQ", generation, record)


def _encode(record: JournalRecord) -> bytes:
    added = record.added
    mark = record.mark.ljust(MARK_BYTES, b"\0")
    head = _HEAD.pack(record.sequence, mark, len(record.removed), len(added))
    return head + record.removed.tobytes() + added.to_bytes()


def _decode(content: bytes, shape: Shape) -> JournalRecord:
    sequence, mark, removed_count, added_count = _HEAD.unpack_from(content)
    end = _HEAD.size + 16 * removed_count
    removed = np.frombuffer(content[_HEAD.size : end], np.uint8).reshape(removed_count, 16)
    added = Columns.from_bytes(content[end:], added_count, shape)
    return JournalRecord(sequence, mark, removed, added)
