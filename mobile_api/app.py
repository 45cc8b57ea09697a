"""Composition root of the mobile API, alone or on one port with the OpenID provider.

Even alone it opens the provider's database, for the logins that both share.
"""

from collections.abc import AsyncIterator, Callable, Generator, Iterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Final

from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.types import Receive, Scope, Send

from engine.comparison.kernels.compiling import is_complete
from engine.comparison.kernels.prepare import compile_kernels
from engine.errors import KernelFault
from engine.settings import EngineSettings
from mobile_api.composition import build_mobile
from mobile_api.errors import KeyFileFault, SettingsFault
from mobile_api.gallery.replica import GalleryReplica, GalleryState
from mobile_api.gallery.template_encryption import TemplateEncryption
from mobile_api.messages import API_PREFIX, PAGE_PREFIX, STATION_PATH
from mobile_api.native_apps import ASSET_LINKS, SITE_ASSOCIATION
from mobile_api.observability.metrics import Metrics
from mobile_api.provider import Provider
from mobile_api.recognition.load import load_recognition
from mobile_api.recognition.previous_graph import with_previous_graph
from mobile_api.server.configuration import Settings, place_of
from mobile_api.server.provider_app import provider_checks, with_middleware
from mobile_api.server.running import (
    people_in,
    require_biometric,
    require_protocol,
    require_stopped,
)
from mobile_api.server.serving import ServedApp
from mobile_api.settings import MobileSettings
from mobile_api.storage import database as migrations
from mobile_api.storage.alias_keys import ensure_own_key, open_aliases, write_provider_key
from mobile_api.storage.cipher import TemplateCipher
from mobile_api.storage.database import Database, open_engine
from mobile_api.storage.key_file import KeyId, create_key_file, open_key_file, read_keys
from mobile_api.types import Clock
from oidc import app as provider
from oidc.plumbing.database_engine import disposing
from oidc.types import Running


class Dispatch:
    """Sends the phone's paths to the mobile API, all others to the provider."""

    def __init__(self, mobile: FastAPI, provider: FastAPI, path: str) -> None:
        self._mobile, self._provider = mobile, provider
        prefixes = (path + each for each in (API_PREFIX, PAGE_PREFIX, STATION_PATH))
        self._prefixes = (*prefixes, ASSET_LINKS, SITE_ASSOCIATION)

        @asynccontextmanager
        async def lifespan(_app: Starlette) -> AsyncIterator[None]:
            async with (
                provider.router.lifespan_context(provider),
                mobile.router.lifespan_context(mobile),
            ):
                yield

        self._both = Starlette(lifespan=lifespan)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] == "lifespan":
            await self._both(scope, receive, send)
        elif self._is_mobile(scope["path"]):
            await self._mobile(scope, receive, send)
        else:
            await self._provider(scope, receive, send)

    def _is_mobile(self, path: str) -> bool:
        return any(path == each or path.startswith(f"{each}/") for each in self._prefixes)


_NO_KEY: Final = KeyId("")
"""Every reference is encrypted under another key."""


def serve_mobile(settings: Settings, metrics: Metrics, clock: Clock) -> ServedApp:
    """Build the mobile API alone, with rate limits."""
    app = mobile_alone(settings, metrics, clock)
    served = with_middleware(settings, app, metrics, app.state.checks)
    return ServedApp(served, app.state.stop, clock)


def serve_both(settings: Settings, metrics: Metrics, clock: Clock) -> ServedApp:
    """Build both services on one port, with rate limits."""
    mobile = mobile_alone(settings, metrics, clock)
    others = provider.build_app(settings.oidc, clock)
    joined = Dispatch(mobile, others, settings.mobile.path)
    checks = mobile.state.checks | provider_checks(others, metrics, clock)

    def stop() -> None:
        mobile.state.stop()
        others.state.stop()

    return ServedApp(with_middleware(settings, joined, metrics, checks), stop, clock)


def mobile_alone(settings: Settings, metrics: Metrics, clock: Clock) -> FastAPI:
    """Build the mobile API, connected to the provider's database."""
    opened = _open_provider(settings, metrics, clock)
    recognition = load_recognition(_moving(settings))
    app = build_mobile(
        settings.mobile, recognition, opened, metrics, clock, settings.oidc.brand
    )
    metrics.set_extractor(recognition.current.extractor)
    watch_gallery(app.state.gallery, metrics)
    push = app.state.services.push
    metrics.add_gauge("thenar_pushes_due", "Late messages to phones", push.count_due)
    metrics.add_pool("biometric", push.database)
    return app


def _moving(settings: Settings) -> EngineSettings:
    """Return the engine's settings with the graph that people move from.

    Raises NotMigrated or ModelFault.
    """
    with migrations.open_database(settings.mobile.database_url) as database:
        return with_previous_graph(settings.engine, settings.mobile, database)


def _open_provider(settings: Settings, metrics: Metrics, clock: Clock) -> Provider:
    aliases = open_aliases(settings.mobile)
    provider.require_aliases(settings.oidc, aliases)
    return Provider(provider.open_handoff(settings.oidc, clock), aliases, metrics)


def migrate(
    settings: Settings,
    only: str | None = None,
    *,
    is_new_biometric: bool = False,
    contracts: bool = False,
) -> Iterator[str]:
    """Migrate both databases, create missing keys, and yield a line about each.

    The biometric database comes first: it holds one key of the aliases that the other needs.

    Args:
        settings: of both.
        only: "oidc" or "mobile" migrates the database of that half alone.
        is_new_biometric: the former one is lost, with everybody in it.
        contracts: take away what only older programs use.

    Raises:
        SettingsFault: a setting does not allow it.
        ProcessesRun: processes use what it ends.
        KeyFileFault, DecryptionFailed: the biometric database has another key.
        SigningKeyFault, AliasFault: the protocol database has another key.
    """
    running, alias_key = provider.running(settings.oidc), None
    if is_new_biometric:
        _require_replaceable(settings, only)
    elif only != "oidc":
        require_biometric(settings)
    if only != "oidc":
        require_protocol(settings)
        alias_key = yield from _migrate_biometric(settings.mobile, running, contracts=contracts)
    if is_new_biometric and not running.is_new:
        provider.forget_aliases(settings.oidc)
    if only == "mobile":
        provider.require_aliases(settings.oidc, open_aliases(settings.mobile))
    else:
        provider.migrate(
            settings.oidc,
            biometric_alias_key=alias_key,
            running=running.processes,
            contracts=contracts,
        )
        yield f"The protocol database is ready: {place_of(settings.oidc.database_url)}."
    if only is None:
        write_provider_key(settings.mobile, provider.alias_key(settings.oidc))
    if only != "oidc":
        yield _ready_kernels()


def _migrate_biometric(
    settings: MobileSettings, running: Running, *, contracts: bool
) -> Generator[str, None, bytes]:
    """Migrate the biometric database and return its key of the aliases."""
    known = {str(each): each.biometric for each in running.processes if each.biometric}
    with disposing(open_engine(settings.database_url)) as engine:
        migrations.upgrade(engine, running=known, contracts=contracts)
        yield f"The biometric database is ready: {place_of(settings.database_url)}."
        yield _ready_key(settings, Database(engine))
        return _ready_alias_key(settings, Database(engine))


def _require_replaceable(settings: Settings, only: str | None) -> None:
    """Refuse to forget the former biometric database while it may be in use."""
    require_stopped(settings)
    if only:
        raise SettingsFault("a new biometric database concerns both halves: omit --only")
    if people_in(settings.mobile):
        raise SettingsFault("the biometric database is not a new one: it has accounts")


def _ready_alias_key(settings: MobileSettings, database: Database) -> bytes:
    """Return our key of the aliases, made if there is none.

    A reference is decrypted before: what is encrypted under a wrong key file is lost.
    """
    keys = open_key_file(settings.key_source).current
    with database.write() as transaction:
        transaction.history.lock()
        found = transaction.template_keys.lock_outdated(_NO_KEY, 1)
        TemplateEncryption(TemplateCipher(keys)).decrypt_references(found)
        return ensure_own_key(transaction, keys)


def _ready_kernels() -> str:
    """Compile the kernels, unless they are; a folder of another owner is left as it is."""
    if is_complete():
        return "The comparison is compiled."
    try:
        compile_kernels()
    except KernelFault as fault:
        return f"The comparison is not compiled: {fault}"
    return "Compiled the comparison for this machine."


def _ready_key(settings: MobileSettings, database: Database) -> str:
    """Create the key file, unless the database needs one that must have been lost."""
    with database.read_in_transaction() as transaction:
        is_used = transaction.references.has_any() or transaction.alias_key.ciphertext()
    source = settings.key_source
    if source.is_file and not settings.key_file.exists() and is_used:
        raise KeyFileFault(
            "the key file of this database is missing: restore it from its backup"
        )
    made = source.is_file and create_key_file(settings.key_file)
    read_keys(source)
    return (
        "Created the template key: back it up, apart from the database."
        if made
        else "The template key exists."
    )


def watch_gallery(gallery: GalleryReplica, metrics: Metrics) -> None:
    """Export metrics of this process's gallery."""
    measures: dict[str, tuple[str, Callable[[GalleryState], float]]] = {
        "thenar_gallery_rows": ("References in the gallery", lambda s: s.stored.rows),
        "thenar_gallery_lag_seconds": ("Seconds behind the database", lambda s: s.lag_s),
        "thenar_gallery_disk_bytes": ("Size of its files", lambda s: s.stored.disk_bytes),
        "thenar_gallery_erasure_age_seconds": (
            "Seconds since the oldest erasure that files may still hold",
            lambda s: s.stored.erasure_age_s,
        ),
        "thenar_gallery_damages": ("Damages of its files", lambda s: s.stored.damage_count),
        "thenar_gallery_shadow_repeated": ("Exact repeats", lambda s: s.stored.shadow.repeated),
        "thenar_gallery_shadow_differing": (
            "Repeated searches with another result: must be 0",
            lambda s: s.stored.shadow.differing,
        ),
        "thenar_gallery_shadow_missed": (
            "Searches selected for repetition but not repeated",
            lambda s: s.stored.shadow.dropped + s.stored.shadow.failed,
        ),
    }
    for name, (description, measure) in measures.items():
        metrics.add_gauge(name, description, partial(_measured, gallery, measure))


def _measured(gallery: GalleryReplica, measure: Callable[[GalleryState], float]) -> float:
    return measure(gallery.state())
