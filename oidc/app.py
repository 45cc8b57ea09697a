"""Composition root: settings in, provider out. ``web.services`` builds the parts."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict
from functools import partial
from typing import Final

from fastapi import APIRouter, FastAPI
from starlette.exceptions import HTTPException

from oidc.aliases import Aliases
from oidc.errors import AliasFault, DatabaseUnavailable
from oidc.handoff import Handoff
from oidc.jobs import RetentionJobs, lifespan_with_jobs
from oidc.jobs import announced as announced
from oidc.keys import (
    KeyCipher,
    ensure_signing_keys,
    load_cipher,
    make_key_file,
    require_own_keys,
)
from oidc.opening import open_database as open_database
from oidc.plumbing.database_engine import disposing
from oidc.plumbing.schema_version import Step
from oidc.portal.entry import portal_router
from oidc.portal.system_clients import is_served
from oidc.settings import OidcSettings as OidcSettings
from oidc.storage import migrate as migrations
from oidc.storage.change_notifications import login_notifications
from oidc.storage.database import Stores, open_engine
from oidc.storage.stores.operation import EndedCounts
from oidc.types import AccountId, AuditEvent, Clock, Process, Running, utc_now
from oidc.web.endpoints.authorization import authorization_router
from oidc.web.endpoints.consent import consent_router
from oidc.web.endpoints.discovery import metadata_router
from oidc.web.endpoints.home import home_router, logo_router
from oidc.web.endpoints.logout import logout_router
from oidc.web.endpoints.registration import registration_router
from oidc.web.endpoints.tokens import token_router
from oidc.web.fast_path import DirectApp
from oidc.web.responses import not_served_handler, unavailable_handler
from oidc.web.services import Services

_SWEEP_INTERVAL_S: Final = 15
_PURGE_INTERVAL_S: Final = 3600
_DELIVERY_INTERVAL_S: Final = 5
"""For notices that another process left, or that failed before."""


def migrate(
    settings: OidcSettings,
    clock: Clock = utc_now,
    biometric_alias_key: bytes | None = None,
    running: Sequence[Process] = (),
    *,
    contracts: bool = False,
) -> None:
    """Create tables, key encryption key, first signing keys and, with the other key, aliases.

    All of it or nothing: no version is there without its aliases. A lost key file is never
    replaced: one is made only while no key is stored. Raises ``SigningKeyFault`` and
    ``AliasFault``.
    """

    def complete(stores: Stores) -> None:
        if settings.key_source.is_file and not stores.keys.all():
            make_key_file(settings.key_encryption_key_file)
        cipher = load_cipher(settings.key_source)
        require_own_keys(stores, cipher)
        ensure_signing_keys(stores, cipher, clock())
        if biometric_alias_key is not None:
            _ensure_aliases(stores, Aliases(biometric_alias_key, _alias_key(cipher)))

    known = {str(each): each.protocol for each in running}
    with disposing(open_engine(settings.database_url)) as engine:
        migrations.migrate_database(engine, None, complete, known, contracts=contracts)


def pending(settings: OidcSettings) -> list[Step]:
    """Return what the database lacks. Raises ``DatabaseNotMigrated``."""
    with disposing(open_engine(settings.database_url)) as engine:
        return migrations.VERSION.pending(engine)


def running(settings: OidcSettings, clock: Clock = utc_now) -> Running:
    """Return what the database says of its service. Raises ``DatabaseNotMigrated``."""
    with disposing(open_engine(settings.database_url)) as engine:
        return migrations.running(engine, clock())


def alias_key(settings: OidcSettings) -> bytes:
    """Return the provider's key of the aliases. Raises ``SigningKeyFault``."""
    return _alias_key(load_cipher(settings.key_source))


def require_aliases(settings: OidcSettings, aliases: Aliases) -> None:
    """Check that these keys made the aliases. Raises ``AliasFault``."""
    with closing(open_database(settings)) as database, database.read() as stores:
        proof = stores.aliases.proof()
    if proof is None:
        raise AliasFault("accounts and phones have no aliases yet: run `thenar migrate`")
    _require_same(proof, aliases)


def forget_aliases(settings: OidcSettings) -> None:
    """Let another biometric database take the place of one that is lost.

    No account of this database is found again.
    """
    with closing(open_database(settings)) as database, database.write() as stores:
        stores.aliases.delete_proof()


def _alias_key(cipher: KeyCipher) -> bytes:
    return cipher.derive(b"thenar aliases")


def _ensure_aliases(stores: Stores, aliases: Aliases) -> None:
    proof = stores.aliases.proof()
    if proof is None:
        stores.aliases.set_proof(aliases.proof)
    else:
        _require_same(proof, aliases)


def _require_same(proof: AccountId, aliases: Aliases) -> None:
    if proof != aliases.proof:
        raise AliasFault(
            "the accounts of the protocol database belong to another biometric database or key"
            " encryption key: restore what belongs together, or correct an address (if the"
            " biometric database is lost for good: `thenar migrate --help`)"
        )


def open_handoff(settings: OidcSettings, clock: Clock = utc_now) -> Handoff:
    """Open the phone's half of logins. Raises ``DatabaseNotMigrated``."""
    return Handoff(open_database(settings), settings.limits, clock, settings.auth_url)


def end_all(settings: OidcSettings, clock: Clock = utc_now) -> EndedCounts:
    """End the logins, codes, tokens and sessions that a restored backup brought back.

    Nothing says which of them had ended since. Raises ``DatabaseNotMigrated``.
    """
    with closing(open_database(settings)) as database, database.write() as stores:
        ended = stores.restore.end_all(now := clock())
        stores.audit.record(AuditEvent.RESTORED, now, **asdict(ended))
    return ended


def build_app(settings: OidcSettings, clock: Clock = utc_now) -> FastAPI:
    """Build the provider. Raises ``DatabaseNotMigrated``, ``SigningKeyFault``."""
    database = open_database(settings)
    services = Services(settings, clock, database)
    services.keys.require_ready()
    retention = RetentionJobs(database, settings.limits, settings.retention, clock)
    app = DirectApp(
        title="Thenar OpenID provider",
        openapi_url=None,
        # It would send queries and error texts.
        telemetry={"tracing": False, "metrics": False, "logs": False, "auto_configure": False},
        redirect_slashes=False,  # a redirect would trust the Host header
        lifespan=lifespan_with_jobs(
            services.close,
            (retention.sweep, _SWEEP_INTERVAL_S),
            (retention.purge, _PURGE_INTERVAL_S),
            (services.logout_delivery.deliver, _DELIVERY_INTERVAL_S),
            (database.compact, _SWEEP_INTERVAL_S),
            listener=login_notifications(settings.database_url, services.watch),
        ),
    )
    app.state.database = database
    app.state.require_usable = partial(migrations.VERSION.require_usable, database.engine)
    app.state.stop = partial(_stop, services)
    app.state.error_log = services.error_log
    app.add_exception_handler(DatabaseUnavailable, unavailable_handler(services))
    app.add_exception_handler(HTTPException, not_served_handler(services))
    for router in (token := token_router(services), *routers(services)):
        app.include_router(router)
    app.answer_directly(token)
    if is_served(settings):
        app.include_router(portal_router(services))
    return app


def _stop(services: Services) -> None:
    """End what would delay the stop of this process; other processes go on."""
    services.watch.end()
    services.logout_delivery.stopping.set()


def routers(services: Services) -> Sequence[APIRouter]:
    """Return the other routes, each at its full path; they are found in order."""
    return (
        authorization_router(services),
        consent_router(services),
        logo_router(services),
        logout_router(services),
        registration_router(services),
        metadata_router(services),
        home_router(services, has_portal=is_served(services.settings)),
    )
