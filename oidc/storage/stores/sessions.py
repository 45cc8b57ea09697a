"""Stores of what a login leaves: sessions, known browsers, sign-ins, consents, logouts.

Browser sessions are found by digest and last minutes. A known browser names neither browser nor
account. A sign-in says which phone signed its owner in, where and when. Logout notices wait in
an outbox.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import NewType

from sqlalchemy import func, insert, select

from oidc.plumbing.store import Store, rows, values_of
from oidc.storage import schema as t
from oidc.types import (
    AccountId,
    Claimant,
    ClientId,
    GrantId,
    Level,
    PairwiseSubject,
    SessionId,
    Sid,
)


@dataclass(frozen=True, slots=True)
class BrowserSession:
    """A browser in which a palm was shown a short time ago.

    Attributes:
        digest: SHA-256 of the cookie.
        session_id: shared by the session's grants.
        auth_time: when the palm was recognised.
        level: what was shown.
    """

    digest: bytes = field(repr=False)
    session_id: SessionId = field(repr=False)
    account: AccountId = field(repr=False)
    auth_time: datetime
    level: Level
    expires_at: datetime


class SessionStore(Store):
    """Stores browser sessions."""

    def add(self, session: BrowserSession) -> None:
        """Add a session."""
        self._add(t.browser_sessions, session)

    def find(self, digest: bytes) -> BrowserSession | None:
        """Return the session, possibly expired, or None."""
        return self._one(BrowserSession, rows(t.browser_sessions, digest=digest))

    def lock(self, digest: bytes) -> bool:
        """Lock a session against deletion until this transaction ends; False if it is gone."""
        return self._exists(rows(t.browser_sessions, digest=digest).with_for_update(read=True))

    def remove(self, session_id: SessionId) -> None:
        """Delete a session."""
        self._delete(t.browser_sessions, session_id=session_id)

    def remove_of(self, account: AccountId) -> None:
        """Delete all sessions of an account."""
        self._delete(t.browser_sessions, account=account)


class KnownBrowserStore(Store):
    """Stores digests over a browser cookie and an account."""

    def add(self, digest: bytes, expires_at: datetime) -> None:
        """Add or extend an entry."""
        self._put(t.known_browsers, {"digest": digest, "expires_at": expires_at})

    def is_known(self, digest: bytes, now: datetime) -> bool:
        """Return whether it is known now."""
        return self._has(t.known_browsers, t.known_browsers.c.expires_at > now, digest=digest)

    def remove(self, digest: bytes) -> None:
        """Delete an entry."""
        self._delete(t.known_browsers, digest=digest)


@dataclass(frozen=True, slots=True)
class SignInRecord:
    """One finished login by palm.

    Attributes:
        grant_id: what it gave, possibly deleted since.
        claimant: the phone.
        level: what was shown, even if the grant says less.
        at: the day, aware, UTC.
    """

    grant_id: GrantId
    client_id: ClientId
    subject: PairwiseSubject = field(repr=False)
    claimant: Claimant = field(repr=False)
    level: Level
    at: datetime


class SignInStore(Store):
    """Stores sign-ins."""

    def add(self, record: SignInRecord) -> None:
        """Add a sign-in."""
        self._add(t.sign_ins, record)

    def latest(self, subjects: Sequence[PairwiseSubject], count: int) -> list[SignInRecord]:
        """Return the latest sign-ins of these subjects, newest first.

        Within a day, only while their grants live.
        """
        its_grant = t.grants.c.grant_id == t.sign_ins.c.grant_id
        query = select(t.sign_ins).outerjoin(t.grants, its_grant)
        latest = t.grants.c.auth_time.desc().nulls_last()
        newest = query.order_by(t.sign_ins.c.at.desc(), latest, t.sign_ins.c.grant_id)
        of_subjects = newest.where(t.sign_ins.c.subject.in_(subjects))
        return self._all(SignInRecord, of_subjects.limit(count))

    def grants_of(
        self, subjects: Sequence[PairwiseSubject], claimant: Claimant
    ) -> list[GrantId]:
        """Return what a phone was granted for these subjects."""
        query = select(t.sign_ins.c.grant_id).where(
            t.sign_ins.c.subject.in_(subjects), t.sign_ins.c.claimant == claimant
        )
        return list(self._connection.execute(query).scalars())

    def hand_over(
        self, subjects: Sequence[PairwiseSubject], before: Claimant, after: Claimant
    ) -> None:
        """Count what one phone signed in for these subjects as another one's."""
        theirs = t.sign_ins.c.subject.in_(subjects)
        self._update(t.sign_ins, {"claimant": after}, theirs, claimant=before)

    def remove(self, subjects: Sequence[PairwiseSubject]) -> None:
        """Delete the sign-ins of these subjects."""
        self._delete(t.sign_ins, t.sign_ins.c.subject.in_(subjects))


@dataclass(frozen=True, slots=True)
class Consent:
    """A person's consent to a client.

    Attributes:
        subject: the person's pseudonym at that client.
        shown: SHA-256 of what the person saw of the client.
    """

    subject: PairwiseSubject
    client_id: ClientId
    scope: tuple[str, ...]
    shown: bytes = field(repr=False)
    given_at: datetime


class ConsentStore(Store):
    """Stores the latest consent of each person to each client."""

    def put(self, consent: Consent) -> None:
        """Add or replace a consent."""
        self._put(t.consents, values_of(consent, t.consents))

    def find(self, subject: PairwiseSubject, client_id: ClientId) -> Consent | None:
        """Return the consent, or None."""
        return self._one(Consent, rows(t.consents, subject=subject, client_id=client_id))

    def remove(self, subjects: Sequence[PairwiseSubject]) -> None:
        """Delete all consents of these subjects."""
        self._delete(t.consents, t.consents.c.subject.in_(subjects))


_NOTICE = t.logout_notices.c

NoticeId = NewType("NoticeId", str)
"""Identifies a notice."""


@dataclass(frozen=True, slots=True)
class LogoutNotice:
    """A logout that one client has yet to be notified of.

    Attributes:
        subject: the person's pseudonym at that client.
        sid: the session; None for all of them.
        attempts: how often it was claimed.
        due_at: when to send or retry.
    """

    notice_id: NoticeId
    client_id: ClientId
    subject: PairwiseSubject
    sid: Sid | None
    attempts: int
    due_at: datetime


class LogoutNoticeStore(Store):
    """Stores notices until they are delivered or given up."""

    def add(self, notices: Sequence[LogoutNotice]) -> None:
        """Add notices."""
        if notices:
            rows = [asdict(notice) for notice in notices]
            self._connection.execute(insert(t.logout_notices), rows)

    def claim(self, now: datetime, until: datetime, *, count: int) -> list[LogoutNotice]:
        """Return due notices, clients by turns, each one's oldest first, and postpone them.

        Atomic: concurrent calls never get the same notice. If the process dies, the notice is
        due again at ``until``. By turns, so that a slow client holds up no other one.
        """
        oldest = (_NOTICE.due_at, _NOTICE.notice_id)
        turn = func.row_number().over(partition_by=_NOTICE.client_id, order_by=oldest)
        waiting = select(_NOTICE.notice_id, turn.label("turn")).where(_NOTICE.due_at <= now)
        turns = waiting.subquery()
        query = (
            select(t.logout_notices)
            .join(turns, turns.c.notice_id == _NOTICE.notice_id)
            .where(_NOTICE.due_at <= now)
            .order_by(turns.c.turn, *oldest)
            .limit(count)
            # Skips notices locked by another process.
            .with_for_update(skip_locked=True, of=t.logout_notices)
        )
        due = self._all(LogoutNotice, query)
        if due:
            put_off = {"due_at": until, "attempts": _NOTICE.attempts + 1}
            these = _NOTICE.notice_id.in_([notice.notice_id for notice in due])
            self._update(t.logout_notices, put_off, these)
        return [replace(each, due_at=until, attempts=each.attempts + 1) for each in due]

    def count_due(self, now: datetime) -> int:
        """Return how many notices should have been delivered."""
        return self._count_rows(_NOTICE.due_at <= now)

    def count_failed(self) -> int:
        """Return how many notices were not taken, and will be tried again."""
        return self._count_rows(_NOTICE.attempts > 0)

    def postpone(self, notice: LogoutNotice, until: datetime) -> None:
        """Postpone a claimed notice."""
        self._update(t.logout_notices, {"due_at": until}, notice_id=notice.notice_id)

    def delay_client(self, client_id: ClientId, until: datetime) -> None:
        """Let all other clients come before the notices of this one."""
        is_earlier = (_NOTICE.client_id == client_id) & (_NOTICE.due_at < until)
        free = select(_NOTICE.notice_id).where(is_earlier).with_for_update(skip_locked=True)
        self._update(t.logout_notices, {"due_at": until}, _NOTICE.notice_id.in_(free))

    def remove(self, notice_id: NoticeId) -> None:
        """Delete a notice that was delivered or given up."""
        self._delete(t.logout_notices, notice_id=notice_id)
