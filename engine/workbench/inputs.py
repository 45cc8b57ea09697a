"""Which files an engineer meant: files, folders, or folders with a ``manifest.csv``.

Refuses paths that do not exist and folders with nothing to read.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

MANIFEST: Final = "manifest.csv"
TEMPLATE_SUFFIX: Final = ".template"
SUFFIXES: Final = frozenset({".jpg", ".jpeg", ".png", ".webp", TEMPLATE_SUFFIX})


class InputFault(Exception):
    """There is nothing to read where the engineer pointed."""


@dataclass(frozen=True, slots=True)
class InputFile:
    """A picture or a template file.

    Attributes:
        path: where it is.
        label: whose palm it is: the manifest's identity, else the name of the folder it lies
            in if a folder of folders was given, else its own name.
    """

    path: Path
    label: str

    @property
    def name(self) -> str:
        """The file's name, after its folder's if it has one."""
        return "/".join(self.path.parts[-2:])


def input_files(paths: Iterable[Path]) -> list[InputFile]:
    """Return the files behind paths, in the order given; folders in the order of names.

    Raises:
        InputFault: a path does not exist, a folder has no pictures, or a manifest is broken.
    """
    return [file for path in paths for file in _files_of(path)]


def _files_of(path: Path) -> list[InputFile]:
    """Return the files of one path."""
    if path.is_file():
        return [InputFile(path, path.stem)]
    if not path.is_dir():
        raise InputFault(f"{path}: no such file or folder")
    files = _listed(path) if (path / MANIFEST).is_file() else _found(path)
    if not files:
        raise InputFault(f"{path}: no pictures ({', '.join(sorted(SUFFIXES))}) in this folder")
    return files


def _found(folder: Path) -> list[InputFile]:
    """Return what lies in a folder and its folders."""
    paths = sorted(p for p in folder.rglob("*") if p.suffix.lower() in SUFFIXES and p.is_file())
    return [InputFile(p, p.stem if p.parent == folder else p.parent.name) for p in paths]


def _listed(folder: Path) -> list[InputFile]:
    """Return the whole-hand pictures that a folder's manifest lists."""
    with (folder / MANIFEST).open(encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(lines)
        if not {"path", "identity"} <= set(rows.fieldnames or ()):
            raise InputFault(f"{folder / MANIFEST}: needs the columns path and identity")
        hands = [row for row in rows if row.get("kind", "hand") == "hand"]
    paths = [(folder / row["path"], row["identity"]) for row in hands]
    return [InputFile(path, identity or path.stem) for path, identity in paths]
