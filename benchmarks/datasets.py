"""Pictures and templates that are measured; the data itself stays outside git.

A set of pictures is a manifest (``engine.workbench.manifest``), or a folder for each palm.
Pictures of any format are decoded and given landmarks. A crop has no hand to locate: the mean
palm's landmarks make its largest square the region of interest.

Templates are those of a set's pictures, or of drawn palms, as ``thenar models templates``
writes them.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks.console import BenchmarkFault, console, track
from engine.decode import MAX_BYTES, decode_sample
from engine.errors import EngineError, QualityTooLow, SampleUnreadable
from engine.pipeline import PalmPipeline
from engine.roi import landmarks_on_square
from engine.types import ExtractorId, Hand, PalmLandmarks, PalmSample, PalmTemplate
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


CROP: Final = "roi"
"""Kind of a picture that shows the region of interest alone."""

SIDES: Final = {"l": Hand.LEFT, "r": Hand.RIGHT}
"""Sides by the first letter in a manifest."""


def side_of(hand: str) -> Hand | None:
    """Return the side that a manifest gives, or None."""
    return SIDES.get(hand[:1].lower())


def read_sample(path: Path) -> PalmSample:
    """Decode a picture as the service does; convert other formats to PNG first.

    Raises:
        SampleTooLarge: more bytes or pixels than the service accepts.
        SampleUnreadable: no picture.
    """
    data = path.read_bytes()
    try:
        return decode_sample(data)
    except SampleUnreadable:
        return decode_sample(_as_png(data))


def _as_png(data: bytes) -> bytes:
    """Convert to PNG without loss (16 bits become 8).

    Raises:
        SampleUnreadable: no picture.
    """
    pixels = None
    if 0 < len(data) <= MAX_BYTES:
        pixels = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    if pixels is None:
        raise SampleUnreadable("the file is no picture")
    done, png = cv2.imencode(".png", pixels)
    if not done:
        raise SampleUnreadable("the picture cannot be written as PNG")
    return bytes(png)


def landmarks_on_crop(sample: PalmSample, hand: Hand) -> PalmLandmarks:
    """Place the mean palm's landmarks on the largest centred square of a crop."""
    return landmarks_on_square(sample.pixels.shape, hand)


def located(pipeline: PalmPipeline, picture: Picture, sample: PalmSample) -> PalmLandmarks:
    """Return the landmarks of a hand, or those of a crop. Raises FailureToAcquire."""
    if picture.kind == CROP:
        return landmarks_on_crop(sample, side_of(picture.hand) or Hand.LEFT)
    return pipeline.locator.locate(sample)


def reason_of(fault: EngineError) -> str:
    """Return the error code, with the failed quality check."""
    if isinstance(fault, QualityTooLow):
        return f"{fault.code}: {fault.reason.value}"
    return fault.code


EXTRACTOR: Final = ExtractorId("palmnet-3")
"""The extractor that made the vectors."""

_PLAN_FILE: Final = "templates.json"
_PARTS: Final = "part-*.npz"


@dataclass(frozen=True, slots=True)
class DrawnTemplates:
    """Drawn palms; neighbours share a family and a sensor.

    Attributes:
        vectors: shape (palms, views, 384), float16, L2 norm 1.
        codes: shape (palms, views, 1024), uint8.
    """

    vectors: NDArray[np.float16] = field(repr=False)
    codes: NDArray[np.uint8] = field(repr=False)
    plan: dict[str, Any]

    def unit_vectors(self) -> NDArray[np.float32]:
        """Return the vectors as the extractor makes them, float32."""
        wide = self.vectors.astype(np.float32)
        return np.asarray(wide / np.linalg.norm(wide, axis=2, keepdims=True))

    def digest(self) -> str:
        """Return the SHA-256 of all templates, hexadecimal."""
        return hashlib.sha256(self.codes.tobytes() + self.vectors.tobytes()).hexdigest()

    def require_graph(self, sha256: str) -> None:
        """Raise DatasetFault if another palm graph made the vectors."""
        if self.plan.get("graph") != sha256:
            raise DatasetFault(
                "these templates are of another network: run thenar models templates"
            )


def read_drawn(folder: Path) -> DrawnTemplates:
    """Read a folder of templates."""
    parts = sorted(folder.glob(_PARTS))
    if not parts or not (folder / _PLAN_FILE).is_file():
        raise DatasetFault(
            f"{folder.name} holds no drawn templates: run thenar models templates"
        )
    plan = json.loads((folder / _PLAN_FILE).read_text("utf-8"))
    views = int(plan["views"])
    read = [np.load(path) for path in parts]
    columns = [np.concatenate([part[name] for part in read]) for name in ("network", "code")]
    vectors, codes = (column.reshape(-1, views, column.shape[1]) for column in columns)
    return DrawnTemplates(vectors, codes, plan)


@dataclass(frozen=True, slots=True)
class LabelledTemplate:
    """A template with its palm and session.

    Attributes:
        session: empty if unknown.
    """

    identity: str = field(repr=False)
    session: str
    template: PalmTemplate = field(repr=False)


def labelled_templates(
    palms: PalmSet, pipeline: PalmPipeline, pictures_per_palm: int
) -> list[LabelledTemplate]:
    """Extract templates from up to ``pictures_per_palm`` pictures of each palm."""
    chosen = _spread(palms, pictures_per_palm)
    templates = []
    for picture in track(chosen, f"{palms.name}: templates"):
        template = _template_of(picture, pipeline)
        if template is not None:
            templates.append(LabelledTemplate(picture.identity, picture.session, template))
    lost = len(chosen) - len(templates)
    console.print(f"{palms.name}: {lost} of {len(chosen)} pictures not acquired")
    return templates


def _spread(palms: PalmSet, count: int) -> list[Picture]:
    chosen = []
    for pictures in palms.by_identity().values():
        steps = min(count, len(pictures))
        places = np.linspace(0, len(pictures) - 1, steps).round().astype(int)
        chosen += [pictures[place] for place in places]
    return chosen


def _template_of(picture: Picture, pipeline: PalmPipeline) -> PalmTemplate | None:
    try:
        if picture.kind != "roi":
            return pipeline.extract(picture.path.read_bytes()).template
        sample = read_sample(picture.path)
        landmarks = landmarks_on_crop(sample, side_of(picture.hand) or Hand.LEFT)
        return pipeline.extractor.extract(sample, landmarks).template
    except EngineError:
        return None
    except OSError as error:
        raise DatasetFault(f"a picture of {picture.path.parent} cannot be read") from error
