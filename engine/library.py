"""The engine as a library: pictures to templates, comparisons, and a gallery of named people.

    from thenar import Engine

    engine = Engine.open()
    ada = [engine.extract(name) for name in ("ada-1.jpg", "ada-2.jpg")]
    people = engine.gallery()
    people.enrol("Ada", ada)
    found = people.search(engine.extract("probe.jpg"))
    print(found.label)  # "Ada", or None

A gallery is in memory: ``people.save(path)`` keeps it, ``engine.gallery(path)`` brings it back.
"""

from __future__ import annotations

import json
import os
from base64 import b64decode, b64encode
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from logging import getLogger
from pathlib import Path
from typing import TYPE_CHECKING, Final
from uuid import uuid4

from engine.comparison.alignment import compare_claimed
from engine.comparison.compare import prepare
from engine.decision.calibration import load_calibration, threshold_for_search
from engine.decision.decide import decide_identification
from engine.decode import read_picture
from engine.errors import EngineError, ExtractorMismatch, GalleryFault
from engine.gallery.durability.encryption import write_whole
from engine.gallery.near import laid_over
from engine.parameters import COMPARED_GROUPS
from engine.pipeline import load_pipeline
from engine.presentation_attack.judging import load_detector
from engine.settings import RAREST_RATE, EngineSettings
from engine.template_codec import decode_template, encode_template, require_valid
from engine.types import GroupId, NonMatch, PalmTemplate, Reference, ReferenceId

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from os import PathLike

    from engine.decision.calibration import Calibration
    from engine.decode import Picture
    from engine.gallery.search.memory_gallery import MemoryGallery
    from engine.pipeline import PalmPipeline
    from engine.types import Extraction, NonMatchReason, PalmLandmarks

LOGGER: Final = getLogger(__name__)

CANDIDATES: Final = 20
"""Most people that a search lists."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A score from 0 to 1, its false match rate, and whether it is a match.

    No calibration reaches below ``RAREST_RATE``: that rate means “at most”.
    """

    score: float = field(repr=False)
    fmr: float
    is_match: bool

    def __bool__(self) -> bool:
        return self.is_match


@dataclass(frozen=True, slots=True)
class Found:
    """The result of a search.

    Attributes:
        label: of the match; None without one.
        candidates: labels and scores, best first.
        threshold: lowest score of a match in a gallery of this size.
        reason: why there is no match; None with one.
    """

    label: str | None
    candidates: tuple[tuple[str, float], ...] = field(repr=False)
    threshold: float
    reason: NonMatchReason | None = None

    def __bool__(self) -> bool:
        return self.label is not None


@dataclass(frozen=True, slots=True)
class Examined:
    """All that was made of the largest palm in a picture; ``palms``: how many are in it."""

    extraction: Extraction
    landmarks: PalmLandmarks
    palms: int


class Engine:
    """Makes and compares templates. Thread-safe.

    Attributes:
        pipeline: from pictures to templates.
        match_threshold: lowest score of two templates of one palm, at ``target_fmr``.
    """

    def __init__(self, pipeline: PalmPipeline, settings: EngineSettings) -> None:
        self.pipeline, self._settings = pipeline, settings
        extractor = pipeline.extractor.extractor_id
        self._calibration = load_calibration(extractor, own=settings.calibration)
        self.match_threshold = self._calibration.threshold_for_fmr(settings.target_fmr)

    @classmethod
    def open(
        cls, settings: EngineSettings | None = None, *, calibration: Path | None = None
    ) -> Engine:
        """Load the networks; settings come from ``THENAR_ENGINE_…`` unless given.

        ``calibration`` is a file that ``thenar bench calibrate`` made of your own pictures.

        Raises:
            CalibrationFault: that file cannot be used.
            ModelFault: a network is missing or changed, or no attack detector has this name.
        """
        settings = settings or EngineSettings()
        if calibration:
            settings = settings.model_copy(update={"calibration": Path(calibration)})
        pipeline = load_pipeline(settings)
        load_detector(settings, pipeline.locator, [pipeline.extractor])
        LOGGER.info("opened with the extractor %s", pipeline.extractor.extractor_id)
        return cls(pipeline, settings)

    def extract(self, image: Picture) -> PalmTemplate:
        """Make a template from a file's bytes, path or open file, or from pixels.

        Users may send JPEG, PNG and WebP; BMP, TIFF and PGM should be the caller's own.
        Pixels have shape (height, width, 3), uint8, RGB, upright.

        Raises:
            TypeError: none of these.
            OSError: the file cannot be read.
            SampleRefused: not a picture that we decode.
            FailureToAcquire: no palm in it, or not good enough; says why.
        """
        return self.pipeline.extract(read_picture(image)).template

    def extract_many(self, images: Iterable[Picture]) -> Iterator[PalmTemplate | Exception]:
        """Yield the template of each picture, in order, or what ``extract`` raised.

        Works on as many pictures at once as there are cores.
        """
        cores = os.cpu_count() or 1
        waiting: deque[Future[PalmTemplate | Exception]] = deque()
        with ThreadPoolExecutor(cores) as pool:
            for image in images:
                waiting.append(pool.submit(self._extract_or_fault, image))
                if len(waiting) > cores:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()

    def _extract_or_fault(self, image: Picture) -> PalmTemplate | Exception:
        try:
            return self.extract(image)
        except (EngineError, OSError, TypeError, ValueError) as fault:
            return fault

    def examine(self, image: Picture) -> Examined:
        """Return template, region, quality, landmarks and palms. Raises like ``extract``."""
        sample, landmarks = self.pipeline.locate(read_picture(image))
        palms = len(self.pipeline.locator.locate_all(sample))
        return Examined(self.pipeline.extractor.extract(sample, landmarks), landmarks, palms)

    def compare(self, probe: PalmTemplate, reference: PalmTemplate) -> Comparison:
        """Compare two templates of the same hand, at ``target_fmr``.

        Raises:
            ExtractorMismatch: they are of two hands, or of other extractors.
            TemplateRefused: a vector or a code is none that ``extract`` makes.
        """
        _require_templates(probe, reference)
        probe, reference = require_valid(probe), require_valid(reference)
        if probe.extractor != self.pipeline.extractor.extractor_id:
            raise ExtractorMismatch(f"the templates are of {probe.extractor}: open its engine")
        prepare()
        score = float(compare_claimed(probe, [reference])[0])
        fmr = max(RAREST_RATE, self._calibration.fmr_at(score))
        return Comparison(score, fmr, score >= self.match_threshold)

    def gallery(self, saved: str | PathLike[str] | None = None) -> LabelledGallery:
        """Return a gallery, empty or as it was saved, which decides at ``target_fpir``.

        Raises:
            GalleryFault: the file is not one that ``LabelledGallery.save`` wrote.
            ExtractorMismatch, TemplateRefused: its templates are foreign, or damaged.
            OSError: the file cannot be read.
        """
        from engine.gallery.search.memory_gallery import MemoryGallery  # noqa: PLC0415 - compiler

        prepare()
        extractor = self.pipeline.extractor
        gallery = MemoryGallery(extractor.extractor_id, extractor.dimension)
        people = LabelledGallery(gallery, self._calibration, self._settings)
        if saved is not None:
            people.load(Path(saved).read_bytes())
        return people


def _require_templates(*values: object) -> None:
    for value in values:
        if not isinstance(value, PalmTemplate):
            name = type(value).__name__
            raise TypeError(f"a template is what Engine.extract returns, not {name}")


class LabelledGallery:
    """People under names of the caller's. Not for several threads at once."""

    def __init__(
        self, gallery: MemoryGallery, calibration: Calibration, settings: EngineSettings
    ) -> None:
        self._gallery, self._calibration, self._settings = gallery, calibration, settings
        self._groups: dict[str, GroupId] = {}
        self._labels: dict[GroupId, str] = {}

    def __len__(self) -> int:
        """Return the number of references."""
        return len(self._gallery)

    def __contains__(self, label: object) -> bool:
        """Return whether a person of this name is enrolled."""
        return label in self._groups

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of all people, in the order of their enrolment."""
        return tuple(self._groups)

    def enrol(self, label: str, templates: Iterable[PalmTemplate]) -> None:
        """Add references of a person, new or known.

        Raises:
            TypeError: the label is no text, or a template none.
            GalleryFault: there is no template.
            ExtractorMismatch, TemplateRefused: a template is not of this gallery's extractor.
        """
        templates = list(templates)
        _require_templates(*templates)
        if not isinstance(label, str):
            raise TypeError(f"a label is text, not {type(label).__name__}")
        if not templates:
            raise GalleryFault("a person is enrolled with at least one template")
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
        _require_templates(*probes)
        if count < 1:
            raise GalleryFault("a search lists at least one candidate")
        found = self._gallery.search(probes, count=max(count, COMPARED_GROUPS))
        comparisons = max(1, self._gallery.row_count(probes[0].hand) * len(probes))
        rates = self._settings.target_fmr, self._settings.target_fpir
        threshold = threshold_for_search(self._calibration, *rates, comparisons)
        margin = self._calibration.margin
        found = laid_over(found, probes, self._gallery, threshold, margin=margin)
        decision = decide_identification(found, threshold, margin=margin)
        listed = tuple((self._labels[one.group_id], one.score) for one in found[:count])
        if isinstance(decision, NonMatch):
            return Found(None, listed, threshold, decision.reason)
        return Found(self._labels[decision.group_id], listed, threshold)

    def search_many(self, probes: Iterable[PalmTemplate]) -> Iterator[Found]:
        """Yield who shows each palm, in order. Raises like ``search``."""
        return map(self.search, probes)

    def save(self, path: str | PathLike[str]) -> None:
        """Write all people into one file without encryption; only its owner may read it.

        Raises:
            OSError: the file cannot be written; a former one is as it was.
        """
        people = {
            label: [
                b64encode(encode_template(each.template)).decode()
                for each in self._gallery.references_of(group)
            ]
            for label, group in self._groups.items()
        }
        write_whole(Path(path), json.dumps({"thenar_gallery": 1, "people": people}).encode())

    def load(self, saved: bytes) -> None:
        """Enrol everybody of a file that ``save`` wrote. Raises like ``Engine.gallery``."""
        try:
            document = json.loads(saved)
            if document["thenar_gallery"] != 1:
                raise GalleryFault("the gallery was saved by another version")
            people = {
                str(label): [decode_template(b64decode(each)) for each in templates]
                for label, templates in document["people"].items()
            }
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as fault:
            raise GalleryFault("not a gallery that was saved, or damaged") from fault
        for label, templates in people.items():
            self.enrol(label, templates)
