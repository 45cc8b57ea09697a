"""The list of erased groups: it outlives every backup, so that no restore brings one back.

It holds opaque group names only. Each is written twice with its own CRC-32: no other copy
exists, so a damaged one is repaired from its twin.
"""

from __future__ import annotations

import struct
import threading
import zlib
from typing import TYPE_CHECKING, Final
from uuid import UUID

from engine.errors import ForeignFile
from engine.types import GroupId

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from engine.gallery.durability.files import Files

NAME: Final = "erased"
_NEW_NAME: Final = "erased.new"
_MAGIC: Final = b"THNRERA1"
_CHECK: Final = struct.Struct("<I")
_COPY_BYTES: Final = 16 + _CHECK.size
_PAIR_BYTES: Final = 2 * _COPY_BYTES


class ErasureList:
    """Groups that must not come back.

    Args:
        files: of a directory that this process owns.

    Attributes:
        damage_count: damaged entries found when the list was opened.

    Raises:
        ForeignFile: the file is no such list.
        DirectoryFault: it cannot be read or repaired.
    """

    def __init__(self, files: Files) -> None:
        self._files, self._lock = files, threading.Lock()
        self._groups: dict[GroupId, None] = {}
        self._pending: dict[GroupId, None] = {}
        self._is_name_synced = (
            False  # durably: who wrote the file before may have died too early
        )
        self.damage_count = 0
        data = files.read_at(NAME, 0, files.size(NAME)) if NAME in files.names() else b""
        if data and not _MAGIC.startswith(data[: len(_MAGIC)]):
            raise ForeignFile("the list of erasures is none")
        self._read(data[len(_MAGIC) :])
        if self.damage_count or (self._groups and len(data) != self._size()):
            self._write()

    def __iter__(self) -> Iterator[GroupId]:
        """Yield all groups, oldest first."""
        return iter([*self._groups, *self._pending])

    def __len__(self) -> int:
        """Return how many groups are listed."""
        return len(self._groups) + len(self._pending)

    def add(self, groups: Iterable[GroupId]) -> None:
        """Add groups, durably; on ``DirectoryFault`` they stay in memory until ``flush``."""
        with self._lock:
            self._pending.update(dict.fromkeys(g for g in groups if g not in self._groups))
        self.flush()

    def flush(self) -> None:
        """Write pending groups. Raises ``DirectoryFault``."""
        with self._lock:
            if not self._pending:
                return
            start = b"" if self._groups else _MAGIC
            data = start + b"".join(map(_pair, self._pending))
            self._files.write_at(NAME, self._size() - len(start), data)
            self._files.sync(NAME)
            if not self._is_name_synced:
                self._files.sync_names()
                self._is_name_synced = True
            self._groups.update(self._pending)
            self._pending = {}

    def _size(self) -> int:
        return len(_MAGIC) + _PAIR_BYTES * len(self._groups)

    def _read(self, data: bytes) -> None:
        for offset in range(0, len(data), _PAIR_BYTES):
            pair = data[offset : offset + _PAIR_BYTES]
            copies = {_sound(pair[:_COPY_BYTES]), _sound(pair[_COPY_BYTES:])}
            self.damage_count += len(copies) > 1 or None in copies
            self._groups.update({GroupId(UUID(bytes=name)): None for name in copies if name})

    def _write(self) -> None:
        """Rewrite the whole list atomically."""
        data = _MAGIC + b"".join(map(_pair, self._groups))
        self._files.resize(_NEW_NAME, 0)
        self._files.write_at(_NEW_NAME, 0, data)
        self._files.sync(_NEW_NAME)
        self._files.rename(_NEW_NAME, NAME)
        self._files.sync_names()


def _pair(group: GroupId) -> bytes:
    copy = group.bytes + _CHECK.pack(zlib.crc32(group.bytes))
    return 2 * copy


def _sound(copy: bytes) -> bytes | None:
    """Return the group of one copy; None if it is damaged."""
    name, check = copy[:16], copy[16:]
    return name if check == _CHECK.pack(zlib.crc32(name)) else None
