"""Loads the current extractor and, during a migration, the previous one beside it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

from engine.pipeline import load_pair, load_pipeline
from engine.plausibility import is_plausible
from engine.presentation_attack.loading import load_detector
from engine.settings import EngineSettings
from mobile_api.extractor_migration.acquisition import PairedAcquisition, PairPipeline
from mobile_api.extractor_migration.identification import MigratingIdentification
from mobile_api.gallery.local_store import LocalStore
from mobile_api.gallery.template_encryption import TemplateEncryption
from mobile_api.recognition.acquisition import Acquisition
from mobile_api.recognition.identification import Identification
from mobile_api.recognition.load import (
    LoadedExtractor,
    Recognition,
    open_extractor,
    recognition_of,
    require_known_extractors,
    thresholds_for,
)
from mobile_api.settings import MobileSettings
from mobile_api.storage.database import Database


@dataclass(frozen=True, slots=True)
class MigratingRecognition(Recognition):
    """Two extractors side by side, and the pipeline of both."""

    pair: PairPipeline = field(kw_only=True)
    previous: LoadedExtractor = field(kw_only=True)


def load_recognition(settings: EngineSettings) -> Recognition:
    """Load networks and calibrations; a ``MigratingRecognition`` if the settings ask for it.

    Raises ModelFault or CalibrationFault.
    """
    pipeline = load_pipeline(settings)
    pair = load_pair(pipeline, settings)
    extractors = [pipeline.extractor] if pair is None else [pipeline.extractor, pair.previous]
    detector = load_detector(settings, pipeline.locator, extractors)
    if pair is None:
        return recognition_of(pipeline, settings, detector)
    current, previous = pipeline.extractor, pair.previous
    return MigratingRecognition(
        pipeline,
        current.extractor_id,
        current.dimension,
        thresholds_for(current.extractor_id, settings, searches=2),
        partial(is_plausible, extractor=current),
        detector=detector,
        pair=pair,
        previous=LoadedExtractor(
            previous.extractor_id,
            previous.dimension,
            thresholds_for(previous.extractor_id, settings, searches=2),
        ),
    )


def loaded_extractors(recognition: Recognition) -> list[LoadedExtractor]:
    """Return every loaded extractor, the current one first."""
    if isinstance(recognition, MigratingRecognition):
        return [recognition.loaded, recognition.previous]
    return [recognition.loaded]


def open_identification(
    settings: MobileSettings,
    recognition: Recognition,
    storage: Database,
    encryption: TemplateEncryption,
    local_store: LocalStore,
) -> Identification:
    """Open the galleries of all loaded extractors, and remove those of others.

    Raises UnknownExtractor, DecryptionFailed, DirectoryFault or GalleryFault.
    """
    loaded = loaded_extractors(recognition)
    require_known_extractors(settings, [each.extractor for each in loaded], storage)
    active = [
        open_extractor(settings, each, storage, encryption, local_store) for each in loaded
    ]
    local_store.remove_unused("*")  # erasures would not reach a gallery that nobody opens
    for each in active:
        each.gallery.current()  # finds a wrong key now, and no phone waits for the first sync
    return Identification(*active) if len(active) == 1 else MigratingIdentification(*active)


def open_acquisition(
    settings: MobileSettings, recognition: Recognition, identification: Identification
) -> Acquisition:
    """Return the acquisition for the extractors that are running."""
    if isinstance(recognition, MigratingRecognition) and isinstance(
        identification, MigratingIdentification
    ):
        return PairedAcquisition(
            recognition.pipeline,
            recognition.pair,
            identification,
            workers=settings.extraction_workers,
            wait_s=settings.extraction_wait_s,
            accept_templates=settings.accept_templates,
        )
    return Acquisition(
        recognition.pipeline,
        recognition.extractor,
        workers=settings.extraction_workers,
        wait_s=settings.extraction_wait_s,
        accept_templates=settings.accept_templates,
    )
