"""Every table of the protocol database has a rule by which its rows go."""

from datetime import datetime, timedelta

import pytest
from sqlalchemy import (
    BigInteger,
    Boolean,
    ForeignKey,
    Integer,
    LargeBinary,
    Table,
    func,
    insert,
    select,
)

from oidc.storage.columns import Instant, Json, metadata
from oidc.storage.stores.developers import NOTICE_RETENTION
from oidc.storage.stores.logins import COUNT_RETENTION
from oidc.storage.stores.operation import BEGUN_KEPT, ENDED_RETENTION, ERROR_RETENTION, SILENCE
from tests.support.service.sign_in import SignIn

HOUR, DAY = timedelta(hours=1), timedelta(days=1)

pytestmark = pytest.mark.alone

BY_TIME: dict[str, tuple[dict[str, timedelta | str | None], timedelta]] = {
    # What a row says of its end, counted from now, and how much later it is gone.
    "logins": ({"expires_at": -DAY, "state": "declined"}, timedelta(0)),
    "grants": ({"expires_at": -HOUR}, timedelta(0)),
    "used_identifiers": ({"expires_at": -HOUR}, timedelta(0)),
    "pushed_requests": ({"expires_at": -timedelta(minutes=1)}, BEGUN_KEPT),
    "browser_sessions": ({"expires_at": -HOUR}, timedelta(0)),
    "known_browsers": ({"expires_at": -HOUR}, timedelta(0)),
    "portal_sessions": ({"expires_at": -HOUR}, timedelta(0)),
    "team_notices": ({"day": timedelta(0)}, NOTICE_RETENTION),
    "client_invitations": ({"ends_at": -HOUR}, timedelta(0)),
    "initial_access_tokens": ({"expires_at": -HOUR, "revoked_at": None}, ENDED_RETENTION),
    "developers": ({"invitation_ends_at": -HOUR, "joined_at": None}, ENDED_RETENTION),
    "client_errors": ({"happened_at": timedelta(0)}, ERROR_RETENTION + HOUR),
    "signing_keys": ({"retires_at": -HOUR}, timedelta(0)),
    "sign_ins": ({"at": timedelta(0)}, 91 * DAY),
    "login_days": ({"day": timedelta(0)}, COUNT_RETENTION + DAY),
    "login_tallies": ({"hour": -HOUR}, 2 * HOUR),
    "processes": ({"seen_at": timedelta(0)}, SILENCE + HOUR),
}
"""Rows that go because time passes."""

WITH_ANOTHER = {
    "codes": "grants",
    "refresh_tokens": "grants",
    "registrations": "clients",
    "client_logos": "clients",
    "developer_clients": "clients",
    "client_members": "clients",
    "consents": "clients",
    "logout_notices": "clients",
}
"""Rows that go with the row they belong to. Consents go with their pseudonym, too, and logout
notices when they are delivered or given up, three hours later at most."""

UNTIL_REMOVED = {
    "account_aliases": "by `thenar migrate --new-biometric-database`",
    "clients": "by `thenar client remove`, its developer or itself",
    "pseudonyms": "by the person, or with the account",
    "audit_entries": "after AUDIT_DAYS, but the newest of them",
}


def _value(column: object, at: datetime) -> object:
    kind = column.type  # type: ignore[attr-defined]
    if isinstance(kind, Instant):
        return at + 400 * DAY
    if isinstance(kind, Json):
        return []
    if isinstance(kind, Boolean):
        return False
    if isinstance(kind, Integer | BigInteger):
        return 1
    return b"x" if isinstance(kind, LargeBinary) else "x"


def _put(sign_in: SignIn, table: Table, ends: dict[str, timedelta | str | None]) -> None:
    """Write a row, with the rows it belongs to; its columns are what their types allow."""
    at = sign_in.clock()
    values = {each.name: _value(each, at) for each in table.c if not each.nullable}
    for name, end in ends.items():
        values[name] = at + end if isinstance(end, timedelta) else end
    values.pop("error_id", None)
    for constraint in table.foreign_keys:
        values[constraint.parent.name] = _owner(sign_in, constraint)
    with sign_in.database.engine.begin() as connection:
        connection.execute(insert(table).values(values))


def _owner(sign_in: SignIn, constraint: ForeignKey) -> object:
    owner = constraint.column.table
    if owner.name == "clients":
        return sign_in.shop.client.client_id
    if _count(sign_in, owner.name) == 0:
        ends: dict[str, timedelta | str | None] = {}
        if owner.name == "developers":
            ends["joined_at"] = timedelta(0)
        _put(sign_in, owner, ends)
    return "x"


def _count(sign_in: SignIn, name: str) -> int:
    table = metadata.tables[name]
    with sign_in.database.engine.connect() as connection:
        return int(connection.execute(select(func.count()).select_from(table)).scalar_one())


def test_every_table_has_a_rule() -> None:
    """The author of a table says here how its rows go."""
    assert {*BY_TIME, *WITH_ANOTHER, *UNTIL_REMOVED} == set(metadata.tables)


@pytest.mark.parametrize("name", sorted(BY_TIME))
def test_what_is_over_goes_and_what_is_not_stays(sign_in: SignIn, name: str) -> None:
    """One row that has just ended, and the time after which nothing is left of it."""
    ends, kept = BY_TIME[name]
    before = _count(sign_in, name)
    _put(sign_in, metadata.tables[name], ends)
    if kept:
        sign_in.sweep()
        sign_in.housekeeping.purge()
        assert _count(sign_in, name) == before + 1
        sign_in.clock.advance(kept.total_seconds())

    sign_in.sweep()
    sign_in.housekeeping.purge()

    assert _count(sign_in, name) == before


@pytest.mark.parametrize(("name", "owner"), sorted(WITH_ANOTHER.items()))
def test_what_belongs_to_another_row_goes_with_it(
    sign_in: SignIn, name: str, owner: str
) -> None:
    """The database itself sees to it."""
    (constraint, *_) = [
        each for each in metadata.tables[name].foreign_keys if each.column.table.name == owner
    ]
    assert constraint.ondelete == "CASCADE"
    _put(sign_in, metadata.tables[name], {})
    table = metadata.tables[owner]
    with sign_in.database.engine.begin() as connection:
        connection.execute(table.delete())

    assert _count(sign_in, name) == 0


def test_a_code_that_was_never_used_goes_with_its_grant(sign_in: SignIn) -> None:
    """At a sandbox client anybody gets codes without a palm."""
    sign_in.code()
    sign_in.tokens()
    sign_in.clock.advance(BEGUN_KEPT.total_seconds() + 600)

    sign_in.housekeeping.purge()

    assert _count(sign_in, "grants") == _count(sign_in, "codes") == 1


def test_a_replaced_secret_is_erased_when_its_time_is_over(sign_in: SignIn) -> None:
    """A digest that opens nothing is still a digest."""
    shop, clock = sign_in.shop.client, sign_in.clock
    table = metadata.tables["clients"]
    ends_at = clock() + HOUR
    with sign_in.database.engine.begin() as connection:
        former = {"former_secret_digest": b"d", "former_secret_ends_at": ends_at}
        connection.execute(table.update().values(former))
    sign_in.housekeeping.purge()
    with sign_in.database.read() as stores:
        kept = stores.clients.find(shop.client_id)
    clock.advance(3600)
    sign_in.housekeeping.purge()
    with sign_in.database.read() as stores:
        gone = stores.clients.find(shop.client_id)

    assert kept is not None
    assert kept.former_secret_digest == b"d"
    assert gone is not None
    assert (gone.former_secret_digest, gone.former_secret_ends_at) == (None, None)
