"""Opens what recognises people: the extractors that are run, and the gallery of each."""

from __future__ import annotations

from dataclasses import dataclass

from engine.decision.calibration import load_calibration
from engine.parameters import CODE_BYTES
from engine.pipeline import load_pair, load_pipeline
from engine.settings import EngineSettings
from engine.types import ExtractorId
from mobile_api.errors import UnknownExtractor
from mobile_api.gallery.local_store import LocalGalleries, LocalStore, SearchOptions
from mobile_api.gallery.milvus.shared_galleries import (
    MilvusAddress,
    OtherProcesses,
    SharedGalleries,
)
from mobile_api.gallery.replica import Galleries, GalleryReplica
from mobile_api.gallery.template_encryption import TemplateEncryption
from mobile_api.recognition.acquisition import PairPipeline, Pipeline
from mobile_api.recognition.identification import ActiveExtractor, Identification
from mobile_api.recognition.matcher import PalmMatcher
from mobile_api.recognition.thresholds import CalibratedThresholds, Thresholds
from mobile_api.settings import MobileSettings
from mobile_api.storage.transaction import Storage


@dataclass(frozen=True, slots=True)
class PreviousRecognition:
    """The extractor that people move from.

    Attributes:
        pipeline: from a picture to templates of both extractors.
        extractor: names its templates.
        dimension: of their vectors.
        thresholds: of their scores.
        code_bytes: of their codes.
    """

    pipeline: PairPipeline
    extractor: ExtractorId
    dimension: int
    thresholds: Thresholds
    code_bytes: int = CODE_BYTES


@dataclass(frozen=True, slots=True)
class Recognition:
    """What the engine gives: a pipeline, and what its templates are compared by.

    Attributes:
        pipeline: from a picture to a template.
        extractor: names the templates.
        dimension: of their vectors.
        thresholds: of their scores.
        code_bytes: of their codes.
        previous: the extractor that people move from, if they move.
    """

    pipeline: Pipeline
    extractor: ExtractorId
    dimension: int
    thresholds: Thresholds
    code_bytes: int = CODE_BYTES
    previous: PreviousRecognition | None = None


def load_recognition(settings: EngineSettings) -> Recognition:
    """Load networks and calibration.

    Raises:
        ModelFault: a network is missing or damaged.
        CalibrationFault: an extractor has no calibration.
    """
    pipeline = load_pipeline(settings)
    pair = load_pair(pipeline, settings)
    extractor, previous, searches = pipeline.extractor, None, 1
    if pair is not None:
        old, searches = pair.previous, 2
        previous = PreviousRecognition(
            pair, old.extractor_id, old.dimension, _thresholds(old.extractor_id, settings, 2)
        )
    return Recognition(
        pipeline,
        extractor.extractor_id,
        extractor.dimension,
        _thresholds(extractor.extractor_id, settings, searches),
        previous=previous,
    )


def _thresholds(
    extractor: ExtractorId, settings: EngineSettings, searches: int
) -> CalibratedThresholds:
    """Return an extractor's thresholds; each of several searches has its share of the rates."""
    return CalibratedThresholds(
        load_calibration(extractor),
        target_fmr=settings.target_fmr / searches,
        target_fpir=settings.target_fpir / searches,
    )


def open_identification(
    settings: MobileSettings,
    recognition: Recognition,
    storage: Storage,
    encryption: TemplateEncryption,
    local_store: LocalStore,
) -> Identification:
    """Open the galleries of all extractors that are run, and remove those of others.

    Raises:
        UnknownExtractor: people are enrolled by another extractor.
        DecryptionFailed: the key is not that of this database.
        DirectoryFault: the system refuses.
        GalleryFault: the server of the galleries cannot be reached, or its address is none.
    """
    _require_known(settings, recognition, storage)

    def active(run: Recognition | PreviousRecognition) -> ActiveExtractor:
        galleries = _galleries(settings, run, storage, encryption, local_store)
        gallery = GalleryReplica(galleries, run.extractor, storage, encryption)
        return ActiveExtractor(run.extractor, gallery, PalmMatcher(run.thresholds))

    current = active(recognition)
    previous = None if recognition.previous is None else active(recognition.previous)
    local_store.remove_unused("*")  # nobody follows the erasures of another extractor's gallery
    for each in (current, previous):
        if each is not None:
            each.gallery.current()  # now, so that a wrong key is found and no phone waits
    return Identification(current, previous)


def _galleries(
    settings: MobileSettings,
    run: Recognition | PreviousRecognition,
    storage: Storage,
    encryption: TemplateEncryption,
    local_store: LocalStore,
) -> Galleries:
    """Return where the galleries of an extractor are kept: here, or on a server."""
    if settings.gallery_url is not None:
        return SharedGalleries(
            MilvusAddress.read(settings.gallery_url),
            encryption,
            run.extractor,
            dimension=run.dimension,
            others=OtherProcesses(storage.process_lock, lambda: keys_in_use(storage)),
            local_store=local_store,
        )
    return LocalGalleries(
        local_store,
        encryption,
        run.extractor,
        dimension=run.dimension,
        code_bytes=run.code_bytes,
        searching=SearchOptions(settings.shadow_share, settings.search_threads),
    )


def running(recognition: Recognition) -> list[Recognition | PreviousRecognition]:
    """Return what is run for each extractor, the one that people are enrolled by first."""
    previous = recognition.previous
    return [recognition] if previous is None else [recognition, previous]


def keys_in_use(storage: Storage) -> list[str]:
    """Return the names of the keys that something is sealed under."""
    with storage.reading() as transaction:
        sealed = transaction.template_keys.count_by_key()
    return [each.key_id for each in sealed if each.key_id is not None and each.references]


def _require_known(
    settings: MobileSettings, recognition: Recognition, storage: Storage
) -> None:
    """Refuse to serve while people are enrolled whom no search would find.

    Raises:
        UnknownExtractor: there are such people.
    """
    known = {name.strip() for name in settings.abandoned_extractors.split(",")}
    known.add(recognition.extractor)
    if recognition.previous is not None:
        known.add(recognition.previous.extractor)
    with storage.reading() as transaction:
        held = transaction.template_keys.count_by_extractor(besides=known)
    for each in held:
        raise UnknownExtractor(
            f"{each.references} references of {each.accounts} people were made by the"
            f" extractor {each.extractor}, this service runs {recognition.extractor}: name its"
            " palm graph in THENAR_ENGINE_PREVIOUS_PALM_GRAPH, so that they move while you"
            " serve; or name the extractor in THENAR_MOBILE_ABANDONED_EXTRACTORS, after which"
            " these people must enrol anew"
        )
