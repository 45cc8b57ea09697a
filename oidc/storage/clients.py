"""Store of registered clients."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oidc.types import Client, ClientId, SectorIdentifier


class ClientStore(Protocol):
    """Stores registered clients."""

    def add(self, client: Client) -> None:
        """Add a client."""

    def find(self, client_id: ClientId) -> Client | None:
        """Return the client, or None."""

    def all(self) -> list[Client]:
        """Return all clients, oldest first."""

    def of_sectors(self, sectors: Sequence[SectorIdentifier]) -> list[Client]:
        """Return the clients of these sectors, oldest first, in one query."""

    def replace(self, client: Client) -> bool:
        """Replace all fields of a client; False if it does not exist."""

    def remove(self, client_id: ClientId) -> bool:
        """Delete a client with its grants; False if it does not exist."""
