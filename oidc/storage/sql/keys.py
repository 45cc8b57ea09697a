"""Signing keys in SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete, insert, select, update

from oidc.storage.keys import SigningKeyRecord
from oidc.storage.schema import signing_keys

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection


class SqlKeys:
    """Implements ``KeyStore``."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, record: SigningKeyRecord) -> None:
        """Add a key."""
        self._connection.execute(
            insert(signing_keys).values(
                kid=record.kid,
                algorithm=record.algorithm,
                public_jwk=record.public_jwk,
                sealed_private=record.sealed_private,
                created_at=record.created_at,
                signs_from=record.signs_from,
                retires_at=record.retires_at,
            )
        )

    def all(self) -> list[SigningKeyRecord]:
        """Return all keys, oldest first."""
        query = select(signing_keys).order_by(signing_keys.c.signs_from, signing_keys.c.kid)
        return [SigningKeyRecord(**row) for row in self._connection.execute(query).mappings()]

    def retire(self, kid: str, retires_at: datetime) -> None:
        """Set when the key leaves the JWKS."""
        change = update(signing_keys).where(signing_keys.c.kid == kid)
        self._connection.execute(change.values(retires_at=retires_at))

    def remove(self, kid: str) -> None:
        """Delete the key."""
        self._connection.execute(delete(signing_keys).where(signing_keys.c.kid == kid))
