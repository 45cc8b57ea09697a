"""Store of the logos of clients."""

from __future__ import annotations

from sqlalchemy import bindparam, delete, select

from oidc.plumbing.prepared import Prepared
from oidc.plumbing.store import Store
from oidc.storage import schema as t
from oidc.types import ClientId

_VERSION = Prepared(
    select(t.client_logos.c.version).where(t.client_logos.c.client_id == bindparam("one"))
)


class ClientLogoStore(Store):
    """Stores one picture for each client."""

    def put(self, client_id: ClientId, version: str, png: bytes) -> None:
        """Store the logo of a client in place of an earlier one."""
        self._put(t.client_logos, {"client_id": client_id, "version": version, "png": png})

    def version(self, client_id: ClientId) -> str | None:
        """Return the name of the logo's content; None if the client has none."""
        return _VERSION.find(self._connection, str, {"one": client_id})

    def address(self, auth_url: str, client_id: ClientId) -> str | None:
        """Return the URL of the logo, which changes with it; None if the client has none."""
        version = self.version(client_id)
        return version and f"{auth_url}/oauth/logos/{client_id}?v={version}"

    def png(self, client_id: ClientId) -> bytes | None:
        """Return the picture, or None."""
        query = select(t.client_logos.c.png).where(t.client_logos.c.client_id == client_id)
        found: bytes | None = self._connection.execute(query).scalar_one_or_none()
        return found

    def remove(self, client_id: ClientId) -> bool:
        """Delete the logo; False if there is none."""
        change = delete(t.client_logos).where(t.client_logos.c.client_id == client_id)
        return self._changed(change) == 1
