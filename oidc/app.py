"""Composition root: settings in, provider out. The only module that knows every class."""

from __future__ import annotations

import asyncio
import logging
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from fastapi import FastAPI
from sqlalchemy.exc import SQLAlchemyError
from starlette.concurrency import run_in_threadpool

from oidc.access_tokens import AccessTokens
from oidc.errors import DatabaseNotMigrated
from oidc.handoff import Door
from oidc.key_cipher import load_cipher, make_key_file
from oidc.keys import KeyRing
from oidc.provider.authentication import ClientAuthenticator
from oidc.provider.client_calls import ClientCalls
from oidc.provider.endpoint import TokenEndpoint
from oidc.provider.issuing import Issuer
from oidc.rotation import ensure_signing_keys
from oidc.routes.authorization import authorization_router
from oidc.routes.consent import consent_router
from oidc.routes.context import Context
from oidc.routes.cookies import LoginCookies
from oidc.routes.metadata import metadata_router
from oidc.routes.pages import Pages
from oidc.routes.places import places_of
from oidc.routes.stream import LoginWatch
from oidc.routes.tokens import token_router
from oidc.settings import OidcSettings as OidcSettings
from oidc.storage.migrate import migrate_database, require_migrated
from oidc.storage.sql.database import Database, open_engine
from oidc.token_status import TokenStatus
from oidc.waiting import WaitingRoom

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence
    from contextlib import AbstractAsyncContextManager

    from fastapi import APIRouter

    from oidc.types import Clock

_log = logging.getLogger(__name__)

_SWEEP_INTERVAL_S: Final = 15
_COOKIE_SLACK_S: Final = 3600
"""How much longer a cookie lives than its login: a late browser still learns how it ended."""


def utc_now() -> datetime:
    """Return the real time: aware, UTC."""
    return datetime.now(UTC)


def migrate(settings: OidcSettings, clock: Clock = utc_now) -> None:
    """Make the protocol database ready: tables, key encryption key, first signing keys.

    A key file is made only while the database holds no key: a lost one is never replaced.
    """
    engine = open_engine(settings.database_url)
    try:
        migrate_database(engine)
        with Database(engine).write() as stores:
            if settings.key_encryption_key is None and not stores.keys.all():
                make_key_file(settings.key_encryption_key_file)
            cipher = load_cipher(settings.key_encryption_key, settings.key_encryption_key_file)
            ensure_signing_keys(stores, cipher, clock())
    finally:
        engine.dispose()


def open_database(settings: OidcSettings) -> Database:
    """Open the protocol database. Raises ``DatabaseNotMigrated``."""
    engine = open_engine(settings.database_url)
    try:
        require_migrated(engine)
    except DatabaseNotMigrated:
        engine.dispose()
        raise
    return Database(engine)


def open_door(settings: OidcSettings, clock: Clock = utc_now) -> Door:
    """Open the phone's half of every login. Raises ``DatabaseNotMigrated``."""
    return Door(open_database(settings), settings.limits, clock)


def build_app(settings: OidcSettings, clock: Clock = utc_now) -> FastAPI:
    """Wire the provider.

    Raises:
        DatabaseNotMigrated: run ``thenar migrate`` first.
        KeyFault: the signing keys cannot be opened.
    """
    database = open_database(settings)
    context = _context(settings, clock, database)
    context.keys.jwks()
    app = FastAPI(
        title="Thenar OpenID provider",
        openapi_url=None,
        redirect_slashes=False,  # it would build an address from the Host header
        lifespan=_sweeping(context.waiting, database),
    )
    app.state.database = database
    for router in routers(context):
        app.include_router(router)
    return app


def routers(context: Context) -> Sequence[APIRouter]:
    """Return every route of the provider, at its full path."""
    return (
        authorization_router(context),
        consent_router(context),
        token_router(context),
        metadata_router(context),
    )


def _context(settings: OidcSettings, clock: Clock, database: Database) -> Context:
    limits, lifetimes = settings.limits, settings.lifetimes
    waiting = WaitingRoom(database, limits, lifetimes, clock)
    cipher = load_cipher(settings.key_encryption_key, settings.key_encryption_key_file)
    keys = KeyRing(database, cipher, clock)
    issuer = Issuer(
        keys=keys,
        clock=clock,
        issuer=settings.issuer,
        audience=settings.base_url,
        lifetimes=lifetimes,
        access_token_algorithm=settings.access_token_algorithm,
    )
    access_tokens = AccessTokens(database, keys, clock, settings.issuer, settings.base_url)
    base = settings.base_url
    endpoints = ("/token", "/oauth/token", "/par", "/oauth/par")
    audiences = frozenset({settings.issuer, *(base + endpoint for endpoint in endpoints)})
    authenticator = ClientAuthenticator(database, clock, audiences)
    total_s = limits.pending_s + limits.scanned_s + limits.verified_s + limits.approved_s
    return Context(
        settings=settings,
        places=places_of(settings),
        clock=clock,
        transactions=database,
        waiting=waiting,
        watch=LoginWatch(
            waiting.watch,
            interval_s=settings.watch_interval_s,
            capacity=settings.stream_count,
        ),
        token_endpoint=TokenEndpoint(database, issuer, authenticator, uri=f"{base}/token"),
        client_calls=ClientCalls(
            authenticator, TokenStatus(database, access_tokens, clock, settings.issuer)
        ),
        access_tokens=access_tokens,
        keys=keys,
        pages=Pages(settings),
        cookies=LoginCookies(
            is_secure=settings.is_secure, lifetime_s=total_s + _COOKIE_SLACK_S
        ),
    )


def _sweeping(
    waiting: WaitingRoom, database: Database
) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    """Return a lifespan that sweeps, and closes the database at the end.

    A login that everybody forgot does not keep its account for long.
    """

    async def sweep() -> None:
        while True:
            try:
                await run_in_threadpool(waiting.sweep)
            except SQLAlchemyError:
                _log.exception("the sweep of ended logins failed; it is tried again")
            await asyncio.sleep(_SWEEP_INTERVAL_S)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        task = asyncio.get_running_loop().create_task(sweep())
        try:
            yield
        finally:
            task.cancel()
            # A sweep in the middle of its transaction ends it first.
            with suppress(asyncio.CancelledError):
                await task
            await run_in_threadpool(database.close)

    return lifespan
