"""A directory that loses power: whatever was not synced is gone, or only partly there.

Contents and names are durable apart from each other, as POSIX has them: ``fsync`` of a file
says nothing of its name, a rename is undone unless the directory was synced.
"""

from __future__ import annotations

import errno
import random

from engine.errors import DirectoryFault, DirectoryFull


class PowerCut(BaseException):
    """The power went. Not an ``Exception``: nothing that serves may catch it."""


class _Content:
    """A file's bytes: as they are, as they survive, and what was written in between."""

    def __init__(self, durable: bytes = b"") -> None:
        self.now, self.durable = bytearray(durable), bytes(durable)
        self.unsynced: list[tuple[int, bytes | None]] = []


class CrashFiles:
    """Implements ``Files`` in memory.

    Attributes:
        write_count: how many calls have changed something.
        cut_at: the number of the changing call at which the power goes; None: never.
        room: bytes there are room for; None: as many as one likes.
    """

    def __init__(self) -> None:
        self._now: dict[str, _Content] = {}
        self._durable: dict[str, _Content] = {}
        self.write_count = 0
        self.cut_at: int | None = None
        self.room: int | None = None
        self.is_broken = False

    def names(self):
        """Return the names of all files."""
        return sorted(self._now)

    def size(self, name):
        """Return a file's size."""
        return len(self._content(name).now)

    def read_at(self, name, offset, size):
        """Return bytes of a file."""
        return bytes(self._content(name).now[offset : offset + size])

    def write_at(self, name, offset, data):
        """Write into a file."""
        self._step()
        data = bytes(data)
        content = self._now.setdefault(name, _Content())
        grown = max(0, offset + len(data) - len(content.now))
        if self.room is not None and grown > self.room:
            raise DirectoryFull("no room")
        self.room = None if self.room is None else self.room - grown
        content.now.extend(bytes(max(0, offset - len(content.now))))
        content.now[offset : offset + len(data)] = data
        content.unsynced.append((offset, data))

    def resize(self, name, size):
        """Cut or lengthen a file."""
        self._step()
        content = self._now.setdefault(name, _Content())
        del content.now[size:]
        content.now.extend(bytes(size - len(content.now)))
        content.unsynced.append((size, None))

    def sync(self, name):
        """Make a content durable."""
        self._step()
        content = self._content(name)
        content.durable, content.unsynced = bytes(content.now), []

    def close_file(self, name):
        """Do nothing."""

    def rename(self, old, new):
        """Give a file a name."""
        self._step()
        self._now[new] = self._content(old)
        del self._now[old]

    def remove(self, name):
        """Remove a file."""
        self._step()
        self._content(name)
        del self._now[name]

    def sync_names(self):
        """Make names durable."""
        self._step()
        self._durable = dict(self._now)

    def after_power_cut(self, chance: random.Random | None = None) -> CrashFiles:
        """Return what is there when the power comes back.

        Args:
            chance: None: only what was synced. Otherwise some of the rest as well: any of the
                names as they were, any of the writes, one of them torn.
        """
        left = CrashFiles()
        names = self._durable
        if chance is not None and chance.random() < 0.5:
            names = self._now
        for name, content in names.items():
            kept = _Content(_survivors(content, chance))
            left._now[name] = left._durable[name] = kept
        return left

    def contents(self) -> dict[str, bytes]:
        """Return what is in every file now."""
        return {name: bytes(content.now) for name, content in self._now.items()}

    def flip(self, name: str, offset: int, bit: int) -> None:
        """Change one bit, as a bad disk does."""
        content = self._content(name)
        content.now[offset] ^= 1 << bit
        content.durable = bytes(content.now)

    def _content(self, name: str) -> _Content:
        if name not in self._now:
            raise DirectoryFault("no such file")
        return self._now[name]

    def _step(self) -> None:
        self.write_count += 1
        if self.cut_at is not None and self.write_count >= self.cut_at:
            raise PowerCut
        if self.is_broken:
            raise DirectoryFault("input or output failed") from OSError(errno.EIO, "bad disk")


def no_room(*_arguments: object) -> None:
    """Stand in for a write that finds the disk full."""
    raise DirectoryFull("no room")


def _survivors(content: _Content, chance: random.Random | None) -> bytes:
    if chance is None:
        return content.durable
    kept = bytearray(content.durable)
    for offset, data in content.unsynced:
        if chance.random() < 0.5:
            continue
        if data is None:
            del kept[offset:]
            kept.extend(bytes(offset - len(kept)))
            continue
        torn = data[: chance.randrange(len(data) + 1)] if chance.random() < 0.3 else data
        kept.extend(bytes(max(0, offset - len(kept))))
        kept[offset : offset + len(torn)] = torn
    return bytes(kept)
