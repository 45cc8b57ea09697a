"""A queued unit of work and its outcome."""

from __future__ import annotations

from contextvars import Context, copy_context
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from oidc.storage.transactions import Stores


@dataclass(slots=True)
class WriteRequest:
    """A unit of work that waits for a transaction.

    Attributes:
        done: the caller awaits it.
        context: of the caller, so that traces show statements with their request.
    """

    work: Callable[[Stores], Any]
    done: asyncio.Future[Any]
    result: Any = None
    fault: Exception | None = None
    context: Context = field(default_factory=copy_context)

    def finish(self) -> None:
        """Pass the outcome to the caller, unless it was cancelled."""
        if self.done.done():
            return
        if self.fault is None:
            self.done.set_result(self.result)
        else:
            self.done.set_exception(self.fault)
