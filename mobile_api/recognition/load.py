"""Loads the extractor and its thresholds, and opens the gallery that it searches."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial

from engine.decision.calibration import load_calibration
from engine.parameters import CODE_BYTES
from engine.pipeline import PalmPipeline
from engine.plausibility import is_plausible
from engine.presentation_attack.session import SessionDetector
from engine.settings import EngineSettings
from engine.types import ExtractorId, PalmTemplate
from mobile_api.errors import UnknownExtractor
from mobile_api.gallery.local_store import LocalGalleries, LocalStore, SearchOptions
from mobile_api.gallery.milvus.shared_galleries import shared_galleries
from mobile_api.gallery.replica import Galleries, GalleryReplica
from mobile_api.gallery.template_encryption import TemplateEncryption
from mobile_api.recognition.acquisition import Pipeline
from mobile_api.recognition.identification import ActiveExtractor
from mobile_api.recognition.matcher import PalmMatcher
from mobile_api.recognition.thresholds import CalibratedThresholds, Thresholds
from mobile_api.settings import MobileSettings
from mobile_api.storage.database import Database


@dataclass(frozen=True, slots=True)
class LoadedExtractor:
    """What it takes to open and search an extractor's gallery."""

    extractor: ExtractorId
    dimension: int
    thresholds: Thresholds
    code_bytes: int = CODE_BYTES


@dataclass(frozen=True, slots=True)
class Recognition:
    """A pipeline, and what its templates are compared by.

    Attributes:
        is_plausible: tells whether templates of one palm look as if pictures gave them.
        detector: judges challenges; None: the service asks for none.
    """

    pipeline: Pipeline
    extractor: ExtractorId
    dimension: int
    thresholds: Thresholds
    is_plausible: Callable[[Sequence[PalmTemplate]], bool]
    code_bytes: int = CODE_BYTES
    detector: SessionDetector | None = None

    @property
    def loaded(self) -> LoadedExtractor:
        """The extractor without its pipeline."""
        return LoadedExtractor(self.extractor, self.dimension, self.thresholds, self.code_bytes)


def recognition_of(
    pipeline: PalmPipeline, settings: EngineSettings, detector: SessionDetector | None = None
) -> Recognition:
    """Return a pipeline with the thresholds of its extractor. Raises CalibrationFault."""
    extractor = pipeline.extractor
    thresholds = thresholds_for(extractor.extractor_id, settings)
    return Recognition(
        pipeline,
        extractor.extractor_id,
        extractor.dimension,
        thresholds,
        partial(is_plausible, extractor=extractor),
        detector=detector,
    )


def thresholds_for(
    extractor: ExtractorId, settings: EngineSettings, *, searches: int = 1
) -> CalibratedThresholds:
    """Return an extractor's thresholds; several searches of a probe share the rates."""
    return CalibratedThresholds(
        load_calibration(extractor),
        target_fmr=settings.target_fmr / searches,
        target_fpir=settings.target_fpir / searches,
    )


def open_extractor(
    settings: MobileSettings,
    loaded: LoadedExtractor,
    storage: Database,
    encryption: TemplateEncryption,
    local_store: LocalStore,
) -> ActiveExtractor:
    """Open the gallery of an extractor.

    Raises DecryptionFailed, DirectoryFault or GalleryFault.
    """
    galleries = _galleries(settings, loaded, storage, encryption, local_store)
    gallery = GalleryReplica(galleries, loaded.extractor, storage, encryption)
    return ActiveExtractor(loaded.extractor, gallery, PalmMatcher(loaded.thresholds))


def _galleries(
    settings: MobileSettings,
    loaded: LoadedExtractor,
    storage: Database,
    encryption: TemplateEncryption,
    local_store: LocalStore,
) -> Galleries:
    if settings.gallery_url is not None:
        return shared_galleries(
            settings.gallery_url,
            loaded.extractor,
            loaded.dimension,
            storage,
            encryption,
            local_store,
        )
    return LocalGalleries(
        local_store,
        encryption,
        loaded.extractor,
        dimension=loaded.dimension,
        code_bytes=loaded.code_bytes,
        searching=SearchOptions(settings.shadow_share, settings.search_threads),
    )


def require_known_extractors(
    settings: MobileSettings, running: Collection[ExtractorId], storage: Database
) -> None:
    """Refuse to start while references exist that no search would find.

    Raises UnknownExtractor.
    """
    known = {name.strip() for name in settings.abandoned_extractors.split(",")} | {*running}
    with storage.reading() as transaction:
        counts = transaction.template_keys.count_by_extractor(besides=known)
    for each in counts:
        raise UnknownExtractor(
            f"{each.references} references of {each.accounts} people were made by the"
            f" extractor {each.extractor}, but this service runs {', '.join(running)}. Set"
            " THENAR_ENGINE_PREVIOUS_PALM_GRAPH to its palm graph to migrate these people as"
            " they sign in, or add the extractor to THENAR_MOBILE_ABANDONED_EXTRACTORS: then"
            " these people must enrol again"
        )
