"""Port: registered clients."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from oidc.types import Client, ClientId


class ClientStore(Protocol):
    """Keeps the registered clients."""

    def add(self, client: Client) -> None:
        """Keep a new client."""

    def find(self, client_id: ClientId) -> Client | None:
        """Return the client, or None."""

    def all(self) -> list[Client]:
        """Return every client, oldest first."""

    def replace_secret(self, client_id: ClientId, secret_digest: bytes) -> bool:
        """Replace the digest of the secret; False if there is no such client."""

    def remove(self, client_id: ClientId) -> bool:
        """Forget the client and everything granted to it; False if there is none."""
