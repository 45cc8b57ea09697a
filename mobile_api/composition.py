"""Builds every use case of the mobile API and connects them. Only ``app`` calls it."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import cache, partial
from typing import Final

from anyio import CapacityLimiter
from fastapi import FastAPI
from starlette.types import Lifespan

from mobile_api.account.deletion import DeletionService
from mobile_api.account.gate import AccountGate, ChallengeDemand, PalmProofs
from mobile_api.account.phones import PhoneService, PhoneTrustService
from mobile_api.account.rules import JUST_NOW
from mobile_api.api import page, passkey_routes
from mobile_api.api.description import ROUTERS, description_of
from mobile_api.api.http import LONG_BODY_CHECKS, AnswerHeaders, Services
from mobile_api.challenges.encryption import ChallengeEncryption
from mobile_api.challenges.service import ChallengeService
from mobile_api.devices import DeviceService, NonceService
from mobile_api.enrolment.rules import load_consents
from mobile_api.enrolment.service import EnrolmentService
from mobile_api.erasures import ErasureList, erasure_list, open_list
from mobile_api.errors import GalleryBehind
from mobile_api.gallery.local_store import LocalStore
from mobile_api.gallery.replica import GalleryReplica
from mobile_api.gallery.template_encryption import TemplateEncryption
from mobile_api.limits import BodyBudget, GalleryBudget, NetworkDigests
from mobile_api.login import LoginService
from mobile_api.messages import API_PREFIX
from mobile_api.observability.health import LAG_LIMIT_S, Checks
from mobile_api.observability.metrics import Metrics
from mobile_api.passkeys import CHALLENGE_LIFETIME_S, PasskeyService, RelyingParty
from mobile_api.provider import Provider
from mobile_api.push import PushKeys, PushService
from mobile_api.recognition.acquisition import Acquisition
from mobile_api.recognition.identification import CountedIdentification, Identification
from mobile_api.recognition.load import Recognition, open_identification
from mobile_api.recognition.reference_changes import AddedReferences, ExtractorMigration
from mobile_api.server import error_responses
from mobile_api.server.address_limits import RateLimitMiddleware, RateRule
from mobile_api.server.jobs import PUSH_INTERVAL_S, GalleryJobs, RetentionJobs
from mobile_api.settings import MobileSettings
from mobile_api.stations import StationService
from mobile_api.storage.alias_keys import own_key
from mobile_api.storage.cipher import TemplateCipher
from mobile_api.storage.database import VERSION, Database, open_engine, require_current
from mobile_api.storage.key_file import KeyFile, open_key_file
from mobile_api.types import Clock, TemplateTrust, TrustByWaiting
from oidc.plumbing.background import background, repeat
from oidc.plumbing.login_watch import LoginWatch
from oidc.plumbing.public_http import PublicHttpClient
from oidc.plumbing.rate_limit import RateLimit
from oidc.types import Brand

WATCH_INTERVAL_S: Final = 1.0
"""Between queries for the phones that wait; they read one number for each."""


@dataclass(frozen=True, slots=True)
class _Shared:
    """Objects that several use cases share."""

    key_file: KeyFile
    database: Database
    encryption: TemplateEncryption
    erasures: ErasureList
    identification: Identification
    clock: Clock

    def keys(self, purpose: str) -> Callable[[], Sequence[bytes]]:
        """Return how to derive the keys for a purpose, the newest first."""
        return lambda: self.key_file.current().derived(purpose)

    def nonces(self, purpose: str, lifetime_s: int) -> NonceService:
        """Return the nonces for a purpose."""
        keys = self.keys(purpose)
        return NonceService(keys, self.database, self.clock, lifetime_s=lifetime_s)

    @property
    def galleries(self) -> list[GalleryReplica]:
        """All galleries that are searched."""
        return [active.gallery for active in self.identification.extractors]


def build_mobile(
    settings: MobileSettings,
    recognition: Recognition,
    provider: Provider,
    metrics: Metrics,
    clock: Clock,
    brand: Brand = page.OURS,
) -> FastAPI:
    """Build the mobile API.

    Raises NotMigrated, KeyFileFault, ErasureListFault, DecryptionFailed, UnknownExtractor or
    DirectoryInUse.
    """
    engine = open_engine(settings.database_url)
    require_current(engine)
    key_file = open_key_file(settings.key_source)
    database = Database(engine)
    shared = _share(settings, database, key_file, recognition, clock)
    nonces = shared.nonces("nonces", settings.nonce_lifetime_s)
    services = _services(settings, recognition, provider, metrics, shared, nonces)
    services.deletion.delete_restored(shared.erasures.listed)
    audit_age = timedelta(days=settings.audit_days)
    age = timedelta(seconds=settings.passkey_age_s)
    fresh = age if age < timedelta(days=1) else JUST_NOW
    retention = RetentionJobs(database, services.deletion, clock, audit_age, fresh)
    gallery_jobs = GalleryJobs(
        shared.galleries, partial(_compact, database, provider), settings.erasure_lag_s
    )

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        push = background(repeat(services.push.deliver, PUSH_INTERVAL_S))
        async with retention.running(), gallery_jobs.running(), push:
            yield
        for gallery in shared.galleries:
            gallery.close()
        provider.close()
        database.close()

    app = _application(settings, services, nonces, lifespan)
    phone_page = _page(settings, recognition, brand)
    routes = page.page_routes(phone_page, is_secure=settings.is_secure)
    app.include_router(routes, prefix=settings.path)
    app.include_router(page.app_file_routes(settings.app_files))
    if settings.rp_id is not None:
        party = RelyingParty(settings.rp_id, settings.passkey_origins)
        app.state.passkeys = _passkeys(shared, services, party)
    app.state.stop = services.login_watch.end
    app.state.gallery = shared.galleries[0]
    app.state.checks = _checks(shared)
    return app


def _page(settings: MobileSettings, recognition: Recognition, brand: Brand) -> page.PhonePage:
    waits = settings.trust_by_waiting is not TrustByWaiting.NEVER
    options: dict[str, int] = {
        "own-phones": settings.template_trust is TemplateTrust.OWN_DEVICE,
        "passkeys": settings.rp_id is not None,
        "challenges": recognition.detector is not None,
        "wait": waits and settings.new_phone_wait_h,
    }
    takes, extractor = settings.accept_templates, recognition.current.extractor
    return page.load_page(
        accept_templates=takes, extractor=extractor, options=options, brand=brand
    )


def _compact(database: Database, provider: Provider) -> None:
    """Remove what was erased from the files of both databases."""
    database.compact()
    provider.compact()


def _checks(shared: _Shared) -> Checks:
    """Return the health checks of this service."""

    def follow() -> None:
        states = [gallery.state() for gallery in shared.galleries]
        if not all(state.stored.is_reachable for state in states):
            raise GalleryBehind("the gallery's server does not answer")
        lag_s = max(state.lag_s for state in states)
        if lag_s > LAG_LIMIT_S:
            raise GalleryBehind(f"the gallery has not been updated for {lag_s:.0f} s")

    def counted() -> None:
        with shared.database.read() as transaction:
            shared.erasures.require(transaction.pending_erasures.counted())

    def responds() -> None:
        shared.database.require_response()
        VERSION.require_usable(shared.database.engine)

    return {
        "biometric_database": responds,
        "template_key": shared.key_file.current,
        "gallery": follow,
        "erasure_list": counted,
    }


def _share(
    settings: MobileSettings,
    database: Database,
    key_file: KeyFile,
    recognition: Recognition,
    clock: Clock,
) -> _Shared:
    encryption = TemplateEncryption(TemplateCipher(key_file.current))
    erasures = erasure_list(settings, key_file)
    open_list(erasures, database)
    local_store = LocalStore(settings.gallery_folder)
    try:
        identification = open_identification(
            settings, recognition, database, encryption, local_store
        )
    except BaseException:
        local_store.close()
        raise
    return _Shared(key_file, database, encryption, erasures, identification, clock)


def _services(
    settings: MobileSettings,
    recognition: Recognition,
    provider: Provider,
    metrics: Metrics,
    shared: _Shared,
    nonces: NonceService,
) -> Services:
    database, clock = shared.database, shared.clock
    encryption, identification = shared.encryption, shared.identification
    networks = NetworkDigests(lambda: shared.keys("networks")()[0])
    budget = GalleryBudget(database, networks, clock, settings.limits)
    palms = CountedIdentification(database, identification, clock)
    proofs = PalmProofs(clock, shared.keys("palm proofs"))
    demand = ChallengeDemand(settings.challenge_share, shared.keys("challenge chance"))
    gate = AccountGate(database, clock, settings, demand if recognition.detector else None)
    push = _push(settings, shared)
    acquisition = Acquisition(
        recognition,
        identification.is_migrating,
        workers=settings.extraction_workers,
        wait_s=settings.extraction_wait_s,
        accept_templates=settings.accept_templates,
    )
    challenges = ChallengeService(
        recognition.detector,
        database,
        ChallengeEncryption(TemplateCipher(shared.key_file.current)),
        budget,
        acquisition,
        metrics,
        clock,
        timedelta(seconds=settings.challenge_step_s),
    )
    migration = ExtractorMigration(database, encryption, identification, clock)
    return Services(
        devices=DeviceService(
            database, nonces, clock, origin=settings.origin, clock_skew_s=settings.clock_skew_s
        ),
        networks=networks,
        device_rate=RateLimit(settings.device_requests_per_minute, 60),
        bodies=BodyBudget(settings.bodies_mib << 20),
        long_body_checks=CapacityLimiter(LONG_BODY_CHECKS),
        acquisition=acquisition,
        enrolments=EnrolmentService(
            database, encryption, identification, budget, acquisition, gate, clock, settings
        ),
        logins=LoginService(
            provider,
            database,
            challenges,
            budget,
            palms,
            proofs,
            migration,
            _added(settings, shared),
            clock,
            settings,
        ),
        challenges=challenges,
        login_watch=LoginWatch(
            provider.sequence_numbers,
            interval_s=WATCH_INTERVAL_S,
            capacity=settings.connections_limit,
        ),
        palm_proofs=proofs,
        gate=gate,
        phones=PhoneService(database, gate, proofs, provider, clock),
        phone_trust=PhoneTrustService(
            database, gate, challenges, palms, budget, proofs, push, clock, settings, provider
        ),
        push=push,
        provider=provider,
        deletion=DeletionService(provider, database, gate, proofs, shared.erasures.add, clock),
        stations=StationService(database, clock, is_secure=settings.is_secure),
        consents=load_consents(settings),
        clock=clock,
    )


def _added(settings: MobileSettings, shared: _Shared) -> AddedReferences:
    """Return the references that sign-ins add; where it is off, erase those that are there."""
    is_on, database = settings.follow_references, shared.database
    if not is_on:
        with database.write() as transaction:
            transaction.references.remove_added()
    return AddedReferences(
        database, shared.encryption, shared.identification, shared.clock, is_on
    )


def _push(settings: MobileSettings, shared: _Shared) -> PushService:
    with shared.database.read() as transaction:
        keys = PushKeys(own_key(transaction, shared.key_file.current))
    http = PublicHttpClient(allows_private_hosts=settings.is_on_loopback)
    return PushService(shared.database, keys, http.post, shared.clock, settings)


def _passkeys(shared: _Shared, services: Services, party: RelyingParty) -> PasskeyService:
    challenges = shared.nonces("passkey challenges", CHALLENGE_LIFETIME_S)
    gate, proofs, provider = services.gate, services.palm_proofs, services.provider
    database, clock = shared.database, shared.clock
    return PasskeyService(database, challenges, gate, proofs, clock, party, provider)


def _application(
    settings: MobileSettings,
    services: Services,
    nonces: NonceService,
    lifespan: Lifespan[FastAPI],
) -> FastAPI:
    app = FastAPI(
        redirect_slashes=False,  # it would use the Host header
        openapi_url=f"{settings.path}{API_PREFIX}/openapi.json",
        docs_url=None,
        # It would export queries and error texts.
        telemetry={"tracing": False, "metrics": False, "logs": False, "auto_configure": False},
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.services = services
    served = [
        each
        for each in ROUTERS
        if each is not passkey_routes.router or settings.rp_id is not None
    ]
    for router in served:
        app.include_router(router, prefix=settings.path)
    described = partial(description_of, served, f"{settings.origin}{settings.path}{API_PREFIX}")
    app.openapi = cache(described)  # type: ignore[method-assign]
    error_responses.install(app)
    app.add_middleware(error_responses.UnhandledErrors)
    devices = RateLimit(settings.address_devices_per_minute, 60)
    requests = RateLimit(settings.address_requests_per_minute, 60)
    api = settings.path + API_PREFIX
    rules = RateRule(devices, f"{api}/devices", "POST"), RateRule(requests, f"{api}/")
    app.add_middleware(RateLimitMiddleware, gates=rules)
    app.add_middleware(AnswerHeaders, nonces=nonces)
    return app
