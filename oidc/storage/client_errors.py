"""Port: the last errors each client was answered with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import datetime

    from oidc.types import ClientId


@dataclass(frozen=True, slots=True)
class ClientError:
    """One error as its client was told it: our own words, never what was sent.

    Attributes:
        client_id: whom.
        happened_at: aware, UTC.
        endpoint: where, in a word.
        error: the registered code.
        description: the reason.
    """

    client_id: ClientId
    happened_at: datetime
    endpoint: str
    error: str
    description: str


class ClientErrorStore(Protocol):
    """Keeps a bounded number of errors for each client."""

    def add(self, error: ClientError, *, keep: int) -> bool:
        """Keep the error and forget all but the newest; False if there is no such client."""

    def of(self, client_id: ClientId) -> list[ClientError]:
        """Return the errors of a client, newest first."""
