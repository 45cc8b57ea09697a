"""A line of an event loop that is opened when it is needed, and again when it was lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from oidc.storage.sql.line import LineLost, open_line

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from typing import TypeVar

    from sqlalchemy import Engine

    from oidc.storage.sql.line import Line

    T = TypeVar("T")

CONNECT_S: Final = 5
"""A server that is away is known to be away before the browser gives up."""


class Lines:
    """One line at a time.

    Args:
        parameters: of the connection.
    """

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        self._parameters = parameters
        self._line: Line | None = None

    async def use(self, act: Callable[[Line], Awaitable[T]]) -> T:
        """Do something on the line; once more, on a new one, if an old one was lost over it.

        Only for what may be done twice.

        Raises:
            LineLost: a new line was lost, too, or nobody answers.
        """
        line, is_new = await self._opened()
        try:
            return await act(line)
        except LineLost:
            if is_new:
                raise
        return await act((await self._opened())[0])

    async def _opened(self) -> tuple[Line, bool]:
        if self._line is not None and self._line.is_open:
            return self._line, False
        self._line = await open_line(self._parameters)
        return self._line, True

    def close(self) -> None:
        """Hang up. In the event loop."""
        if self._line is not None:
            self._line.close()

    def drop(self) -> None:
        """Let go of the connection of a loop that has ended."""
        if self._line is not None and self._line.is_open:
            self._line.drop()


def parameters_of(engine: Engine) -> dict[str, Any]:
    """Return what connects to the database of an engine."""
    _, parameters = engine.dialect.create_connect_args(engine.url)
    return {"connect_timeout": CONNECT_S, **parameters}
