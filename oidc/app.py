"""Composition root: settings in, provider out. The only module that knows every class."""

from __future__ import annotations

import asyncio
import logging
from contextlib import asynccontextmanager
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Final

from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool

from oidc.access_tokens import AccessTokens
from oidc.client_errors import ErrorNotes
from oidc.connections import Connections
from oidc.dpop import Nonces, Proofs
from oidc.entrance import Entrance
from oidc.errors import DatabaseAway, DatabaseNotMigrated
from oidc.handoff import Door
from oidc.housekeeping import Housekeeping
from oidc.key_cipher import load_cipher, make_key_file
from oidc.keys import KeyRing
from oidc.logout import Logout
from oidc.logout_delivery import LogoutDelivery
from oidc.logout_post import LogoutPost
from oidc.portal.wiring import is_served, portal_router
from oidc.provider.authentication import ClientAuthenticator
from oidc.provider.client_calls import ClientCalls
from oidc.provider.endpoint import TokenEndpoint
from oidc.provider.issuing import Issuer
from oidc.provider.possession import Possession
from oidc.quotas import Quotas
from oidc.registration import Registrar
from oidc.rotation import ensure_signing_keys
from oidc.routes.authorization import authorization_router
from oidc.routes.away import away_handler
from oidc.routes.consent import consent_router
from oidc.routes.context import Context
from oidc.routes.cookies import LoginCookies
from oidc.routes.cross_origin import CrossOrigin
from oidc.routes.logout import logout_router
from oidc.routes.metadata import metadata_router
from oidc.routes.pages import Pages
from oidc.routes.places import places_of
from oidc.routes.registration import registration_router
from oidc.routes.session_cookie import SessionCookie
from oidc.routes.shortcuts import Shortcuts
from oidc.routes.stream import LoginWatch
from oidc.routes.tokens import shortcuts, token_router
from oidc.routes.visitors import BrowserMark
from oidc.settings import OidcSettings as OidcSettings
from oidc.storage.migrate import migrate_database, require_migrated
from oidc.storage.sql.database import Database, open_engine
from oidc.storage.sql.listening import LoginNews, login_news
from oidc.token_status import TokenStatus
from oidc.types import AuditEvent
from oidc.userinfo import Resource
from oidc.waiting import WaitingRoom

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence
    from contextlib import AbstractAsyncContextManager

    from fastapi import APIRouter

    from oidc.storage.restoring import EndedAll
    from oidc.types import Clock

_log = logging.getLogger(__name__)

_SWEEP_INTERVAL_S: Final = 15
_TIDY_INTERVAL_S: Final = 3600
_DELIVERY_INTERVAL_S: Final = 5
"""How soon a logout is told that another process left behind, or that failed before."""

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
    return Door(open_database(settings), settings.limits, clock, settings.auth_url)


def open_connections(settings: OidcSettings, clock: Clock = utc_now) -> Connections:
    """Open the second door. Raises ``DatabaseNotMigrated``."""
    return Connections(open_database(settings), clock)


def end_all(settings: OidcSettings, clock: Clock = utc_now) -> EndedAll:
    """End whatever a restored backup brought back alive: nothing tells what had ended since.

    Raises ``DatabaseNotMigrated``.
    """
    database, now = open_database(settings), clock()
    try:
        with database.write() as stores:
            ended = stores.restoring.end_all(now)
            stores.audit.note(AuditEvent.RESTORED, now, **asdict(ended))
        return ended
    finally:
        database.close()


def build_app(settings: OidcSettings, clock: Clock = utc_now) -> FastAPI:
    """Wire the provider.

    Raises:
        DatabaseNotMigrated: run ``thenar migrate`` first.
        KeyFault: the signing keys cannot be opened.
    """
    database = open_database(settings)
    context = _context(settings, clock, database)
    context.keys.require_ready()
    kept = timedelta(days=settings.audit_days)
    housekeeping = Housekeeping(database, settings.limits, kept, clock)
    app = FastAPI(
        title="Thenar OpenID provider",
        openapi_url=None,
        # It would send queries and the words of faults: traces are made around us.
        telemetry={"tracing": False, "metrics": False, "logs": False, "auto_configure": False},
        redirect_slashes=False,  # it would build an address from the Host header
        lifespan=_working(
            database,
            (housekeeping.sweep, _SWEEP_INTERVAL_S),
            (housekeeping.tidy, _TIDY_INTERVAL_S),
            (context.logout_delivery.deliver, _DELIVERY_INTERVAL_S),
            listens=login_news(settings.database_url, context.watch),
        ),
    )
    app.state.database = database
    app.state.stop = partial(_stop, context)
    app.state.error_notes = context.error_notes
    app.add_exception_handler(DatabaseAway, away_handler(context))
    for router in routers(context):
        app.include_router(router)
    if is_served(settings):
        cipher = load_cipher(settings.key_encryption_key, settings.key_encryption_key_file)
        app.include_router(portal_router(context, cipher))
    # Around the framework's own layers, which have nothing to do for these.
    app.middleware_stack = Shortcuts(
        app.build_middleware_stack(), shortcuts(token_router(context))
    )
    return app


def _stop(context: Context) -> None:
    """End what a process that stops would wait for, and what another one goes on with."""
    context.watch.end()
    context.logout_delivery.stopping.set()


def routers(context: Context) -> Sequence[APIRouter]:
    """Return every route of the provider, at its full path."""
    return (
        authorization_router(context),
        consent_router(context),
        logout_router(context),
        token_router(context),
        registration_router(context),
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
    quotas = Quotas(settings.client_limits)
    authenticator = ClientAuthenticator(
        database, clock, audiences, settings.issuer, settings.profile, quotas
    )
    nonces = Nonces(cipher.derive(b"thenar dpop nonce"))
    proofs = Proofs(database, clock, nonces, need_nonce=settings.dpop_nonce)
    total_s = limits.pending_s + limits.scanned_s + limits.verified_s + limits.approved_s
    total_s += limits.renewable_s + limits.code_s
    return Context(
        settings=settings,
        places=places_of(settings),
        clock=clock,
        transactions=database,
        waiting=waiting,
        watch=LoginWatch(
            waiting.watch,
            clock,
            interval_s=settings.watch_interval_s,
            capacity=settings.stream_count,
        ),
        quotas=quotas,
        token_endpoint=TokenEndpoint(
            database,
            issuer,
            authenticator,
            Possession(proofs, _both_forms(base, "token")),
            uri=f"{base}/token",
        ),
        client_calls=ClientCalls(
            authenticator,
            TokenStatus(database, access_tokens, clock, settings.issuer),
            Possession(proofs, _both_forms(base, "par")),
        ),
        userinfo=Resource(access_tokens, proofs, _both_forms(base, "userinfo")),
        proofs=proofs,
        cross_origin=CrossOrigin(database, clock),
        registrar=Registrar(
            database, clock, f"{base}/register", settings.registrations_hourly, settings.profile
        ),
        error_notes=ErrorNotes(database, clock),
        keys=keys,
        pages=Pages(settings),
        cookies=LoginCookies(
            is_secure=settings.is_secure, lifetime_s=total_s + _COOKIE_SLACK_S
        ),
        browser_mark=BrowserMark(
            is_secure=settings.is_secure,
            lifetime_s=max(settings.known_browser_days * 86_400, _COOKIE_SLACK_S),
        ),
        session_cookie=SessionCookie(
            is_secure=settings.is_secure, lifetime_s=lifetimes.session_s
        ),
        entrance=Entrance(database, waiting, keys, clock, settings.issuer, lifetimes),
        logout=Logout(database, keys, clock, settings.issuer),
        logout_delivery=LogoutDelivery(
            database,
            keys,
            clock,
            settings.issuer,
            LogoutPost(reaches_private=settings.reaches_private),
        ),
    )


def _both_forms(base_url: str, endpoint: str) -> frozenset[str]:
    """Return both addresses of an endpoint (specification §4)."""
    return frozenset({f"{base_url}/{endpoint}", f"{base_url}/oauth/{endpoint}"})


def _working(
    database: Database,
    *duties: tuple[Callable[[], object], float],
    listens: LoginNews | None,
) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    """Return a lifespan with duties, and seconds between them; it closes the database at last.

    All the while it listens to what the database tells, if that tells anything.

    A login that everybody forgot does not keep its account for long, and a client that was not
    reached is told of a logout later.
    """

    async def work(duty: Callable[[], object], pause_s: float) -> None:
        while True:
            try:
                await run_in_threadpool(duty)
            except Exception:  # whatever it is: nobody else would begin the duty again
                _log.exception("a duty of the provider failed; it is tried again")
            await asyncio.sleep(pause_s)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        loop = asyncio.get_running_loop()
        tasks = [loop.create_task(work(duty, pause_s)) for duty, pause_s in duties]
        if listens is not None:
            tasks.append(loop.create_task(listens.listen()))
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            # A duty in the middle of its transaction ends it first.
            await asyncio.gather(*tasks, return_exceptions=True)
            await run_in_threadpool(database.close)

    return lifespan
