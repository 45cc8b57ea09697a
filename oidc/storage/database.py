"""Transactions of the protocol database, and the stores of each.

Group commit on SQLite: writes of several requests share one transaction. A commit takes
milliseconds, the statements of a token request microseconds. Writes that arrive during a commit
go into the next transaction, all in one thread: event loops wait for nothing. No caller is
answered before the commit. PostgreSQL does the same by itself.
"""

from asyncio import Future, get_running_loop
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, suppress
from contextvars import Context, copy_context
from dataclasses import dataclass, field
from functools import cached_property
from threading import Lock
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine
from sqlalchemy.util.concurrency import greenlet_spawn
from starlette.concurrency import run_in_threadpool

from oidc.plumbing import database_engine as engines
from oidc.plumbing.database import Database as AnyDatabase
from oidc.storage.stores.clients import (
    ClientErrorStore,
    ClientLogoStore,
    ClientStore,
    InitialTokenStore,
    RegistrationStore,
)
from oidc.storage.stores.developers import (
    ClientTeamStore,
    DeveloperStore,
    OwnedClientStore,
    PortalSessionStore,
    TeamNoticeStore,
)
from oidc.storage.stores.grants import CodeStore, GrantStore, TokenStore
from oidc.storage.stores.logins import LoginDayStore, LoginStore, PushedRequestStore
from oidc.storage.stores.operation import (
    AuditStore,
    KeyStore,
    ProcessStore,
    ReplayStore,
    RestoreStore,
    RetentionStore,
)
from oidc.storage.stores.pseudonyms import AliasStore, PseudonymStore
from oidc.storage.stores.sessions import (
    ConsentStore,
    KnownBrowserStore,
    LogoutNoticeStore,
    SessionStore,
    SignInStore,
)

T = TypeVar("T")


@dataclass(eq=False)
class Stores:
    """Every store, on the connection of one transaction, made when it is first used.

    ``pseudonyms`` is for one module.
    """

    connection: Connection

    clients = cached_property(lambda own: ClientStore(own.connection))
    logins = cached_property(lambda own: LoginStore(own.connection))
    login_days = cached_property(lambda own: LoginDayStore(own.connection))
    grants = cached_property(lambda own: GrantStore(own.connection))
    codes = cached_property(lambda own: CodeStore(own.connection))
    tokens = cached_property(lambda own: TokenStore(own.connection))
    keys = cached_property(lambda own: KeyStore(own.connection))
    pseudonyms = cached_property(lambda own: PseudonymStore(own.connection))
    aliases = cached_property(lambda own: AliasStore(own.connection))
    replay = cached_property(lambda own: ReplayStore(own.connection))
    pushed = cached_property(lambda own: PushedRequestStore(own.connection))
    initial_tokens = cached_property(lambda own: InitialTokenStore(own.connection))
    registrations = cached_property(lambda own: RegistrationStore(own.connection))
    sessions = cached_property(lambda own: SessionStore(own.connection))
    sign_ins = cached_property(lambda own: SignInStore(own.connection))
    consents = cached_property(lambda own: ConsentStore(own.connection))
    logouts = cached_property(lambda own: LogoutNoticeStore(own.connection))
    known_browsers = cached_property(lambda own: KnownBrowserStore(own.connection))
    developers = cached_property(lambda own: DeveloperStore(own.connection))
    owned_clients = cached_property(lambda own: OwnedClientStore(own.connection))
    client_logos = cached_property(lambda own: ClientLogoStore(own.connection))
    client_teams = cached_property(lambda own: ClientTeamStore(own.connection))
    team_notices = cached_property(lambda own: TeamNoticeStore(own.connection))
    portal_sessions = cached_property(lambda own: PortalSessionStore(own.connection))
    client_errors = cached_property(lambda own: ClientErrorStore(own.connection))
    retention = cached_property(lambda own: RetentionStore(own.connection))
    restore = cached_property(lambda own: RestoreStore(own.connection))
    processes = cached_property(lambda own: ProcessStore(own.connection))
    audit = cached_property(lambda own: AuditStore(own.connection))


class Database(AnyDatabase[Stores]):
    """The protocol database."""

    name = "the protocol database"
    wait_s = 10
    loop_share = 0.4
    new_stores = Stores

    async def run(self, work: Callable[..., T], *given: object) -> T:
        """Run work that waits for a server, in the event loop; for a file, in a thread."""
        run = greenlet_spawn if self.is_server else run_in_threadpool
        return await run(work, *given)

    @contextmanager
    def stores(self, connection: Connection) -> Iterator[Stores]:
        """Yield the stores of a write transaction; append the audit entries at the end."""
        with super().stores(connection) as stores:
            yield stores
            if "audit" in vars(stores):  # made, so used
                stores.audit.append_recorded()


def open_engine(url: str, connections: int = 20) -> Engine:
    """Return an engine of the protocol database; a reload of keys alone wants a second one."""
    return engines.open_engine(url, most_connections=connections, wait_s=Database.wait_s)


@dataclass(slots=True)
class _Write:
    """A unit of work that waits for a transaction.

    Attributes:
        answer: the future that its caller awaits.
        context: of the caller, so that log lines name its request.
    """

    work: Callable[[Stores], Any]
    answer: Future[Any]
    context: Context = field(default_factory=copy_context)
    result: Any = None
    fault: BaseException | None = None

    def run(self, opened: AbstractContextManager[Stores]) -> None:
        """Do the work, or note its fault."""
        self.fault = None
        try:
            with opened as stores:
                self.result = self.work(stores)
        except BaseException as fault:
            self.fault = fault

    def tell(self) -> None:
        """Return the result, in the caller's event loop, unless the caller has gone."""
        if self.answer.done():
            return
        if self.fault is None:
            self.answer.set_result(self.result)
        else:
            self.answer.set_exception(self.fault)


class _WorkFailed(Exception):
    """A unit failed, which undoes the group."""


class GroupCommit:
    """Writes of event loops, a group at a time."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock, self._is_writing = Lock(), False
        self._waiting: list[_Write] = []
        self._thread = ThreadPoolExecutor(1, "thenar-commit")

    async def write(self, work: Callable[[Stores], T]) -> T:
        """Run ``work`` in a transaction, in a thread; return after its commit.

        Its exceptions undo it and nothing else: all that shared the transaction then run once
        more, each alone. Raises ``DatabaseUnavailable``.
        """
        loop = get_running_loop()
        write = _Write(work, loop.create_future())
        with self._lock:
            self._waiting.append(write)
            is_writing, self._is_writing = self._is_writing, True
        if not is_writing:  # after the requests that are ready now
            loop.call_soon(self._thread.submit, self._write_group)
        result: T = await write.answer
        return result

    def _write_group(self) -> None:
        """Write all that wait, and tell them; then begin the next group."""
        for write in self._written():
            with suppress(RuntimeError):  # its event loop has ended
                write.answer.get_loop().call_soon_threadsafe(write.tell)
        with self._lock:
            self._is_writing = goes_on = bool(self._waiting)
        if goes_on:
            self._thread.submit(self._write_group)

    def _written(self) -> list[_Write]:
        """Write all that wait in one transaction, whose fault is everybody's; or each alone."""
        group: list[_Write] = []
        try:
            with self._database.transaction() as connection:
                group = self._taken()
                for write in group:
                    write.context.run(write.run, self._database.stores(connection))
                    if write.fault is not None:
                        raise _WorkFailed
        except _WorkFailed:
            for write in group:
                write.context.run(write.run, self._database.write())
        except BaseException as fault:
            group = group or self._taken()  # without a group it could not begin
            for write in group:
                write.fault = fault
        return group

    def _taken(self) -> list[_Write]:
        with self._lock:
            group, self._waiting = self._waiting, []
        return group
