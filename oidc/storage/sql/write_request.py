"""Work that waits for a transaction, and how it went."""

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
    """A work that waits, and how it went.

    Attributes:
        work: what is to be done.
        done: whoever asked waits for this.
        result: what it returned.
        fault: what it raised.
        context: of whoever asked: traces show each statement with the request that needs it.
    """

    work: Callable[[Stores], Any]
    done: asyncio.Future[Any]
    result: Any = None
    fault: Exception | None = None
    context: Context = field(default_factory=copy_context)

    def finish(self) -> None:
        """Let whoever asked go on, unless it gave up."""
        if self.done.done():
            return
        if self.fault is None:
            self.done.set_result(self.result)
        else:
            self.done.set_exception(self.fault)
