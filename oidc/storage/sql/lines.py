"""A line of an event loop that is opened when it is needed, and again when it was lost."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from oidc.storage.sql.line import LineLost, open_line
from oidc.storage.sql.server import ALIVE_S, TRUSTED_S

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from typing import TypeVar

    from oidc.storage.sql.line import Line

    T = TypeVar("T")


class Lines:
    """One line at a time.

    Args:
        parameters: of the connection.
    """

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        self._parameters = parameters
        self._line: Line | None = None

    async def use(self, act: Callable[[Line], Awaitable[T]], first_s: float | None = None) -> T:
        """Do something on the line; once more, on a new one, if an old one was lost over it.

        Only for what may be done twice.

        Args:
            act: does it.
            first_s: how long an old line has for all of it; None: as long as each answer has.

        Raises:
            LineLost: a new line was lost, too, or nobody answers.
        """
        line, is_new = await self._opened()
        try:
            async with asyncio.timeout(None if is_new else first_s):
                return await act(line)
        except (LineLost, TimeoutError):
            if is_new:
                raise
        return await act((await self._opened())[0])

    async def _opened(self) -> tuple[Line, bool]:
        if self._line is not None and await _is_good(self._line):
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


async def _is_good(line: Line) -> bool:
    """Ask a line whether it lives, unless it answered just now. One that does not is closed."""
    if not line.is_open or line.silent_s < TRUSTED_S:
        return line.is_open
    with suppress(LineLost):
        await line.run([], ALIVE_S)
    return line.is_open
