"""Acquisition with two extractors: a picture gives a template of each."""

from __future__ import annotations

from typing import Protocol

from engine.types import Extraction, ExtractorId
from mobile_api.extractor_migration.identification import MigratingIdentification
from mobile_api.recognition.acquisition import Acquisition, Pipeline
from mobile_api.types import CapturedPalm


class PairPipeline(Protocol):
    """The part of ``engine.pipeline.PairedPipeline`` used here."""

    def extract_pair(self, image: bytes) -> tuple[Extraction, Extraction]:
        """Return the extractions of both, the previous one last."""


class PairedAcquisition(Acquisition):
    """Acquires templates of both extractors while the previous one has references."""

    def __init__(
        self,
        pipeline: Pipeline,
        pair: PairPipeline,
        identification: MigratingIdentification,
        *,
        workers: int,
        wait_s: float,
        accept_templates: bool,
    ) -> None:
        super().__init__(
            pipeline,
            identification.current.extractor,
            workers=workers,
            wait_s=wait_s,
            accept_templates=accept_templates,
        )
        self._pair, self._identification = pair, identification

    def _capture(self, image: bytes) -> CapturedPalm:
        if not self._identification.is_migrating():
            return super()._capture(image)
        current, previous = self._pair.extract_pair(image)
        return CapturedPalm(current.template, previous.template, current.quality.score)

    def _is_running(self, extractor: ExtractorId) -> bool:
        previous = self._identification.previous.extractor
        return super()._is_running(extractor) or extractor == previous
