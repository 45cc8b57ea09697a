"""Loads the extractor and its thresholds and, while people move, the previous one beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from engine.decision.calibration import load_calibration
from engine.parameters import CODE_BYTES
from engine.pipeline import load_pipeline
from engine.presentation_attack.loading import load_detector
from engine.presentation_attack.session import SessionDetector
from engine.settings import EngineSettings
from engine.types import Extraction, ExtractorId
from mobile_api.recognition.matcher import CalibratedThresholds, Thresholds

if TYPE_CHECKING:
    from engine.decision.calibration import Calibration
    from engine.extract import Extractor


class Pipeline(Protocol):
    """The part of ``engine.pipeline.PalmPipeline`` used here."""

    def extract(self, image: bytes) -> Extraction:
        """Return the template and quality of a picture, or raise an engine error."""

    def extract_each(self, image: bytes) -> list[Extraction]:
        """Return the extractions of each extractor, the previous one last."""


@dataclass(frozen=True, slots=True)
class LoadedExtractor:
    """The parts that open and search an extractor's gallery."""

    extractor: ExtractorId
    dimension: int
    thresholds: Thresholds
    code_bytes: int = CODE_BYTES


@dataclass(frozen=True, slots=True)
class Recognition:
    """A pipeline, and what its templates are compared by.

    Attributes:
        extractors: the current one and, while people move, the previous one.
        detector: judges challenges; None: the service asks for none.
    """

    pipeline: Pipeline
    extractors: Sequence[LoadedExtractor]
    detector: SessionDetector | None = None

    @property
    def current(self) -> LoadedExtractor:
        """The extractor that enrols."""
        return self.extractors[0]


def load_recognition(settings: EngineSettings) -> Recognition:
    """Load networks and calibrations. Raises ModelFault or CalibrationFault."""
    pipeline = load_pipeline(settings)
    used = [one for one in (pipeline.extractor, pipeline.previous) if one]
    return Recognition(
        pipeline,
        [
            _loaded(each, load_calibration(each.extractor_id, own=own), settings, len(used))
            for each, own in zip(used, (settings.calibration, None), strict=False)
        ],
        load_detector(settings, pipeline.locator, used),
    )


def _loaded(
    extractor: Extractor, calibration: Calibration, settings: EngineSettings, searches: int
) -> LoadedExtractor:
    """Return an extractor's thresholds; several searches of a probe share the rates."""
    thresholds = CalibratedThresholds(
        calibration,
        target_fmr=settings.target_fmr / searches,
        target_fpir=settings.target_fpir / searches,
    )
    return LoadedExtractor(extractor.extractor_id, extractor.dimension, thresholds)
