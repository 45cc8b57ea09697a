"""Plain functions that wait for an answer inside an event loop, each on a stack of its own.

The text of the protocol reads rows where it needs them, also in the middle of a library that
knows no event loop. A server's answer has to be waited for: here such a text leaves its stack
as it is (a greenlet), lets the loop serve others, and goes on where it was. SQLAlchemy brings
its own functions into event loops in the same way.
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
    """A coroutine whose plain functions may wait. Awaited once, in an event loop.

    Args:
        steps: the coroutine.
        bridge_context: what those functions find by ``bridge_context``.
    """

    def __init__(self, steps: Coroutine[Any, Any, T], bridge_context: S) -> None:
        self._steps = steps
        self._luggage = bridge_context

    def __await__(self) -> Generator[Any, Any, T]:
        """Go on whenever what is waited for is there; raise what the coroutine raises."""
        walker = _BridgeGreenlet(self._steps, self._luggage)
        told = walker.switch()
        while not walker.dead:
            try:
                back = yield told
            except BaseException as fault:  # cancelled: whoever waits inside is told
                told = walker.throw(fault)
            else:
                told = walker.switch(back)
        ended: T = told
        return ended


class _BridgeGreenlet(greenlet):  # type: ignore[misc]
    """The stack of a walk."""

    def __init__(self, steps: Coroutine[Any, Any, Any], bridge_context: object) -> None:
        super().__init__()
        self._steps = steps
        self.bridge_context = bridge_context
        # Whoever traces what happens takes it for a part of the same request.
        self.gr_context = getcurrent().gr_context

    def run(self) -> Any:  # noqa: ANN401 - what the coroutine returns
        """Drive the coroutine; hand out what it waits for."""
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
    """Return what the walk that this is a part of carries, if it is of that kind."""
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
