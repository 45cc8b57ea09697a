"""Grants, and the codes and refresh tokens that are worth them, in SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete, insert, select, update

from oidc.storage.codes import Code
from oidc.storage.tables import codes, grants, refresh_tokens
from oidc.storage.tokens import RefreshToken
from oidc.types import Grant

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy import Connection, RowMapping, Table

    from oidc.types import GrantId, PairwiseSubject


class SqlGrants:
    """Implements ``GrantStore``."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, grant: Grant, expires_at: datetime) -> None:
        """Keep a new grant, at least until then."""
        self._connection.execute(
            insert(grants).values(
                grant_id=grant.grant_id,
                client_id=grant.client_id,
                subject=grant.subject,
                scope=grant.scope,
                nonce=grant.nonce,
                auth_time=grant.auth_time,
                amr=grant.amr,
                expires_at=expires_at,
            )
        )

    def find(self, grant_id: GrantId) -> Grant | None:
        """Return the grant; None if it is unknown or revoked."""
        query = select(grants).where(
            grants.c.grant_id == grant_id, grants.c.revoked_at.is_(None)
        )
        row = self._connection.execute(query).mappings().one_or_none()
        return None if row is None else _grant(row)

    def revoke(self, grant_id: GrantId, now: datetime) -> None:
        """Kill the grant and with it every code and token made from it."""
        change = update(grants).where(
            grants.c.grant_id == grant_id, grants.c.revoked_at.is_(None)
        )
        self._connection.execute(change.values(revoked_at=now))

    def revoke_subjects(self, subjects: Sequence[PairwiseSubject], now: datetime) -> None:
        """Kill every grant for these subjects."""
        change = update(grants).where(
            grants.c.subject.in_(subjects), grants.c.revoked_at.is_(None)
        )
        self._connection.execute(change.values(revoked_at=now))

    def purge(self, expired_before: datetime) -> int:
        """Delete grants, with their codes and tokens, that ended before then."""
        over = select(grants.c.grant_id).where(grants.c.expires_at < expired_before)
        # Rows that another sweep holds are left to it.
        free = over.with_for_update(skip_locked=True)
        return self._connection.execute(
            delete(grants).where(grants.c.grant_id.in_(free))
        ).rowcount


class SqlCodes:
    """Implements ``CodeStore``."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, code: Code) -> None:
        """Keep a new code."""
        self._connection.execute(
            insert(codes).values(
                digest=code.digest,
                grant_id=code.grant_id,
                client_id=code.client_id,
                redirect_uri=code.redirect_uri,
                code_challenge=code.code_challenge,
                expires_at=code.expires_at,
            )
        )

    def find(self, digest: bytes) -> Code | None:
        """Return the code, spent or not, expired or not."""
        query = select(codes).where(codes.c.digest == digest)
        row = self._connection.execute(query).mappings().one_or_none()
        return None if row is None else _code(row)

    def spend(self, digest: bytes, now: datetime) -> bool:
        """Mark the code spent; False if it is unknown, expired or spent already."""
        return _spend(self._connection, codes, digest, now)


class SqlTokens:
    """Implements ``TokenStore``."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, token: RefreshToken) -> None:
        """Keep a new refresh token."""
        self._connection.execute(
            insert(refresh_tokens).values(
                digest=token.digest,
                grant_id=token.grant_id,
                client_id=token.client_id,
                expires_at=token.expires_at,
                family_ends_at=token.family_ends_at,
            )
        )

    def find(self, digest: bytes) -> RefreshToken | None:
        """Return the token, spent or not, expired or not."""
        query = select(refresh_tokens).where(refresh_tokens.c.digest == digest)
        row = self._connection.execute(query).mappings().one_or_none()
        return None if row is None else _refresh_token(row)

    def spend(self, digest: bytes, now: datetime) -> bool:
        """Mark the token spent; False if it is unknown, expired or spent already."""
        return _spend(self._connection, refresh_tokens, digest, now)

    def seal(self, digest: bytes, sealed_successor: bytes, until: datetime) -> None:
        """Keep a token's successor, sealed, until then."""
        change = update(refresh_tokens).where(refresh_tokens.c.digest == digest)
        sealed = change.values(sealed_successor=sealed_successor, sealed_until=until)
        self._connection.execute(sealed)

    def unseal(self, now: datetime) -> int:
        """Erase the sealed successors whose time is over."""
        over = select(refresh_tokens.c.digest).where(refresh_tokens.c.sealed_until <= now)
        free = over.with_for_update(skip_locked=True)
        change = update(refresh_tokens).where(refresh_tokens.c.digest.in_(free))
        erased = change.values(sealed_successor=None, sealed_until=None)
        return self._connection.execute(erased).rowcount


def _spend(connection: Connection, table: Table, digest: bytes, now: datetime) -> bool:
    """Spend one row: a single UPDATE, so that of two concurrent calls one changes it."""
    change = update(table).where(
        table.c.digest == digest, table.c.spent_at.is_(None), table.c.expires_at > now
    )
    return connection.execute(change.values(spent_at=now)).rowcount == 1


def _grant(row: RowMapping) -> Grant:
    return Grant(
        grant_id=row["grant_id"],
        client_id=row["client_id"],
        subject=row["subject"],
        scope=tuple(row["scope"]),
        nonce=row["nonce"],
        auth_time=row["auth_time"],
        amr=tuple(row["amr"]),
    )


def _code(row: RowMapping) -> Code:
    return Code(
        digest=row["digest"],
        grant_id=row["grant_id"],
        client_id=row["client_id"],
        redirect_uri=row["redirect_uri"],
        code_challenge=row["code_challenge"],
        expires_at=row["expires_at"],
        spent=row["spent_at"] is not None,
    )


def _refresh_token(row: RowMapping) -> RefreshToken:
    return RefreshToken(
        digest=row["digest"],
        grant_id=row["grant_id"],
        client_id=row["client_id"],
        expires_at=row["expires_at"],
        family_ends_at=row["family_ends_at"],
        spent=row["spent_at"] is not None,
        sealed_successor=row["sealed_successor"],
        sealed_until=row["sealed_until"],
    )
