"""Opens the galleries of the loaded extractors."""

from __future__ import annotations

from collections.abc import Collection

from engine.types import ExtractorId
from mobile_api.errors import UnknownExtractor
from mobile_api.gallery.local_store import LocalGalleries, LocalStore, SearchOptions
from mobile_api.gallery.milvus import shared_galleries
from mobile_api.gallery.replica import Galleries, GalleryReplica
from mobile_api.gallery.template_encryption import TemplateEncryption
from mobile_api.recognition.identification import ActiveExtractor, Identification
from mobile_api.recognition.load import LoadedExtractor, Recognition
from mobile_api.recognition.matcher import PalmMatcher
from mobile_api.settings import MobileSettings
from mobile_api.storage.database import Database


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
        return shared_galleries(
            settings.gallery_url,
            loaded.extractor,
            loaded.dimension,
            database,
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
