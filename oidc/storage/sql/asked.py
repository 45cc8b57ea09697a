"""Work that waits for a transaction, and how it went."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from oidc.storage.transactions import Stores


@dataclass(slots=True)
class Asked:
    """A work that waits, and how it went."""

    work: Callable[[Stores], Any]
    done: asyncio.Future[Any]
    result: Any = None
    fault: Exception | None = None

    def tell(self) -> None:
        """Let whoever asked go on, unless it gave up."""
        if self.done.done():
            return
        if self.fault is None:
            self.done.set_result(self.result)
        else:
            self.done.set_exception(self.fault)
