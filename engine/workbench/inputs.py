"""Finds the input files of a command: files, folders, or folders with ``manifest.csv``.

A folder of template files has a manifest that says whose palm each is. Each file is written at
once, so a command that was interrupted goes on where it was.
"""

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Final

from engine.errors import TemplateRefused
from engine.gallery.durability.encryption import write_whole
from engine.template_codec import decode_template, encode_template
from engine.types import ExtractorId, PalmTemplate
from engine.workbench.manifest import MANIFEST, InputFault, manifest_rows

_Owned = tuple["InputFile", Path]
"""A file, and the folder, file or identity that its label stands for."""


TEMPLATE_SUFFIX: Final = ".template"
PICTURE_SUFFIXES: Final = ".jpg .jpeg .png .webp .heic .heif .bmp .tif .tiff .pgm .ppm"
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


class TemplateFolder:
    """Template files by the path of their pictures. Not for two processes at once.

    Raises:
        InputFault: the folder's manifest cannot be read, or lists other files, too.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._manifest = folder, folder / MANIFEST
        rows = manifest_rows(self._manifest) if self._manifest.exists() else []
        if len(rows) > 1 and not rows[-1].get("source"):
            rows.pop()  # half a row: the disk was full
        if not all(row.get("source") for row in rows):
            raise InputFault(f"{self._manifest}: lists other files: choose another folder")
        folder.mkdir(parents=True, exist_ok=True)
        self._rows = {row["source"]: row for row in rows}
        self._names = {row["path"] for row in rows}
        known = rows[0] if rows else ()
        self._columns = list(dict.fromkeys(("path", "identity", "hand", "source", *known)))
        self._rewrite()

    def kept(self, file: InputFile, extractor: ExtractorId) -> PalmTemplate | None:
        """Return the template that this extractor made of the picture as it is now."""
        row = self._rows.get(_source(file))
        try:
            path = self._folder / row["path"] if row and row["identity"] == file.label else None
            if path is None or path.stat().st_mtime_ns < file.path.stat().st_mtime_ns:
                return None
            template = decode_template(path.read_bytes())
        except (OSError, TemplateRefused):
            return None
        return template if template.extractor == extractor else None

    def add(self, file: InputFile, template: PalmTemplate) -> None:
        """Write a picture's template, under a name that no other picture has."""
        source = _source(file)
        known = self._rows.get(source, {})
        name = known.get("path") or self._new_name(file)
        hand = template.hand[0].upper()
        row = {"path": name, "identity": file.label, "hand": hand, "source": source}
        self._rows[source] = {**known, **row}
        self._names.add(name)
        if not known:
            with self._manifest.open("a", encoding="utf-8", newline="") as lines:
                lines.write(self._csv([row]))
        elif known != self._rows[source]:
            self._rewrite()
        write_whole(self._folder / name, encode_template(template))

    def _new_name(self, file: InputFile) -> str:
        stem = "-".join(Path(file.name).with_suffix("").parts)
        ends = ("" if number == 1 else f"-{number}" for number in count(1))
        names = (f"{stem}{end}{TEMPLATE_SUFFIX}" for end in ends)
        return next(
            n for n in names if n not in self._names and not (self._folder / n).exists()
        )

    def _rewrite(self) -> None:
        head = dict(zip(self._columns, self._columns, strict=True))
        write_whole(self._manifest, self._csv([head, *self._rows.values()]).encode())

    def _csv(self, rows: Iterable[dict[str, str]]) -> str:
        text = io.StringIO()
        writer = csv.DictWriter(text, self._columns, restval="", lineterminator="\n")
        writer.writerows(rows)
        return text.getvalue()


def _source(file: InputFile) -> str:
    return str(file.path.resolve())
