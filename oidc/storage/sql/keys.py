"""Signing keys in SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import insert, select

from oidc.storage.keys import SigningKeyRecord
from oidc.storage.tables import signing_keys

if TYPE_CHECKING:
    from sqlalchemy import Connection


class SqlKeys:
    """Implements ``KeyStore``."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, record: SigningKeyRecord) -> None:
        """Keep a new key."""
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
        """Return every key, the oldest first."""
        query = select(signing_keys).order_by(signing_keys.c.signs_from, signing_keys.c.kid)
        return [SigningKeyRecord(**row) for row in self._connection.execute(query).mappings()]
