"""Port: registered clients."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oidc.types import Client, ClientId, SectorIdentifier


class ClientStore(Protocol):
    """Keeps the registered clients."""

    def add(self, client: Client) -> None:
        """Keep a new client."""

    def find(self, client_id: ClientId) -> Client | None:
        """Return the client, or None."""

    def all(self) -> list[Client]:
        """Return every client, oldest first."""

    def of_sectors(self, sectors: Sequence[SectorIdentifier]) -> list[Client]:
        """Return every client of these sectors, oldest first, by one query."""

    def replace(self, client: Client) -> bool:
        """Replace everything that is kept of the client; False if there is no such client."""

    def remove(self, client_id: ClientId) -> bool:
        """Forget the client and everything granted to it; False if there is none."""
