"""The key of the aliases that the provider knows accounts and phones by, encrypted."""

from __future__ import annotations

from sqlalchemy import select

from mobile_api.storage import schema as t
from oidc.plumbing.store import Store


class AliasKeyStore(Store):
    """One encrypted key, which stays the same as long as the database."""

    def ciphertext(self) -> bytes | None:
        """Return it; None if there is none yet."""
        return self._connection.execute(select(t.alias_key.c.sealed)).scalar_one_or_none()

    def replace(self, ciphertext: bytes) -> None:
        """Store it, in place of what it was before."""
        self._put(t.alias_key, {"only": 1, "sealed": ciphertext})
