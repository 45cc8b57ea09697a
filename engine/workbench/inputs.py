"""Finds the input files of a command: files, folders, or folders with ``manifest.csv``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from engine.workbench.manifest import MANIFEST, InputFault, manifest_rows

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

TEMPLATE_SUFFIX: Final = ".template"
SUFFIXES: Final = frozenset({".jpg", ".jpeg", ".png", ".webp", TEMPLATE_SUFFIX})


@dataclass(frozen=True, slots=True)
class InputFile:
    """A picture or template file.

    ``label`` is the manifest's identity, otherwise the subfolder's name, otherwise its own.
    """

    path: Path
    label: str

    @property
    def name(self) -> str:
        """The file's name with its folder."""
        return "/".join(self.path.parts[-2:])


def input_files(paths: Iterable[Path]) -> list[InputFile]:
    """Return the files in the order given; in folders by name.

    Raises:
        InputFault: no such path, a folder without pictures, or a broken manifest.
    """
    return [file for path in paths for file in _files_of(path)]


def _files_of(path: Path) -> list[InputFile]:
    if path.is_file():
        return [InputFile(path, path.stem)]
    if not path.is_dir():
        raise InputFault(f"{path}: no such file or folder")
    files = _listed(path) if (path / MANIFEST).is_file() else found_files(path)
    if not files:
        raise InputFault(f"{path}: no pictures ({', '.join(sorted(SUFFIXES))}) in this folder")
    return files


def found_files(folder: Path) -> list[InputFile]:
    """Return the pictures and templates of a folder without a manifest, by name."""
    paths = sorted(p for p in folder.rglob("*") if p.suffix.lower() in SUFFIXES and p.is_file())
    return [InputFile(p, p.stem if p.parent == folder else p.parent.name) for p in paths]


def _listed(folder: Path) -> list[InputFile]:
    rows = manifest_rows(folder / MANIFEST)
    hands = [row for row in rows if row.get("kind", "") in ("", "hand")]
    paths = [(folder / row["path"], row["identity"]) for row in hands]
    return [InputFile(path, identity or path.stem) for path, identity in paths]
