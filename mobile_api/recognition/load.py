"""Loads the extractor and, while people move, the previous one; opens their galleries."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from engine.decision.calibration import Calibration, load_calibration
from engine.extract import Extractor
from engine.features.code_bytes import code_bytes_of
from engine.pipeline import load_pipeline
from engine.presentation_attack.judging import load_detector
from engine.presentation_attack.session import SessionDetector
from engine.settings import EngineSettings
from engine.types import Extraction, ExtractorId
from mobile_api.errors import UnknownExtractor
from mobile_api.gallery.local_store import LocalGalleries, LocalStore, SearchOptions
from mobile_api.gallery.milvus import MilvusAddress, SharedGalleries
from mobile_api.gallery.replica import Galleries, GalleryReplica
from mobile_api.gallery.template_encryption import TemplateEncryption
from mobile_api.recognition.identification import ActiveExtractor, Identification
from mobile_api.recognition.matcher import PalmMatcher
from mobile_api.recognition.thresholds import CalibratedThresholds, Thresholds
from mobile_api.settings import MobileSettings
from mobile_api.storage.database import Database


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


def open_identification(
    settings: MobileSettings,
    recognition: Recognition,
    database: Database,
    encryption: TemplateEncryption,
    local_store: LocalStore,
) -> Identification:
    """Open the galleries of all loaded extractors, and remove those of others.

    Raises UnknownExtractor, DecryptionFailed, DirectoryFault or GalleryFault.
    """
    loaded = recognition.extractors
    _require_known(settings, [each.extractor for each in loaded], database)
    active = [_open(settings, each, database, encryption, local_store) for each in loaded]
    local_store.remove_unused("*")  # erasures would not reach an unopened gallery
    for each in active:
        each.gallery.current()  # finds a wrong key now, and no phone waits for the first sync
    return Identification(active)


def _open(
    settings: MobileSettings,
    loaded: LoadedExtractor,
    database: Database,
    encryption: TemplateEncryption,
    local_store: LocalStore,
) -> ActiveExtractor:
    galleries = _galleries(settings, loaded, database, encryption, local_store)
    gallery = GalleryReplica(galleries, loaded.extractor, database, encryption)
    return ActiveExtractor(loaded.extractor, gallery, PalmMatcher(loaded.thresholds))


def _galleries(
    settings: MobileSettings,
    loaded: LoadedExtractor,
    database: Database,
    encryption: TemplateEncryption,
    local_store: LocalStore,
) -> Galleries:
    if settings.gallery_url is not None:
        return SharedGalleries(
            MilvusAddress.read(settings.gallery_url),
            encryption,
            loaded.extractor,
            dimension=loaded.dimension,
            database=database,
            local_store=local_store,
        )
    return LocalGalleries(
        local_store,
        encryption,
        loaded.extractor,
        dimension=loaded.dimension,
        code_bytes=code_bytes_of(loaded.extractor),
        searching=SearchOptions(settings.shadow_share, settings.search_threads),
    )


def _require_known(
    settings: MobileSettings, running: Collection[ExtractorId], database: Database
) -> None:
    """Refuse to start while references exist that no search would find.

    Raises UnknownExtractor.
    """
    known = {name.strip() for name in settings.abandoned_extractors.split(",")} | {*running}
    with database.read() as transaction:
        counts = transaction.template_keys.count_by_extractor(besides=known)
    for each in counts:
        raise UnknownExtractor(
            f"{each.references} references of {each.accounts} people were made by the"
            f" extractor {each.extractor}, but this service runs {', '.join(running)}. Set"
            " THENAR_ENGINE_PREVIOUS_PALM_GRAPH to its palm graph to migrate these people as"
            " they sign in, or add the extractor to THENAR_MOBILE_ABANDONED_EXTRACTORS: then"
            " these people must enrol again"
        )
