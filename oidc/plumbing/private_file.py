"""Files that only their owner may read; replacing one leaves the old or the new one.

A file that root replaces keeps its owner: the service must be able to read it.
"""

import os
from pathlib import Path
from typing import Final

_OWNER_ONLY: Final = 0o600


def create(path: Path, content: bytes, owner: os.stat_result | None = None) -> None:
    """Write a new file, durably. Raises FileExistsError."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWNER_ONLY)
    with os.fdopen(descriptor, "wb") as file:
        if owner is not None and os.geteuid() == 0:
            os.fchown(descriptor, owner.st_uid, owner.st_gid)
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def replace(path: Path, content: bytes) -> None:
    """Replace a file, if there is one: write, fsync, rename, fsync of the folder."""
    new = path.with_name(path.name + ".new")
    new.unlink(missing_ok=True)
    create(new, content, path.stat() if path.exists() else None)
    new.replace(path)
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
