"""Finds the input files of a command: files, folders, or folders with ``manifest.csv``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from engine.workbench.manifest import MANIFEST, InputFault, manifest_rows

if TYPE_CHECKING:
    from collections.abc import Iterable

    _Owned = tuple["InputFile", Path]
    """A file, and the folder, file or identity that its label stands for."""

TEMPLATE_SUFFIX: Final = ".template"
PICTURE_SUFFIXES: Final = ".jpg .jpeg .png .webp .bmp .tif .tiff .pgm .ppm"
SUFFIXES: Final = frozenset({*PICTURE_SUFFIXES.split(), TEMPLATE_SUFFIX})


@dataclass(frozen=True, slots=True)
class InputFile:
    """A picture or template file.

    ``label`` is the manifest's identity, otherwise the subfolder's path, otherwise its name.
    """

    path: Path
    label: str

    @property
    def name(self) -> str:
        """The file's name with its folder."""
        return "/".join(self.path.parts[-2:])


def input_files(paths: Iterable[Path]) -> list[InputFile]:
    """Return the files in the order given; in folders by name.

    A path that is missing is a file that cannot be read. A label that two folders or files
    without a manifest would share becomes the path of each.

    Raises:
        InputFault: a folder without pictures, or a broken manifest.
    """
    found = [each for path in paths for each in _files_of(path)]
    owners: dict[str, set[Path]] = {}
    for file, owner in found:
        owners.setdefault(file.label, set()).add(owner)
    return [
        file if len(owners[file.label]) == 1 else replace(file, label=owner.as_posix())
        for file, owner in found
    ]


def _files_of(path: Path) -> list[_Owned]:
    if not path.is_dir():
        return [(InputFile(path, path.stem), path)]
    if (path / MANIFEST).is_file():
        files = _listed(path)
    else:
        found = found_files(path)
        files = [(f, f.path if f.path.parent == path else f.path.parent) for f in found]
    if not files:
        raise InputFault(f"{path}: no pictures ({', '.join(sorted(SUFFIXES))}) in this folder")
    return files


def found_files(folder: Path) -> list[InputFile]:
    """Return the pictures and templates of a folder without a manifest, by name."""
    paths = sorted(p for p in folder.rglob("*") if p.suffix.lower() in SUFFIXES and p.is_file())
    places = [(p, p.parent.relative_to(folder).as_posix()) for p in paths]
    return [InputFile(p, p.stem if place == "." else place) for p, place in places]


def _listed(folder: Path) -> list[_Owned]:
    rows = manifest_rows(folder / MANIFEST)
    hands = [row for row in rows if row.get("kind", "") in ("", "hand")]
    paths = [(folder / row["path"], row["identity"]) for row in hands]
    return [
        (InputFile(path, identity or path.stem), Path(identity) if identity else path)
        for path, identity in paths
    ]
