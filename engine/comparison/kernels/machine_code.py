"""The kernels' machine code: compiled once, read by every process.

It is kept in the program's own folder and written by ``thenar engine compile``, ``thenar
migrate`` and the library's first comparison only. numba's format can run code when it is read,
so nothing is read that others may have written, or whose SHA-256 is not the one that was kept
when it was compiled.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Final

from engine.errors import KernelFault

FOLDER: Final = Path(__file__).with_name("machine_code")

LIST: Final = "digests"
"""As ``sha256sum`` writes and checks it."""

_ENGINE: Final = Path(__file__).parents[2]

SOURCES: Final = (
    "parameters.py",
    "comparison/kernels/build.py",
    "comparison/kernels/poses.py",
    "comparison/kernels/shifts.py",
    "comparison/kernels/tiles.py",
    "gallery/rows/addresses.py",
    "gallery/rows/coarse_codes.py",
    "gallery/rows/half_vectors.py",
    "gallery/search/coarse_kernel.py",
    "gallery/search/scan_kernel.py",
    "gallery/search/short_list.py",
)
"""What is compiled, and the numbers in it: a change of one is another machine code."""

_OTHERS_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH
_REMEDY: Final = "run `thenar engine compile` as the owner of that folder"


def stamp_of(*circumstances: str) -> str:
    """Return a name for what all sources give under some circumstances."""
    digests = [hashlib.sha256((_ENGINE / each).read_bytes()).hexdigest() for each in SOURCES]
    return hashlib.sha256("\n".join([*digests, *circumstances]).encode()).hexdigest()[:20]


class KernelStore:
    """The compiled functions for one CPU.

    Args:
        name: of their folder.
    """

    def __init__(self, name: str) -> None:
        self.folder = FOLDER / name
        self._draft: Path | None = None

    def find(self, function: str, signature: str) -> bytes | None:
        """Return what was compiled, or None. Raises ``KernelFault`` if it was changed."""
        name = _file_name(function, signature)
        if self._draft is not None or name not in self._digests:
            return None
        return self._checked(name)

    def add(self, function: str, signature: str, code: Callable[[], bytes]) -> None:
        """Keep what was compiled; only while the store is being replaced."""
        if self._draft is not None:
            _write(self._draft / _file_name(function, signature), code())

    def is_there(self) -> bool:
        """Return whether there is code. Raises ``KernelFault`` if it was changed."""
        return len([self._checked(name) for name in self._digests]) > 0

    @contextmanager
    def replaced(self) -> Iterator[None]:
        """Replace the stored code by all that is compiled inside.

        Raises ``KernelFault`` if the folder cannot be written.
        """
        draft = self.folder.with_name(f"{self.folder.name}.{os.getpid()}")
        try:
            FOLDER.mkdir(mode=0o755, exist_ok=True)
            draft.mkdir(mode=0o755)
            self._draft = draft
            yield
            lines = [f"{_digest(each.read_bytes())}  {each.name}\n" for each in _files(draft)]
            _write(draft / LIST, "".join(lines).encode())
            shutil.rmtree(self.folder, ignore_errors=True)
            draft.rename(self.folder)
        except OSError as fault:
            raise KernelFault(f"cannot write {FOLDER} ({fault.strerror}): {_REMEDY}") from fault
        finally:
            self._draft = None
            self.forget()
            shutil.rmtree(draft, ignore_errors=True)

    def forget(self) -> None:
        """Read again what another process has compiled."""
        self.__dict__.pop("_digests", None)

    @cached_property
    def _digests(self) -> dict[str, str]:
        try:
            self._require_own(FOLDER, self.folder, self.folder / LIST)
        except FileNotFoundError:
            return {}
        lines = (self.folder / LIST).read_text("ascii", "replace").splitlines()
        return {name: digest for digest, _, name in (each.partition("  ") for each in lines)}

    def _checked(self, name: str) -> bytes:
        path = self.folder / name
        try:
            self._require_own(path)
            data = path.read_bytes()
        except OSError:
            data = b""
        if _digest(data) != self._digests[name]:
            raise KernelFault(f"compiled code was changed or damaged in {FOLDER}: {_REMEDY}")
        return data

    def _require_own(self, *paths: Path) -> None:
        trusted = {0, os.geteuid(), Path(__file__).stat().st_uid}
        for found in (path.lstat() for path in paths):
            if found.st_uid not in trusted or found.st_mode & _OTHERS_WRITE:
                raise KernelFault(f"others may write compiled code in {FOLDER}: {_REMEDY}")


def _files(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


def _file_name(function: str, signature: str) -> str:
    return f"{function}.{_digest(signature.encode())[:12]}"


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _write(path: Path, data: bytes) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644), "wb") as file:
        file.write(data)
