"""One transaction on a server with several works in it, side by side.

Each work runs on a stack of its own until it asks the server something; what all of them ask is
sent in one piece, and with the answers all go on. A work that fails before it changed anything
leaves the others alone. Otherwise the transaction is rolled back and each is done by itself:
what the group does is what its works would do one after the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from greenlet import getcurrent, greenlet

from oidc.storage.sql.asking import Asking
from oidc.storage.sql.line import LineLost, Reply, Statement, StatementRefused
from oidc.storage.transactions import ThreadNeeded

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from sqlalchemy import Connection, Engine

    from oidc.storage.sql.asked import Asked
    from oidc.storage.sql.line import Line
    from oidc.storage.transactions import Stores

    Lend = Callable[[Connection], AbstractContextManager[Stores]]

_BEGIN: Final[tuple[Statement, ...]] = (
    Statement(b"BEGIN"),
    # Whoever waits for a row keeps all of them waiting: that is done alone.
    Statement(b"SET LOCAL lock_timeout = 500"),
)
_COMMIT: Final = Statement(b"COMMIT")
_ROLLBACK: Final = Statement(b"ROLLBACK")


class CommitUnknown(Exception):
    """The connection was lost while the transaction was being committed."""


class RemoteGroup:
    """Works of one transaction.

    Args:
        engine: whoever listens to its statements hears of these, too.
        lend: lends the stores on a connection for one work.
        works: what is to be done.
    """

    def __init__(self, engine: Engine, lend: Lend, works: Sequence[Asked]) -> None:
        self._lend = (engine, lend)
        self._asked = works

    async def write(self, line: Line) -> list[Asked]:
        """Do the works; return those that are to be done alone. The others are on disk.

        Raises:
            LineLost: nothing was done.
            CommitUnknown: the transaction may be on disk, or not.
        """
        works = [_Work(*self._lend, asked) for asked in self._asked]
        try:
            await _go_through(works, line)
        except (StatementRefused, _UndoneError):
            await line.run([_ROLLBACK])
            return list(self._asked)
        except BaseException:
            line.close()  # the next group must not commit what is left of this one
            raise
        finally:
            for work in works:
                work.leave()
        return [work.asked for work in works if work.is_alone]


class _UndoneError(Exception):
    """A work failed that had changed something: what it did cannot be told from the rest."""


async def _go_through(works: Sequence[_Work], line: Line) -> None:
    """Do the works in one transaction, a round trip for each of their questions."""
    asking, begin = [work for work in works if work.goes_on()], _BEGIN
    if not asking:
        return
    while asking:
        replies = await line.run([*begin, *(work.question for work in asking)])
        begun = zip(asking, replies[len(begin) :], strict=True)
        asking, begin = [work for work, reply in begun if work.goes_on(reply)], ()
    try:
        await line.run([_COMMIT])
    except LineLost as fault:
        raise CommitUnknown from fault


class _Work:
    """A work on a stack of its own.

    Attributes:
        asked: what is to be done, and how it went.
        question: what it wants to know from the server before it goes on.
        is_alone: whether it has to be done by itself.
    """

    def __init__(self, engine: Engine, lend: Lend, asked: Asked) -> None:
        asked.fault = None
        self.asked = asked
        self.is_alone = False
        self.question = _ROLLBACK
        self._has_changed = False
        # Not a connection: it refuses what is not prepared.
        connection = cast("Connection", Asking(engine, _hand_out))
        self._stack = greenlet(lambda: _done(asked.work, lend(connection)))
        self._stack.gr_context = asked.context

    def goes_on(self, reply: Reply | None = None) -> bool:
        """Go on with an answer; tell whether there is another question."""
        self._has_changed |= reply is not None and reply.changed > 0
        try:
            told = self._stack.switch(reply) if reply is not None else self._stack.switch()
        except ThreadNeeded:
            self.is_alone = True
            self._require_unchanged()
        except Exception as fault:  # it is told to whoever asked
            self.asked.fault = fault
            self._require_unchanged()
        else:
            if not self._stack.dead:
                self.question = told
                return True
            self.asked.result = told
        return False

    def leave(self) -> None:
        """End its stack, if it was left in the middle."""
        if not self._stack.dead:
            self._stack.throw()

    def _require_unchanged(self) -> None:
        if self._has_changed:
            raise _UndoneError


def _done(work: Callable[[Stores], Any], lent: AbstractContextManager[Stores]) -> Any:  # noqa: ANN401 - what the work returns
    with lent as stores:
        return work(stores)


def _hand_out(question: Statement) -> Reply:
    """Leave the stack of a work with a question; come back with the answer."""
    reply: Reply = getcurrent().parent.switch(question)
    return reply
