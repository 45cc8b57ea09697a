"""Wires the mobile API: every use case with its parts. Called by ``app`` alone."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta

from fastapi import FastAPI
from starlette.types import Lifespan

from engine.calibrate import load_calibration
from engine.gallery.adaptive import AdaptiveGallery
from engine.gallery.port import Gallery
from engine.pipeline import load_pipeline
from engine.settings import EngineSettings
from engine.types import ExtractorId
from mobile_api import faults, page, routes
from mobile_api.acquisition import Acquisition, Pipeline
from mobile_api.attempts import Limits
from mobile_api.authentication import Door, LoginRules, LoginService
from mobile_api.consent import load_consent
from mobile_api.deletion import DeletionService
from mobile_api.devices import DeviceService
from mobile_api.documentation import DESCRIPTION
from mobile_api.enrolment import EnrolmentRules, EnrolmentService
from mobile_api.gallery import LiveGallery
from mobile_api.housekeeping import Housekeeper
from mobile_api.http import AnswerHeaders, Services
from mobile_api.messages import API_PREFIX
from mobile_api.nonces import Nonces
from mobile_api.recognition import Recogniser
from mobile_api.settings import MobileSettings
from mobile_api.storage.cipher import TemplateCipher, derive_key, read_key_file
from mobile_api.storage.database import Database, open_engine
from mobile_api.storage.migrate import require_current
from mobile_api.thresholds import CalibratedThresholds, Thresholds
from mobile_api.types import Clock
from mobile_api.vault import Vault


@dataclass(frozen=True, slots=True)
class Recognition:
    """What the engine gives: a pipeline, and what its templates are compared by.

    Attributes:
        pipeline: from a picture to a template.
        extractor: names the templates.
        dimension: of their vectors.
        thresholds: of their scores.
    """

    pipeline: Pipeline
    extractor: ExtractorId
    dimension: int
    thresholds: Thresholds

    def new_gallery(self) -> Gallery:
        """Return an empty gallery for these templates."""
        return AdaptiveGallery(self.extractor, self.dimension)


def load_recognition(settings: EngineSettings) -> Recognition:
    """Load networks and calibration.

    Raises:
        ModelFault: a network is missing or damaged.
        CalibrationFault: the extractor has no calibration.
    """
    pipeline = load_pipeline(settings)
    extractor = pipeline.extractor
    return Recognition(
        pipeline,
        extractor.extractor_id,
        extractor.dimension,
        CalibratedThresholds(
            load_calibration(extractor.extractor_id),
            target_fmr=settings.target_fmr,
            target_fpir=settings.target_fpir,
        ),
    )


@dataclass(frozen=True, slots=True)
class _Shared:
    """What the use cases have in common."""

    storage: Database
    vault: Vault
    gallery: LiveGallery
    recogniser: Recogniser
    clock: Clock


def build_mobile(
    settings: MobileSettings, recognition: Recognition, door: Door, clock: Clock
) -> FastAPI:
    """Wire the mobile API.

    Raises:
        NotMigrated: the database is not at the version this program needs.
        KeyFault: the key file cannot be used.
        SealBroken: it is not the key of this database.
    """
    engine = open_engine(settings.database_url)
    require_current(engine)
    master = read_key_file(settings.key_file)
    storage = Database(engine)
    shared = _share(storage, master, recognition, clock)
    nonces = Nonces(
        derive_key(master, "nonces"), storage, clock, lifetime_s=settings.nonce_lifetime_s
    )
    services = _services(settings, recognition, door, shared, nonces)
    keeper = Housekeeper(storage, services.deletion, clock)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        async with keeper.running():
            yield
        door.close()
        storage.close()

    return _application(settings, services, nonces, lifespan)


def _share(storage: Database, master: bytes, recognition: Recognition, clock: Clock) -> _Shared:
    vault = Vault(TemplateCipher(derive_key(master, "templates")))
    gallery = LiveGallery(recognition.new_gallery, recognition.extractor, storage, vault)
    gallery.current()  # at start, so that a wrong key is found now and no phone waits
    return _Shared(storage, vault, gallery, Recogniser(recognition.thresholds), clock)


def _services(
    settings: MobileSettings,
    recognition: Recognition,
    door: Door,
    shared: _Shared,
    nonces: Nonces,
) -> Services:
    storage, clock = shared.storage, shared.clock
    limits = Limits(settings.submissions_per_day, settings.failed_identifications_per_day)
    rules = EnrolmentRules(
        timedelta(seconds=settings.enrolment_lifetime_s), settings.samples_limit, limits
    )
    return Services(
        devices=DeviceService(
            storage, nonces, clock, origin=settings.origin, clock_skew_s=settings.clock_skew_s
        ),
        acquisition=Acquisition(
            recognition.pipeline,
            recognition.extractor,
            workers=settings.extraction_workers,
            wait_s=settings.extraction_wait_s,
            accept_templates=settings.accept_templates,
        ),
        enrolments=EnrolmentService(
            storage, shared.vault, shared.gallery, shared.recogniser, clock, rules
        ),
        logins=LoginService(
            door,
            storage,
            shared.gallery,
            shared.recogniser,
            clock,
            LoginRules(settings.login_policy, limits),
        ),
        deletion=DeletionService(
            door, storage, shared.gallery, shared.recogniser, clock, limits
        ),
        consent=load_consent(settings),
        clock=clock,
    )


def _application(
    settings: MobileSettings, services: Services, nonces: Nonces, lifespan: Lifespan[FastAPI]
) -> FastAPI:
    app = FastAPI(
        redirect_slashes=False,  # it would build an address from the Host header
        title="Thenar mobile API",
        version="1",
        description=DESCRIPTION,
        openapi_url=f"{settings.path}{API_PREFIX}/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.services = services
    app.include_router(routes.router, prefix=settings.path)
    app.include_router(page.router, prefix=settings.path)
    faults.install(app)
    app.add_middleware(faults.LastResort)
    app.add_middleware(AnswerHeaders, nonces=nonces)
    return app
