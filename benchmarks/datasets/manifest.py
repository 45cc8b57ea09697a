"""A set of pictures: a manifest (``engine.workbench.manifest``), or a folder for each palm."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from benchmarks.errors import BenchmarkFault
from engine.workbench.inputs import found_files
from engine.workbench.manifest import MANIFEST, InputFault, manifest_rows


class DatasetFault(BenchmarkFault):
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
        condition: what the picture shows on purpose, at which strength, in which unit; empty
            for most. Written by ``thenar models vary``.
        role: ``reference`` or ``probe`` under conditions.
        columns: all of its row.
    """

    path: Path = field(repr=False)
    identity: str = field(repr=False)
    hand: str
    kind: str
    subject: str = field(repr=False)
    session: str = ""
    condition: str = ""
    strength: float = 0.0
    unit: str = ""
    role: str = ""
    columns: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)


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
    """Read a manifest, the one in a folder, or a folder of folders. Raises DatasetFault."""
    manifest = place if place.is_file() else place / MANIFEST
    try:
        if manifest.is_file():
            return _listed(manifest)
        return _found(place)
    except InputFault as fault:
        raise DatasetFault(str(fault)) from fault


def merged(sets: Sequence[PalmSet]) -> PalmSet:
    """Return all sets as one, of a single session: every picture is compared with all others.

    Palms and people of different sets are different ones.
    """
    digest = hashlib.sha256("".join(one.digest for one in sets).encode()).hexdigest()
    pictures = [_renamed(picture, one.name) for one in sets for picture in one.pictures]
    return PalmSet("+".join(one.name for one in sets), digest, tuple(pictures))


def _renamed(picture: Picture, name: str) -> Picture:
    identity = picture.identity and f"{name}/{picture.identity}"
    subject = picture.subject and f"{name}/{picture.subject}"
    return replace(picture, identity=identity, subject=subject, session="")


def _listed(manifest: Path) -> PalmSet:
    folder, rows = manifest.parent, manifest_rows(manifest)
    digest = hashlib.sha256(manifest.read_bytes()).hexdigest()
    name = folder.resolve().name if manifest.name == MANIFEST else manifest.stem
    return PalmSet(name, digest, tuple(_picture(folder, row) for row in rows))


def _found(folder: Path) -> PalmSet:
    files = [(one.path, one.label) for one in found_files(folder) if one.path.parent != folder]
    if not files:
        raise InputFault(f"{folder}: neither {MANIFEST} nor one folder for each palm")
    listed = "".join(f"{path.relative_to(folder)},{label}\n" for path, label in files)
    digest = hashlib.sha256(listed.encode()).hexdigest()
    pictures = tuple(Picture(path, label, "", "hand", label) for path, label in files)
    return PalmSet(folder.resolve().name, digest, pictures)


def _picture(folder: Path, row: dict[str, str]) -> Picture:
    return Picture(
        path=folder / row["path"],
        identity=row["identity"],
        hand=row.get("hand", ""),
        kind=row.get("kind") or "hand",
        subject=row.get("subject") or row["identity"],
        session=row.get("session", ""),
        condition=row.get("condition", ""),
        strength=_number(row.get("strength", "")),
        unit=row.get("unit", ""),
        role=row.get("role", ""),
        columns=row,
    )


def _number(text: str) -> float:
    try:
        return float(text or 0)
    except ValueError as fault:
        raise InputFault(f"a strength is a number, not {text!r}") from fault


def require_pictures(palms: PalmSet) -> None:
    """Check the files before hours are spent on the set.

    Raises:
        DatasetFault: a file is missing.
    """
    missing = sum(not picture.path.is_file() for picture in palms.pictures)
    if missing:
        raise DatasetFault(f"{missing} pictures of {palms.name} are missing")
