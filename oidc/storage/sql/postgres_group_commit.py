"""One transaction on a server with several works in it, side by side.

Each work runs on a stack of its own until it asks the server something; what all of them ask is
sent in one piece, and with the answers all go on. A work that fails before it changed anything
leaves the others alone. Otherwise the transaction is rolled back and each is done by itself:
what the group does is what its works would do one after the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from greenlet import getcurrent, greenlet

from oidc.storage.sql.pipelined_connection import (
    ConnectionLost,
    Reply,
    Statement,
    StatementRefused,
)
from oidc.storage.sql.prepared_connection import PreparedConnection
from oidc.storage.transactions import ThreadNeeded

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from sqlalchemy import Connection, Engine

    from oidc.storage.sql.pipelined_connection import PipelinedConnection
    from oidc.storage.sql.write_request import WriteRequest
    from oidc.storage.transactions import Stores

    OpenStores = Callable[[Connection], AbstractContextManager[Stores]]

_BEGIN: Final[tuple[Statement, ...]] = (
    Statement(b"BEGIN"),
    # Whoever waits for a row keeps all of them waiting: that is done alone.
    Statement(b"SET LOCAL lock_timeout = 500"),
)
_COMMIT: Final = Statement(b"COMMIT")
_ROLLBACK: Final = Statement(b"ROLLBACK")


class CommitUnknown(Exception):
    """The connection was lost while the transaction was being committed."""


class PostgresGroup:
    """Works of one transaction.

    Args:
        engine: whoever listens to its statements hears of these, too.
        open_stores: lends the stores on a connection for one work.
        works: what is to be done.
    """

    def __init__(
        self, engine: Engine, open_stores: OpenStores, works: Sequence[WriteRequest]
    ) -> None:
        self._open_stores = (engine, open_stores)
        self._requests = works

    async def write(self, connection: PipelinedConnection) -> list[WriteRequest]:
        """Do the works; return those that are to be done alone. The others are on disk.

        Raises:
            ConnectionLost: nothing was done.
            CommitUnknown: the transaction may be on disk, or not.
        """
        works = [_Work(*self._open_stores, request) for request in self._requests]
        try:
            await _run_group(works, connection)
        except (StatementRefused, _RolledBackError):
            await connection.run([_ROLLBACK])
            return list(self._requests)
        except BaseException:
            connection.close()  # the next group must not commit what is left of this one
            raise
        finally:
            for work in works:
                work.abort()
        return [work.request for work in works if work.is_alone]


class _RolledBackError(Exception):
    """A work failed that had changed something: what it did cannot be told from the rest."""


async def _run_group(works: Sequence[_Work], connection: PipelinedConnection) -> None:
    """Do the works in one transaction, a round trip for each of their questions."""
    asking, begin = [work for work in works if work.resume()], _BEGIN
    if not asking:
        return
    while asking:
        replies = await connection.run([*begin, *(work.statement for work in asking)])
        begun = zip(asking, replies[len(begin) :], strict=True)
        asking, begin = [work for work, reply in begun if work.resume(reply)], ()
    try:
        await connection.run([_COMMIT])
    except ConnectionLost as fault:
        raise CommitUnknown from fault


class _Work:
    """A work on a stack of its own.

    Attributes:
        request: what is to be done, and how it went.
        statement: what it wants to know from the server before it goes on.
        is_alone: whether it has to be done by itself.
    """

    def __init__(self, engine: Engine, open_stores: OpenStores, request: WriteRequest) -> None:
        request.fault = None
        self.request = request
        self.is_alone = False
        self.statement = _ROLLBACK
        self._has_changed = False
        # Not a connection: it refuses what is not prepared.
        connection = cast("Connection", PreparedConnection(engine, _ask_parent))
        self._stack = greenlet(lambda: _done(request.work, open_stores(connection)))
        self._stack.gr_context = request.context

    def resume(self, reply: Reply | None = None) -> bool:
        """Go on with an answer; tell whether there is another statement."""
        self._has_changed |= reply is not None and reply.changed > 0
        try:
            told = self._stack.switch(reply) if reply is not None else self._stack.switch()
        except ThreadNeeded:
            self.is_alone = True
            self._require_unchanged()
        except Exception as fault:  # it is told to whoever request
            self.request.fault = fault
            self._require_unchanged()
        else:
            if not self._stack.dead:
                self.statement = told
                return True
            self.request.result = told
        return False

    def abort(self) -> None:
        """End its stack, if it was left in the middle."""
        if not self._stack.dead:
            self._stack.throw()

    def _require_unchanged(self) -> None:
        if self._has_changed:
            raise _RolledBackError


def _done(work: Callable[[Stores], Any], opened: AbstractContextManager[Stores]) -> Any:  # noqa: ANN401 - what the work returns
    with opened as stores:
        return work(stores)


def _ask_parent(statement: Statement) -> Reply:
    """Leave the stack of a work with a statement; come back with the answer."""
    reply: Reply = getcurrent().parent.switch(statement)
    return reply
