"""A set of pictures: a folder with ``manifest.csv``, or a manifest of another name.

Columns: ``path`` (relative to the folder), ``identity`` (one palm: two hands of a person are
two), ``session``, ``hand`` (``L`` or ``R``), ``kind`` (``hand``, ``roi`` or ``negative``), and
optionally ``subject`` (the person). Pictures without an identity are of unknown palms.
"""

from __future__ import annotations

import csv
import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

MANIFEST: Final = "manifest.csv"

COLUMNS: Final = frozenset({"path", "identity", "session", "hand", "kind"})


class DatasetFault(Exception):
    """The folder is not a set of palm pictures."""


@dataclass(frozen=True, slots=True)
class Picture:
    """One picture of a palm.

    Attributes:
        identity: which palm; empty if unknown.
        hand: ``L``, ``R`` or empty.
        kind: ``hand``, ``roi`` or ``negative``.
        subject: whose palm; the identity if not given.
        session: when it was taken; empty if unknown.
    """

    path: Path = field(repr=False)
    identity: str = field(repr=False)
    hand: str
    kind: str
    subject: str = field(repr=False)
    session: str = ""


@dataclass(frozen=True, slots=True)
class PalmSet:
    """Pictures of palms, in manifest order.

    Attributes:
        digest: SHA-256 of the manifest, hexadecimal.
    """

    name: str
    digest: str
    pictures: tuple[Picture, ...] = field(repr=False)

    def by_identity(self) -> dict[str, list[Picture]]:
        """Return the pictures of each known palm, in manifest order."""
        palms: dict[str, list[Picture]] = {}
        for picture in self.pictures:
            if picture.identity:
                palms.setdefault(picture.identity, []).append(picture)
        return palms

    def unlabelled(self) -> Sequence[Picture]:
        """Return the pictures of unknown palms."""
        return [picture for picture in self.pictures if not picture.identity]


def read_palm_set(place: Path) -> PalmSet:
    """Read a manifest file, or the one in a folder."""
    manifest = place if place.is_file() else place / MANIFEST
    if not manifest.is_file():
        raise DatasetFault(f"no {MANIFEST} in {place}")
    folder = manifest.parent
    data = manifest.read_bytes()
    rows = csv.DictReader(data.decode("utf-8").splitlines())
    if missing := COLUMNS - set(rows.fieldnames or ()):
        raise DatasetFault(f"{MANIFEST} lacks the columns {', '.join(sorted(missing))}")
    pictures = tuple(_picture(folder, row) for row in rows)
    return PalmSet(folder.resolve().name, hashlib.sha256(data).hexdigest(), pictures)


def _picture(folder: Path, row: dict[str, str]) -> Picture:
    return Picture(
        path=folder / row["path"],
        identity=row["identity"],
        hand=row["hand"],
        kind=row["kind"],
        subject=row.get("subject") or row["identity"],
        session=row["session"],
    )
