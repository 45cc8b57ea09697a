"""Store of grants. Codes and tokens are valid as long as their grant."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import Select, Table, bindparam, insert, select, update

from oidc.plumbing.store import Prepared, Store, columns_of, rows, values_of
from oidc.storage import schema as t
from oidc.types import ClientId, Grant, GrantId, PairwiseSubject, SessionId, Sid

_IN_USE: Final = timedelta(seconds=10)
"""How long a request may use a grant that it found."""


@dataclass(frozen=True, slots=True)
class Code:
    """A stored authorization code.

    Attributes:
        digest: SHA-256 of the code.
        redirect_uri: must be repeated at the token endpoint.
        code_challenge: PKCE S256, or None.
        dpop_jkt: thumbprint of the required DPoP key (RFC 9449 §10), or None.
    """

    digest: bytes = field(repr=False)
    grant_id: GrantId
    client_id: ClientId
    redirect_uri: str
    code_challenge: str | None = field(repr=False)
    expires_at: datetime
    spent: bool = False
    dpop_jkt: str | None = None


@dataclass(frozen=True, slots=True)
class RefreshToken:
    """A stored refresh token. All tokens of one grant are one family.

    Attributes:
        digest: SHA-256 of the token.
        family_ends_at: the same for the whole family.
        spent: whether it was exchanged for its successor.
        sealed_successor: encrypted with this token; deleted after the grace period.
        sealed_until: end of the grace period.
        dpop_jkt: thumbprint of the required DPoP key (RFC 9449 §5), or None.
    """

    digest: bytes = field(repr=False)
    grant_id: GrantId
    client_id: ClientId
    expires_at: datetime
    family_ends_at: datetime
    spent: bool = False
    sealed_successor: bytes | None = field(default=None, repr=False)
    sealed_until: datetime | None = None
    dpop_jkt: str | None = None


@dataclass(frozen=True, slots=True)
class EncryptedSuccessor:
    """A successor that only its predecessor can decrypt.

    Attributes:
        encrypted: nonce and ciphertext.
        until: end of the grace period; aware, UTC.
    """

    encrypted: bytes = field(repr=False)
    until: datetime


_FIND_GRANT = Prepared(
    select(*columns_of(Grant, t.grants)).where(
        t.grants.c.grant_id == bindparam("one"), t.grants.c.revoked_at.is_(None)
    )
)


def _by_digest(kind: type, table: Table) -> Select[Any]:
    """Return the SELECT of a code or token, and whether it is spent."""
    columns = columns_of(kind, table, spent=table.c.spent_at.is_not(None))
    return select(*columns).where(table.c.digest == bindparam("one"))


_LOCK_CODE = Prepared(_by_digest(Code, t.codes).with_for_update(key_share=True))
_FIND_TOKEN = Prepared(_by_digest(RefreshToken, t.refresh_tokens))
_LOCK_TOKEN = Prepared(
    _by_digest(RefreshToken, t.refresh_tokens).with_for_update(key_share=True)
)
_ADD_TOKEN = Prepared(
    insert(t.refresh_tokens),
    [each.name for each in t.refresh_tokens.c if each.name != "spent_at"],
)
_SPEND_CODE = Prepared(
    update(t.codes)
    .where(t.codes.c.digest == bindparam("one"))
    .values(spent_at=bindparam("now"))
)
_SPEND_TOKEN = Prepared(
    update(t.refresh_tokens)
    .where(t.refresh_tokens.c.digest == bindparam("one"))
    .values(
        spent_at=bindparam("now"),
        sealed_successor=bindparam("encrypted"),
        sealed_until=bindparam("until"),
    )
)


class GrantStore(Store):
    """Stores grants and their revocation."""

    def add(self, grant: Grant, expires_at: datetime) -> None:
        """Add a grant, to be deleted after ``expires_at``."""
        self._add(t.grants, grant, expires_at=expires_at)

    def find(self, grant_id: GrantId) -> Grant | None:
        """Return the grant; None if unknown or revoked."""
        return _FIND_GRANT.find(self._connection, Grant, {"one": grant_id})

    def find_any(self, grant_id: GrantId) -> Grant | None:
        """Return the grant, revoked or not; None if unknown."""
        return self._one(Grant, rows(t.grants, grant_id=grant_id))

    def revoke(self, grant_id: GrantId, now: datetime) -> None:
        """Revoke the grant and with it all its codes and tokens."""
        its = {"grant_id": grant_id, "revoked_at": None}
        self._update(t.grants, {"revoked_at": now}, **its)

    def end_subjects(self, subjects: Sequence[PairwiseSubject], now: datetime) -> list[Grant]:
        """Revoke all grants of deleted pseudonyms; return those that were valid.

        A sweep deletes them, once no request can be using them any more.
        """
        its = update(t.grants).where(t.grants.c.subject.in_(subjects))
        valid = its.where(t.grants.c.revoked_at.is_(None)).values(revoked_at=now)
        ended = self._all(Grant, valid.returning(t.grants))
        self._changed(its.values(expires_at=now + _IN_USE))
        return ended

    def of_session(self, session_id: SessionId) -> list[Grant]:
        """Return all grants of a session, including revoked ones, by ``grant_id``."""
        query = rows(t.grants, session_id=session_id).order_by(t.grants.c.grant_id)
        return self._all(Grant, query)

    def session_of(self, client_id: ClientId, sid: Sid) -> SessionId | None:
        """Return the session that this client knows as ``sid``, or None."""
        query = select(t.grants.c.session_id).where(
            t.grants.c.sid == sid, t.grants.c.client_id == client_id
        )
        found = self._connection.execute(query.limit(1)).scalar_one_or_none()
        return None if found is None else SessionId(found)


class CodeStore(Store):
    """Stores authorization codes."""

    def add(self, code: Code) -> bool:
        """Add a code; False if it was issued before, by another tab."""
        return self._insert_if_absent(t.codes, **values_of(code, t.codes))

    def lock(self, digest: bytes) -> Code | None:
        """Return the code, even if spent or expired; None if unknown.

        Of two transactions that lock one code, the second waits for the first.
        """
        return _LOCK_CODE.find(self._connection, Code, {"one": digest})

    def spend(self, digest: bytes, now: datetime) -> None:
        """Mark a locked code spent."""
        _SPEND_CODE.change(self._connection, {"one": digest, "now": now})


class TokenStore(Store):
    """Stores refresh tokens."""

    def add(self, token: RefreshToken) -> None:
        """Add a token."""
        _ADD_TOKEN.change(self._connection, values_of(token, t.refresh_tokens))

    def find(self, digest: bytes) -> RefreshToken | None:
        """Return the token, even if spent or expired; None if unknown."""
        return _FIND_TOKEN.find(self._connection, RefreshToken, {"one": digest})

    def lock(self, digest: bytes) -> RefreshToken | None:
        """Return what ``find`` does.

        Of two transactions that lock one token, the second waits for the first.
        """
        return _LOCK_TOKEN.find(self._connection, RefreshToken, {"one": digest})

    def spend(self, digest: bytes, now: datetime, successor: EncryptedSuccessor) -> None:
        """Mark a locked token spent; keep its successor."""
        values = {"encrypted": successor.encrypted, "until": successor.until}
        _SPEND_TOKEN.change(self._connection, {"one": digest, "now": now, **values})

    def erase_successors(self, now: datetime) -> int:
        """Erase encrypted successors past their grace period; return how many."""
        over = select(t.refresh_tokens.c.digest).where(t.refresh_tokens.c.sealed_until <= now)
        free = over.with_for_update(skip_locked=True)
        change = update(t.refresh_tokens).where(t.refresh_tokens.c.digest.in_(free))
        erased = change.values(sealed_successor=None, sealed_until=None)
        return self._changed(erased)
