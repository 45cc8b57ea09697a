"""Lets plain functions wait for a reply inside an event loop, each in a greenlet.

Protocol code reads rows deep inside libraries that know no event loop. The greenlet keeps
the stack while the loop serves others. SQLAlchemy's asyncio extension does the same.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from greenlet import getcurrent, greenlet

if TYPE_CHECKING:
    from asyncio import Future
    from collections.abc import Callable, Coroutine, Generator

T = TypeVar("T")
S = TypeVar("S")


class GreenletBridge(Generic[T, S]):
    """A coroutine whose plain functions may ``wait``. Awaited once.

    Args:
        steps: the coroutine.
        bridge_context: what ``bridge_context`` returns inside.
    """

    def __init__(self, steps: Coroutine[Any, Any, T], bridge_context: S) -> None:
        self._steps = steps
        self._context = bridge_context

    def __await__(self) -> Generator[Any, Any, T]:
        """Run to the end; raise what the coroutine raises."""
        bridge = _BridgeGreenlet(self._steps, self._context)
        awaited = bridge.switch()
        while not bridge.dead:
            try:
                result = yield awaited
            except BaseException as fault:  # cancelled: passed to the waiting function
                awaited = bridge.throw(fault)
            else:
                awaited = bridge.switch(result)
        ended: T = awaited
        return ended


class _BridgeGreenlet(greenlet):  # type: ignore[misc]
    """The stack of a bridge."""

    def __init__(self, steps: Coroutine[Any, Any, Any], bridge_context: object) -> None:
        super().__init__()
        self._steps = steps
        self.bridge_context = bridge_context
        # Traces treat it as part of the same request.
        self.gr_context = getcurrent().gr_context

    def run(self) -> Any:  # noqa: ANN401 - what the coroutine returns
        """Drive the coroutine; switch to the parent for what it awaits."""
        step: Callable[[], Any] = partial(self._steps.send, None)
        while True:
            try:
                awaited = step()
            except StopIteration as ended:
                return ended.value
            try:
                result = self.parent.switch(awaited)
            except BaseException as fault:  # the coroutine decides what that means
                step = partial(self._steps.throw, fault)
            else:
                step = partial(self._steps.send, result)


def bridge_context(kind: type[S]) -> S | None:
    """Return the running bridge's context, if it is of this kind."""
    carried = getattr(getcurrent(), "bridge_context", None)
    return carried if isinstance(carried, kind) else None


def wait(future: Future[T]) -> T:
    """Return the result of a future. For plain functions inside a ``GreenletBridge``."""
    parent, steps = getcurrent().parent, future.__await__()
    while True:
        try:
            awaited = next(steps)
        except StopIteration as ended:
            result: T = ended.value
            return result
        parent.switch(awaited)
