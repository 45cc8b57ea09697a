"""A folder of template files, with a manifest that says whose palm each is.

Each file is written at once, so a command that was interrupted goes on where it was.
"""

from __future__ import annotations

import csv
import io
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import TemplateRefused
from engine.gallery.durability.whole_file import write_whole
from engine.template_codec import decode_template, encode_template
from engine.workbench.inputs import TEMPLATE_SUFFIX
from engine.workbench.manifest import MANIFEST, InputFault, manifest_rows

if TYPE_CHECKING:
    from collections.abc import Iterable

    from engine.types import ExtractorId, PalmTemplate
    from engine.workbench.inputs import InputFile


class TemplateFolder:
    """Template files by the path of their pictures. Not for two processes at once.

    Raises:
        InputFault: the folder's manifest cannot be read, or lists other files, too.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._manifest = folder, folder / MANIFEST
        rows = manifest_rows(self._manifest) if self._manifest.exists() else []
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
