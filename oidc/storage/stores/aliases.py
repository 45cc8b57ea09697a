"""Says whose aliases of accounts and phones this database holds."""

from __future__ import annotations

from sqlalchemy import delete, insert, select

from oidc.plumbing.store import Store
from oidc.storage import schema as t
from oidc.types import AccountId


class AliasStore(Store):
    """Stores the proof of the keys that made the aliases."""

    def proof(self) -> AccountId | None:
        """Return the proof; None: there are no aliases."""
        return self._connection.execute(select(t.account_aliases.c.proof)).scalar_one_or_none()

    def set_proof(self, proof: AccountId) -> None:
        """Note whose aliases will be made; there must be none."""
        self._connection.execute(insert(t.account_aliases).values(only=1, proof=proof))

    def delete_proof(self) -> None:
        """Delete the proof: the other database is lost."""
        self._connection.execute(delete(t.account_aliases))
