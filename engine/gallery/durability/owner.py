"""One process at a time owns a directory."""

from __future__ import annotations

import fcntl
import os
import weakref
from typing import TYPE_CHECKING, Final

from engine.errors import DirectoryFault, DirectoryInUse

if TYPE_CHECKING:
    from pathlib import Path

LOCK_NAME: Final = "lock"
_OWNER_ONLY: Final = 0o600


class DirectoryLock:
    """Owns a directory until it is closed or the process ends.

    Args:
        folder: created if missing, readable by its owner only.

    Raises:
        DirectoryInUse: another process owns it.
        DirectoryFault: it cannot be created.
    """

    def __init__(self, folder: Path) -> None:
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            folder.mkdir(mode=0o700, exist_ok=True)
            self._file = os.open(folder / LOCK_NAME, os.O_RDWR | os.O_CREAT, _OWNER_ONLY)
        except OSError as fault:
            reason = fault.strerror or "input or output failed"
            raise DirectoryFault(f"the gallery's directory cannot be used: {reason}") from fault
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as fault:
            os.close(self._file)
            raise DirectoryInUse(
                "another process owns the gallery's directory: give each its own"
            ) from fault
        self._closing = weakref.finalize(self, os.close, self._file)

    def close(self) -> None:
        """Release the directory. Idempotent."""
        self._closing()
