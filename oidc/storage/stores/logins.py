"""Stores of pushed authorization requests (RFC 9126), of pending logins and how they ended.

A login is one row; a transition is one conditional UPDATE. What is counted by day names no
person, hour or login.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date, datetime, timedelta
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    RowMapping,
    Select,
    and_,
    delete,
    func,
    insert,
    not_,
    or_,
    select,
    type_coerce,
    union_all,
)

from oidc.client import AuthorizationRequest, ConfirmCode, ResponseMode
from oidc.plumbing.columns import day_of
from oidc.plumbing.store import Store, known_of, record_of, rows, values_of
from oidc.storage import schema as t
from oidc.types import (
    OPEN_STATES,
    AccountId,
    BrowserDescription,
    Claimant,
    ClientId,
    GrantId,
    Level,
    LoginId,
    LoginState,
    Network,
    SectorIdentifier,
)


@dataclass(frozen=True, slots=True)
class PushedRequest:
    """A stored pushed request.

    Attributes:
        digest: SHA-256 of the ``request_uri`` reference.
    """

    digest: bytes = field(repr=False)
    client_id: ClientId
    parameters: dict[str, str] = field(repr=False)
    expires_at: datetime


class PushedRequestStore(Store):
    """Stores pushed requests."""

    def add(self, pushed: PushedRequest) -> None:
        """Add a request."""
        self._add(t.pushed_requests, pushed)

    def find(self, digest: bytes, client_id: ClientId, now: datetime) -> PushedRequest | None:
        """Return the request; None if unknown, spent, expired or another client's."""
        lives = t.pushed_requests.c.expires_at > now
        query = rows(t.pushed_requests, lives, digest=digest, client_id=client_id)
        return self._one(PushedRequest, query)

    def spend(self, digest: bytes) -> bool:
        """Delete the request, also an expired one; of concurrent calls one returns True."""
        return self._delete(t.pushed_requests, digest=digest) > 0


@dataclass(frozen=True, slots=True)
class Login:
    """One pending authorization request waiting for a palm.

    Attributes:
        browser_digest: SHA-256 of the browser's secret.
        ticket_anchor: end of the hash chain of its tickets; see ``tickets``.
        seq: incremented by each transition, so that concurrent ones cannot both succeed.
        attempts: palms that did not match.
        expires_at: deadline of the state, or when the login ended.
        claimant: the phone that claimed the ticket.
        expected_account: the only account that may answer (specification §4.6). Erased at the
            end.
        account: owner of the palm. Erased at the end.
        level: of the last palm that was recognised; not accepted, it signs no account in.
        opened_at: when its QR code was first shown.
        asked_at: when the browser sent the request; earlier if the code was renewed.
        network: whether phone and browser share a network.
        browser_mark: SHA-256 of the known-browser cookie, or None.
        station: SHA-256 of the browser's station cookie, or None. Unchecked.
        confirmation_code: what the browser must enter, or None. Erased at the end.
        code_attempts: wrong codes entered.
        grant_id: of a completed login, so that a report can revoke it.
    """

    login_id: LoginId
    browser_digest: bytes = field(repr=False)
    ticket_anchor: bytes = field(repr=False)
    request: AuthorizationRequest
    state: LoginState
    seq: int
    attempts: int
    expires_at: datetime
    opened_at: datetime
    asked_at: datetime
    claimant: Claimant | None = field(default=None, repr=False)
    expected_account: AccountId | None = field(default=None, repr=False)
    account: AccountId | None = field(default=None, repr=False)
    auth_time: datetime | None = None
    level: Level | None = None
    origin: BrowserDescription = field(default_factory=BrowserDescription)
    network: Network = Network.UNKNOWN
    browser_mark: bytes | None = field(default=None, repr=False)
    station: bytes | None = field(default=None, repr=False)
    confirmation_code: str | None = field(default=None, repr=False)
    code_attempts: int = 0
    grant_id: GrantId | None = None


@dataclass(frozen=True, slots=True, order=True)
class Ended:
    """All that is kept of a deleted login: its client, the hour it ended in, and how."""

    hour: datetime
    state: str
    client_id: str


_LOGIN = t.logins.c
_OPEN = sorted(OPEN_STATES)

_MOVING = (
    *("state", "seq", "attempts", "expires_at", "claimant", "expected_account", "account"),
    *("auth_time", "level", "network", "confirmation_code", "code_attempts", "grant_id"),
)
"""The columns that a transition may change."""


class LoginStore(Store):
    """Stores pending logins."""

    def add(self, login: Login) -> None:
        """Add a login."""
        self._connection.execute(insert(t.logins), _values(login))

    def find(self, login_id: LoginId) -> Login | None:
        """Return the login, possibly past its deadline, or None."""
        found = self.find_many([login_id])
        return found[0] if found else None

    def lock(self, login_id: LoginId) -> Login | None:
        """Return the login, locked against moves until this transaction ends, or None."""
        query = rows(t.logins, login_id=login_id).with_for_update(key_share=True)
        row = self._connection.execute(query).mappings().one_or_none()
        return None if row is None else _login(row)

    def find_many(self, login_ids: Sequence[LoginId]) -> list[Login]:
        """Return the logins that exist, in one query."""
        query = rows(t.logins, _LOGIN.login_id.in_(login_ids))
        return [_login(row) for row in self._connection.execute(query).mappings()]

    def sequence_numbers(self, login_ids: Sequence[LoginId]) -> dict[LoginId, int]:
        """Return ``seq`` of the logins that exist, in one query."""
        query = select(_LOGIN.login_id, _LOGIN.seq).where(_LOGIN.login_id.in_(login_ids))
        return {row.login_id: row.seq for row in self._connection.execute(query)}

    def move(self, before: Login, after: Login, now: datetime) -> bool:
        """Replace ``before`` by ``after``; False if it changed meanwhile or is too late.

        Atomic: one UPDATE conditioned on state, ``seq`` and deadline, so that one of several
        concurrent transitions succeeds. Where nothing changes, nothing is written.
        """
        return after == before or self._replace(before, after, _LOGIN.expires_at > now)

    def retire(self, before: Login, after: Login) -> bool:
        """Replace a login past its deadline; False if it changed meanwhile. Atomic."""
        return self._replace(before, after)

    def expire(self, now: datetime, asked_before: datetime) -> int:
        """End every login past its deadline and erase its accounts; return how many.

        Skips unscanned logins requested after ``asked_before``: their browser may renew them.
        """
        renewable = and_(_LOGIN.state == LoginState.PENDING, _LOGIN.asked_at > asked_before)
        late = _free_rows(_LOGIN.state.in_(_OPEN), _LOGIN.expires_at <= now, not_(renewable))
        return self._update(t.logins, ended(LoginState.EXPIRED), _LOGIN.login_id.in_(late))

    def count_open(self, now: datetime) -> int:
        """Return how many logins are open."""
        return self._count_rows(_LOGIN.state.in_(_OPEN), _LOGIN.expires_at > now)

    def purge(self, ended_before: datetime) -> Counter[Ended]:
        """Delete logins that ended before then; return how many ended when and how."""
        over = _free_rows(_LOGIN.state.not_in(_OPEN), _LOGIN.expires_at < ended_before)
        gone = delete(t.logins).where(_LOGIN.login_id.in_(over))
        columns = _LOGIN.expires_at, _LOGIN.state, _LOGIN.client_id
        found = self._connection.execute(gone.returning(*columns))
        return Counter(Ended(_hour_of(each), *which) for each, *which in found)

    def supersede_others(self, claimant: Claimant, newer: LoginId, now: datetime) -> int:
        """End the other unapproved logins of a phone; return how many.

        Skips logins that are locked by a concurrent transition.
        """
        older = _free_rows(
            _LOGIN.claimant == claimant,
            _LOGIN.login_id != newer,
            _LOGIN.state.in_((LoginState.SCANNED, LoginState.VERIFIED)),
            _LOGIN.expires_at > now,
        )
        superseded = ended(LoginState.SUPERSEDED) | {"expires_at": now}
        return self._update(t.logins, superseded, _LOGIN.login_id.in_(older))

    def cancel_for(
        self, account: AccountId, now: datetime, sector: SectorIdentifier | None = None
    ) -> int:
        """Cancel every open login for this account; return how many.

        Waits for concurrent transitions, in the order of ``login_id``.

        Args:
            account: its own logins and those that expect it.
            now: aware, UTC.
            sector: limits to clients of this sector.
        """
        concerned = or_(_LOGIN.account == account, _LOGIN.expected_account == account)
        if sector is None:
            return self._cancel(now, concerned)
        there = select(t.clients.c.client_id).where(t.clients.c.sector == sector)
        return self._cancel(now, concerned, _LOGIN.client_id.in_(there))

    def cancel_claimed(self, claimant: Claimant, now: datetime) -> int:
        """Cancel every open login of a phone; return how many. Waits as ``cancel_for``."""
        return self._cancel(now, _LOGIN.claimant == claimant)

    def delete_phones(self, claimants: Sequence[Claimant]) -> None:
        """Erase from ended logins which of these phones answered, and what it was given."""
        erased = dict.fromkeys(("claimant", "auth_time", "browser_mark", "grant_id"))
        theirs = _LOGIN.claimant.in_(claimants), _LOGIN.state.not_in(_OPEN)
        self._update(t.logins, erased, *theirs)

    def _cancel(self, now: datetime, *which: ColumnElement[bool]) -> int:
        # In one order, so that concurrent calls cannot deadlock.
        found = select(_LOGIN.login_id).where(_LOGIN.state.in_(_OPEN), *which)
        locked = found.order_by(_LOGIN.login_id).with_for_update()
        names = self._connection.execute(locked).scalars().all()
        if not names:
            return 0
        cancelled = ended(LoginState.CANCELLED) | {"expires_at": now}
        its = _LOGIN.login_id.in_(names), _LOGIN.state.in_(_OPEN)
        return self._update(t.logins, cancelled, *its)

    def _replace(self, before: Login, after: Login, *which: ColumnElement[bool]) -> bool:
        """Make a transition, conditioned on the state and ``seq`` before it."""
        new = {name: getattr(after, name) for name in _MOVING}
        its = {name: getattr(before, name) for name in ("login_id", "state", "seq")}
        return self._update(t.logins, new, *which, **its) == 1


def ended(state: LoginState) -> dict[str, Any]:
    """Return the columns of a login that ends: its accounts are erased."""
    return {
        "state": state,
        "seq": _LOGIN.seq + 1,
        "account": None,
        "expected_account": None,
        "confirmation_code": None,
    }


def _free_rows(*conditions: ColumnElement[bool]) -> Select[tuple[str]]:
    """Select unlocked rows, so that two sweeps cannot block each other."""
    query = select(_LOGIN.login_id).where(*conditions).order_by(_LOGIN.login_id)
    return query.with_for_update(skip_locked=True)


def _hour_of(moment: datetime) -> datetime:
    return moment.replace(minute=0, second=0, microsecond=0)


def _values(login: Login) -> dict[str, Any]:
    request, origin = asdict(login.request), asdict(login.origin)
    own = {"client_id": login.request.client_id, "request": request, "origin": origin}
    return values_of(login, t.logins) | own


def _login(row: RowMapping) -> Login:
    request = _request(row["request"])
    origin = BrowserDescription(**known_of(BrowserDescription, row["origin"]))
    return record_of(Login, {**row, "request": request, "origin": origin})


def _request(stored: dict[str, Any]) -> AuthorizationRequest:
    """Read a request, possibly stored by another version."""
    read = {
        "scope": tuple(stored["scope"]),
        "accepts": tuple(map(Level, stored["accepts"])),
        "response_mode": ResponseMode(stored.get("response_mode", ResponseMode.QUERY)),
        "confirm_code": ConfirmCode(stored.get("confirm_code", ConfirmCode.NEVER)),
    }
    return AuthorizationRequest(**known_of(AuthorizationRequest, stored) | read)


COUNT_RETENTION: Final = timedelta(days=28)
"""Of the counts of a day."""

_DAY_US: Final = 86_400_000_000
_FIRST_DAY: Final = date(1970, 1, 1)


class LoginDayStore(Store):
    """Counts logins when they are deleted; the latest ones are still rows of their own."""

    def add(self, ended: Mapping[Ended, int]) -> None:
        """Count ended logins."""
        counts = Counter[tuple[Any, ...]]()
        for each, count in ended.items():
            counts[each.client_id, day_of(each.hour), each.state] += count
        self._add_counts(t.login_days, counts)

    def of(self, client_id: ClientId, since: datetime) -> Counter[tuple[date, LoginState]]:
        """Return how many logins of a client ended on each day (UTC), and how."""
        kept, present = t.login_days.c, t.logins.c
        ended_on, end = _number(kept.day), present.state.not_in(sorted(OPEN_STATES))
        counted = select(ended_on.label("day"), kept.state, kept.count).where(
            kept.client_id == client_id, kept.day >= since
        )
        ends_on = _number(present.expires_at)
        rows = select(ends_on, present.state, func.count()).where(
            present.client_id == client_id, present.expires_at >= since, end
        )
        found = union_all(counted, rows.group_by(ends_on, present.state))
        days = Counter[tuple[date, LoginState]]()
        for day, state, count in self._connection.execute(found):
            days[_FIRST_DAY + timedelta(days=day), LoginState(state)] += count
        return days


def _number(column: Any) -> Any:  # noqa: ANN401 - an expression of SQLAlchemy
    """Return the number of a time's day."""
    return type_coerce(column, BigInteger) // _DAY_US
