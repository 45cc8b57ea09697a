"""One PostgreSQL transaction with several units of work.

Each unit runs in a greenlet until it needs a reply; the statements of all of them are sent
at once. A unit that fails before changing anything leaves the others alone. Otherwise the
transaction is rolled back and each unit runs by itself.
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
    # One unit that waits for a row lock delays all: it is run alone instead.
    Statement(b"SET LOCAL lock_timeout = 500"),
)
_COMMIT: Final = Statement(b"COMMIT")
_ROLLBACK: Final = Statement(b"ROLLBACK")


class CommitUnknown(Exception):
    """The connection was lost during the commit."""


class PostgresGroup:
    """The units of work of one transaction.

    Args:
        engine: its statement listeners are called.
        open_stores: opens the stores for one unit.
        works: the units.
    """

    def __init__(
        self, engine: Engine, open_stores: OpenStores, works: Sequence[WriteRequest]
    ) -> None:
        self._open_stores = (engine, open_stores)
        self._requests = works

    async def write(self, connection: PipelinedConnection) -> list[WriteRequest]:
        """Run the units and commit; return those that must run alone.

        Raises:
            ConnectionLost: nothing was committed.
            CommitUnknown: the commit may have succeeded.
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
    """A unit failed after it changed something: the whole transaction is rolled back."""


async def _run_group(works: Sequence[_Work], connection: PipelinedConnection) -> None:
    """Run the units in one transaction, a round trip for each step."""
    running, begin = [work for work in works if work.resume()], _BEGIN
    if not running:
        return
    while running:
        replies = await connection.run([*begin, *(work.statement for work in running)])
        answered = zip(running, replies[len(begin) :], strict=True)
        running, begin = [work for work, reply in answered if work.resume(reply)], ()
    try:
        await connection.run([_COMMIT])
    except ConnectionLost as fault:
        raise CommitUnknown from fault


class _Work:
    """A unit of work in a greenlet.

    Attributes:
        statement: the next one to send.
        is_alone: whether it needs a transaction of its own.
    """

    def __init__(self, engine: Engine, open_stores: OpenStores, request: WriteRequest) -> None:
        request.fault = None
        self.request = request
        self.is_alone = False
        self.statement = _ROLLBACK
        self._has_changed = False
        # Not a full connection: it refuses unprepared statements.
        connection = cast("Connection", PreparedConnection(engine, _ask_parent))
        self._stack = greenlet(lambda: _done(request.work, open_stores(connection)))
        self._stack.gr_context = request.context

    def resume(self, reply: Reply | None = None) -> bool:
        """Continue with a reply; tell whether there is another statement."""
        self._has_changed |= reply is not None and reply.changed > 0
        try:
            outcome = self._stack.switch(reply) if reply is not None else self._stack.switch()
        except ThreadNeeded:
            self.is_alone = True
            self._require_unchanged()
        except Exception as fault:  # passed to the caller
            self.request.fault = fault
            self._require_unchanged()
        else:
            if not self._stack.dead:
                self.statement = outcome
                return True
            self.request.result = outcome
        return False

    def abort(self) -> None:
        """End the greenlet if it is unfinished."""
        if not self._stack.dead:
            self._stack.throw()

    def _require_unchanged(self) -> None:
        if self._has_changed:
            raise _RolledBackError


def _done(work: Callable[[Stores], Any], opened: AbstractContextManager[Stores]) -> Any:  # noqa: ANN401 - what the work returns
    with opened as stores:
        return work(stores)


def _ask_parent(statement: Statement) -> Reply:
    """Leave the greenlet with a statement; return with the reply."""
    reply: Reply = getcurrent().parent.switch(statement)
    return reply
