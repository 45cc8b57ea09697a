"""Stores of the service itself: audit log, signing keys, processes, retention, backups.

The audit log is a hash chain of events about clients, keys, developers and grants. No entry
names a person: no account, subject, login or address. Private halves of keys are encrypted. An
upgrade has to know the oldest process. Single-use identifiers are kept until they expire.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Delete,
    Table,
    Update,
    delete,
    func,
    select,
    update,
)

from oidc.plumbing.audit_chain import AuditChain
from oidc.plumbing.store import Store, rows, values_of
from oidc.storage import schema as t
from oidc.storage.stores.developers import NOTICE_RETENTION
from oidc.storage.stores.logins import COUNT_RETENTION, Ended, ended
from oidc.types import CLOCKS_APART, OPEN_STATES, AuditEvent, LoginState, Process


class Actor(StrEnum):
    """Who acts, where an operator's command could do the same."""

    CLIENT = "client"
    DEVELOPER = "developer"


_EXACT: Final = frozenset(AuditEvent) - {
    AuditEvent.PSEUDONYM_WITHDRAWN,
    AuditEvent.ACCOUNT_FORGOTTEN,
    AuditEvent.LOGIN_REPORTED,
    AuditEvent.SIGN_INS_ENDED,
}
"""Events caused by operators, developers and clients."""

_LOCK: Final = 0x7468_656E_6175
"""Arbitrary number of the advisory lock for appending on PostgreSQL."""


class AuditStore(AuditChain):
    """Appends to and reads the audit log."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection, t.audit_entries, _LOCK, _EXACT)
        self._recorded: list[tuple[AuditEvent, datetime, dict[str, int | str]]] = []
        self._actor: dict[str, int | str] = {}

    def set_actor(self, actor: Actor, actor_id: str | None = None) -> None:
        """Set who causes the entries recorded next; the default is an operator."""
        self._actor = {"by": actor.value}
        if actor_id is not None:
            self._actor["by_id"] = actor_id

    @property
    def actor(self) -> Mapping[str, int | str]:
        """Who causes the entries; empty for an operator."""
        return self._actor

    def record(self, event: AuditEvent, at: datetime, **details: int | str) -> None:
        """Append an entry at the end of this transaction.

        Atomic: concurrent transactions build one chain.
        """
        self._recorded.append((event, at, self._actor | details))

    def append_recorded(self) -> None:
        """Write the recorded entries. Last in a transaction, because it takes a lock."""
        for event, at, details in self._recorded:
            self.append(event, at, details)
        self._recorded.clear()

    def tally(self, ended: Mapping[Ended, int]) -> None:
        """Count ended logins by hour and state."""
        counts = Counter[tuple[object, ...]]()
        for each, count in ended.items():
            counts[each.hour, each.state] += count
        self._add_counts(t.login_tallies, counts)

    def pop_tallies(self, before: datetime) -> dict[datetime, dict[str, int]]:
        """Return and delete the counts of hours before then, by hour and state.

        Atomic: of two concurrent calls, one gets an hour.
        """
        over = delete(t.login_tallies).where(t.login_tallies.c.hour < before)
        taken: dict[datetime, dict[str, int]] = {}
        for row in self._connection.execute(over.returning(t.login_tallies)).mappings():
            taken.setdefault(row["hour"], {})[row["state"]] = row["count"]
        return taken


@dataclass(frozen=True, slots=True)
class SigningKeyRecord:
    """A stored signing key.

    Attributes:
        algorithm: JWS algorithm, for example ``RS256``.
        public_jwk: JSON (RFC 7517).
        sealed_private: private key, encrypted with the key encryption key.
        signs_from: published before, so that caches know it.
        retires_at: when it leaves the JWKS; None while in use.
    """

    kid: str
    algorithm: str
    public_jwk: str
    sealed_private: bytes = field(repr=False)
    created_at: datetime
    signs_from: datetime
    retires_at: datetime | None = None


class KeyStore(Store):
    """Stores signing keys."""

    def add(self, record: SigningKeyRecord) -> None:
        """Add a key."""
        self._add(t.signing_keys, record)

    def all(self) -> list[SigningKeyRecord]:
        """Return all keys, oldest first."""
        keys = t.signing_keys.c
        query = select(t.signing_keys).order_by(keys.signs_from, keys.kid)
        return self._all(SigningKeyRecord, query)

    def retire(self, kid: str, retires_at: datetime) -> None:
        """Set when the key leaves the JWKS."""
        self._update(t.signing_keys, {"retires_at": retires_at}, kid=kid)

    def remove(self, kid: str) -> None:
        """Delete the key."""
        self._delete(t.signing_keys, kid=kid)


SILENCE: Final = timedelta(minutes=2)
"""After which a process has ended without a word."""


class ProcessStore(Store):
    """Processes tell that they run, again and again."""

    def put(self, process: Process) -> None:
        """Add a process, or renew its row."""
        self._put(t.processes, values_of(process, t.processes))

    def delete(self, process: Process) -> None:
        """Delete a process that ends."""
        names = [each.name for each in t.processes.primary_key]
        self._delete(t.processes, **{name: getattr(process, name) for name in names})

    def seen_at(self, host: str, pid: int) -> datetime | None:
        """Return when a process was last heard of."""
        return self._value(t.processes.c.seen_at, host=host, pid=pid)

    def running(self, now: datetime) -> list[Process]:
        """Return those that were heard of lately."""
        query = rows(t.processes, t.processes.c.seen_at >= now - SILENCE)
        return self._all(Process, query.order_by(t.processes.c.program, t.processes.c.host))


class ReplayStore(Store):
    """Stores digests of the ``jti`` of assertions and proofs."""

    def use(self, digest: bytes, expires_at: datetime) -> bool:
        """Use the identifier; False if it was used before.

        Atomic: of two concurrent calls, exactly one gets True.
        """
        return self._insert_if_absent(t.used_identifiers, digest=digest, expires_at=expires_at)


ENDED_RETENTION: Final = timedelta(days=30)
"""Of unused invitations and initial access tokens, after their end."""

ERROR_RETENTION: Final = timedelta(days=90)
"""Of client errors, unless newer ones replace them."""


BEGUN_KEPT: Final = timedelta(hours=1)
"""Of pushed requests after their end, for the sign-ins that they began: they spend them.

Of codes that were never exchanged, too, and their grants.
"""

_EXPIRING: Final = (t.grants, t.browser_sessions, t.portal_sessions, t.known_browsers)
"""Tables whose rows end at ``expires_at``. A grant takes its codes and tokens along."""


class RetentionStore(Store):
    """Deletes what is over, but for logins and audit entries."""

    def sweep(self, now: datetime) -> None:
        """Delete what has expired; rows that are locked just now wait for the next sweep."""
        over = [(table, table.c.expires_at <= now) for table in _EXPIRING]
        over += [
            # A host whose clock is behind may still accept what was used.
            (t.used_identifiers, t.used_identifiers.c.expires_at <= now - 2 * CLOCKS_APART),
            (t.pushed_requests, t.pushed_requests.c.expires_at < now - BEGUN_KEPT),
            (t.client_invitations, t.client_invitations.c.ends_at <= now),
            (t.team_notices, t.team_notices.c.day <= now - NOTICE_RETENTION),
        ]
        for table, is_over in over:
            self._purge(table, is_over)
        # Only the reference is still needed, to be spent.
        pushed = t.pushed_requests.c
        is_over = (pushed.expires_at < now) & (pushed.parameters != {})
        free = select(pushed.digest).where(is_over).with_for_update(skip_locked=True)
        self._update(t.pushed_requests, {"parameters": {}}, pushed.digest.in_(free))

    def purge(self, now: datetime, sign_ins_before: datetime) -> None:
        """Delete rows past retention, retired keys and replaced secrets."""
        self._purge(t.sign_ins, t.sign_ins.c.at < sign_ins_before)
        codes = t.codes.c
        never_used = codes.spent_at.is_(None) & (codes.expires_at < now - BEGUN_KEPT)
        unused = select(codes.grant_id).where(never_used)
        self._purge(t.grants, t.grants.c.grant_id.in_(unused))
        for table, is_over in _over(now):
            self._delete(table, is_over)
        cleared = {"former_secret_digest": None, "former_secret_ends_at": None}
        self._update(t.clients, cleared, t.clients.c.former_secret_ends_at <= now)


def _over(now: datetime) -> tuple[tuple[Table, ColumnElement[bool]], ...]:
    ended_before, tokens = now - ENDED_RETENTION, t.initial_access_tokens.c
    token_ended_at = func.coalesce(tokens.revoked_at, tokens.expires_at)
    is_unused = t.developers.c.joined_at.is_(None)
    return (
        (t.initial_access_tokens, token_ended_at < ended_before),
        (t.developers, is_unused & (t.developers.c.invitation_ends_at < ended_before)),
        (t.client_errors, t.client_errors.c.happened_at < now - ERROR_RETENTION),
        (t.login_days, t.login_days.c.day < now - COUNT_RETENTION),
        (t.processes, t.processes.c.seen_at < now - SILENCE),
        (t.signing_keys, t.signing_keys.c.retires_at <= now),
    )


@dataclass(frozen=True, slots=True)
class EndedCounts:
    """How many of each were valid.

    Attributes:
        sessions: of browsers and of the portal.
        invitations: open invitations of developers, and initial access tokens.
    """

    grants: int
    sessions: int
    logins: int
    invitations: int


class RestoreStore(Store):
    """Ends everything that may have ended after the backup."""

    def end_all(self, now: datetime) -> EndedCounts:
        """End all grants, sessions, open logins, invitations and initial access tokens.

        Clients, signing keys, pseudonyms and consents stay.
        """
        living = update(t.grants).where(t.grants.c.revoked_at.is_(None))
        counts = EndedCounts(
            grants=self._count(living.values(revoked_at=now)),
            sessions=self._count(delete(t.browser_sessions), delete(t.portal_sessions)),
            logins=self._count(_cancelled(now)),
            invitations=self._count(*_spent(now), delete(t.client_invitations)),
        )
        self._count(delete(t.known_browsers), delete(t.pushed_requests))
        return counts

    def _count(self, *changes: Delete | Update) -> int:
        return sum(map(self._changed, changes))


def _cancelled(now: datetime) -> Update:
    living = update(t.logins).where(t.logins.c.state.in_(sorted(OPEN_STATES)))
    return living.values(**ended(LoginState.CANCELLED), expires_at=now)


def _spent(now: datetime) -> tuple[Update, Update]:
    """Return the UPDATEs that end open invitations and initial access tokens."""
    open_ones = t.developers.c.invitation_digest.is_not(None) & (
        t.developers.c.invitation_ends_at > now
    )
    good = t.initial_access_tokens.c.revoked_at.is_(None)
    return (
        update(t.developers).where(open_ones).values(invitation_ends_at=now),
        update(t.initial_access_tokens).where(good).values(revoked_at=now),
    )
