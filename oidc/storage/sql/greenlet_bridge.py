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
        self._luggage = bridge_context

    def __await__(self) -> Generator[Any, Any, T]:
        """Run to the end; raise what the coroutine raises."""
        walker = _BridgeGreenlet(self._steps, self._luggage)
        told = walker.switch()
        while not walker.dead:
            try:
                back = yield told
            except BaseException as fault:  # cancelled: passed to the waiting function
                told = walker.throw(fault)
            else:
                told = walker.switch(back)
        ended: T = told
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
                told = step()
            except StopIteration as ended:
                return ended.value
            try:
                back = self.parent.switch(told)
            except BaseException as fault:  # the coroutine decides what that means
                step = partial(self._steps.throw, fault)
            else:
                step = partial(self._steps.send, back)


def bridge_context(kind: type[S]) -> S | None:
    """Return the running bridge's context, if it is of this kind."""
    carried = getattr(getcurrent(), "bridge_context", None)
    return carried if isinstance(carried, kind) else None


def wait(future: Future[T]) -> T:
    """Return the result of a future. For plain functions inside a ``GreenletBridge``."""
    road, steps = getcurrent().parent, future.__await__()
    while True:
        try:
            told = next(steps)
        except StopIteration as ended:
            result: T = ended.value
            return result
        road.switch(told)
