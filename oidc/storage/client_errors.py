"""Store of the recent errors of each client."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import datetime

    from oidc.types import ClientId


@dataclass(frozen=True, slots=True)
class ClientError:
    """An error that was sent to a client: our own words, no request data."""

    client_id: ClientId
    happened_at: datetime
    endpoint: str
    error: str
    description: str


class ClientErrorStore(Protocol):
    """Stores a bounded number of errors per client."""

    def add(self, error: ClientError, *, keep: int) -> bool:
        """Add an error and keep the newest ``keep``; False if the client does not exist."""

    def of(self, client_id: ClientId) -> list[ClientError]:
        """Return a client's errors, newest first."""
