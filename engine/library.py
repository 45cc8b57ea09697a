"""The engine as a library: pictures to templates, comparisons, and a gallery of named people.

    from engine import Engine

    engine = Engine.open()
    ada = [engine.extract(Path(name).read_bytes()) for name in ("ada-1.jpg", "ada-2.jpg")]
    people = engine.gallery()
    people.enrol("Ada", ada)
    found = people.search(engine.extract(Path("somebody.jpg").read_bytes()))
    print(found.label)  # "Ada", or None

A gallery is in memory: keep templates by ``engine.template_codec`` and enrol them at the start.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from uuid import uuid4

from engine.comparison.compare import compare
from engine.decision.calibration import load_calibration, threshold_for_fpir
from engine.decision.decide import decide_identification
from engine.errors import GalleryFault
from engine.pipeline import load_pipeline
from engine.settings import EngineSettings
from engine.types import GroupId, Match, Reference, ReferenceId

if TYPE_CHECKING:
    from collections.abc import Iterable

    from engine.decision.calibration import Calibration
    from engine.gallery.search.memory_gallery import MemoryGallery
    from engine.pipeline import PalmPipeline
    from engine.types import PalmTemplate

CANDIDATES: Final = 20
"""Most people that a search lists."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A score from 0 to 1, its false match rate, and whether it is a match."""

    score: float = field(repr=False)
    fmr: float
    is_match: bool


@dataclass(frozen=True, slots=True)
class Found:
    """Who was found.

    Attributes:
        label: of the match; None without one.
        candidates: labels and scores, best first.
        threshold: lowest score of a match in a gallery of this size.
    """

    label: str | None
    candidates: tuple[tuple[str, float], ...] = field(repr=False)
    threshold: float


class Engine:
    """Makes and compares templates. Thread-safe.

    Attributes:
        pipeline: from pictures to templates.
        match_threshold: lowest score of two templates of one palm, at ``target_fmr``.
    """

    def __init__(self, pipeline: PalmPipeline, settings: EngineSettings) -> None:
        self.pipeline, self._settings = pipeline, settings
        self._calibration = load_calibration(pipeline.extractor.extractor_id)
        self.match_threshold = self._calibration.threshold_for_fmr(settings.target_fmr)

    @classmethod
    def open(cls, settings: EngineSettings | None = None) -> Engine:
        """Load the networks; settings come from ``THENAR_ENGINE_…`` unless given.

        Raises:
            ModelFault: a network is missing or changed.
        """
        settings = settings or EngineSettings()
        return cls(load_pipeline(settings), settings)

    def extract(self, image: bytes) -> PalmTemplate:
        """Make a template from a picture (JPEG, PNG, WebP), which may be anybody's.

        Raises:
            SampleRefused: not a picture that we decode.
            FailureToAcquire: no palm in it, or not good enough; says why.
        """
        return self.pipeline.extract(image).template

    def compare(self, probe: PalmTemplate, reference: PalmTemplate) -> Comparison:
        """Compare two templates of the same hand, at ``target_fmr``.

        Raises:
            ExtractorMismatch: they are of two extractors, or of two hands.
        """
        score = compare(probe, reference)
        fmr = self._calibration.fmr_at(score)
        return Comparison(score, fmr, score >= self.match_threshold)

    def gallery(self) -> LabelledGallery:
        """Return an empty gallery, which decides at ``target_fpir``."""
        from engine.gallery.search.memory_gallery import MemoryGallery  # noqa: PLC0415 - compiler

        extractor = self.pipeline.extractor
        gallery = MemoryGallery(extractor.extractor_id, extractor.dimension)
        return LabelledGallery(gallery, self._calibration, self._settings.target_fpir)


class LabelledGallery:
    """People under names of the caller's. Not for several threads at once."""

    def __init__(
        self, gallery: MemoryGallery, calibration: Calibration, target_fpir: float
    ) -> None:
        self._gallery, self._calibration, self._fpir = gallery, calibration, target_fpir
        self._groups: dict[str, GroupId] = {}
        self._labels: dict[GroupId, str] = {}

    def __len__(self) -> int:
        """Return the number of references."""
        return len(self._gallery)

    def enrol(self, label: str, templates: Iterable[PalmTemplate]) -> None:
        """Add references of a person, new or known.

        Raises:
            ExtractorMismatch, TemplateRefused: a template is not of this gallery's extractor.
        """
        group = self._groups.get(label) or GroupId(uuid4())
        self._gallery.enrol([Reference(ReferenceId(uuid4()), group, t) for t in templates])
        self._groups[label], self._labels[group] = group, label

    def erase(self, label: str) -> None:
        """Remove a person.

        Raises:
            GalleryFault: no person has this name.
        """
        if label not in self._groups:
            raise GalleryFault("no person of this name is enrolled")
        group = self._groups.pop(label)
        leaving = self._gallery.references_of(group)
        self._gallery.erase([reference.reference_id for reference in leaving])
        del self._labels[group]

    def search(self, *probes: PalmTemplate, count: int = CANDIDATES) -> Found:
        """Find who shows this palm; several probes of it find better.

        Raises:
            ExtractorMismatch: the probes are of two hands, or of another extractor.
            GalleryFault: there is no probe, or ``count`` is below 1.
        """
        found = self._gallery.search(probes, count=count)
        comparisons = max(1, self._gallery.row_count(probes[0].hand) * len(probes))
        threshold = threshold_for_fpir(self._calibration, self._fpir, comparisons)
        decision = decide_identification(found, threshold, margin=self._calibration.margin)
        listed = tuple((self._labels[one.group_id], one.score) for one in found)
        label = self._labels[decision.group_id] if isinstance(decision, Match) else None
        return Found(label, listed, threshold)
