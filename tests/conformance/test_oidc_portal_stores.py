"""The contract of the portal's stores, on SQLite and on PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from threading import Barrier

import pytest

from oidc.storage.database import Database
from oidc.storage.stores.clients.developers import Developer, DeveloperId
from oidc.storage.stores.clients.errors import ClientError
from oidc.storage.stores.clients.teams import ClientInvitation
from oidc.types import ClientId, PairwiseSubject
from tests.support.service.client_database import NOW, SHOP, database_of

LATER = NOW + timedelta(days=7)
DORA = Developer(DeveloperId("dora"), "dora@dev.example", "", NOW, LATER, b"invitation")
EMIL = Developer(DeveloperId("emil"), "emil@dev.example", "", NOW, LATER, b"other")
SUBJECT = PairwiseSubject("vu-1")
ERROR = ClientError(SHOP.client_id, NOW, "token", "invalid_grant", "the code is spent")


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """Give a migrated database with one client and two invited developers."""
    with database_of(database_url) as database:
        with database.write() as stores:
            stores.developers.add(DORA)
            stores.developers.add(EMIL)
        yield database


def test_an_invitation_is_spent_once(database: Database) -> None:
    """Whoever finds the link in a mailbox later is nobody."""
    with database.write() as stores:
        assert stores.developers.is_invited(b"invitation", NOW)
        assert stores.developers.join(b"invitation", SUBJECT, NOW)
        assert not stores.developers.join(b"invitation", PairwiseSubject("vu-2"), NOW)
        assert not stores.developers.is_invited(b"invitation", NOW)
        joined = stores.developers.of_subject(SUBJECT)

    assert joined == replace(DORA, invitation_digest=None, subject=SUBJECT, joined_at=NOW)


def test_an_invitation_ends(database: Database) -> None:
    """At its end, not after it."""
    with database.write() as stores:
        assert not stores.developers.is_invited(b"invitation", LATER)
        assert not stores.developers.join(b"invitation", SUBJECT, LATER)


def test_of_two_concurrent_joins_one_wins(database: Database) -> None:
    """A leaked link used at the same moment makes one developer, not two."""
    barrier = Barrier(2)

    def join(subject: str) -> bool:
        barrier.wait()
        with database.write() as stores:
            return stores.developers.join(b"invitation", PairwiseSubject(subject), NOW)

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(join, ("vu-1", "vu-2"))) == [False, True]


def test_of_two_concurrent_entries_by_one_link_one_wins(database: Database) -> None:
    """A stolen link opened at the same moment lets one browser in; the joining stays."""
    barrier = Barrier(2)

    def enter(_: int) -> Developer | None:
        barrier.wait()
        with database.write() as stores:
            return stores.developers.spend(b"invitation", NOW)

    with ThreadPoolExecutor(2) as pool:
        entered = [each for each in pool.map(enter, range(2)) if each]
    joined = replace(DORA, invitation_digest=None, joined_at=NOW)
    with database.write() as stores:
        stores.developers.replace_invitation(replace(joined, invitation_digest=b"next"))
        again = stores.developers.spend(b"next", NOW + timedelta(hours=1))

    assert entered == [joined]
    assert again == joined


def test_clients_belong_to_one_developer(database: Database) -> None:
    """A stranger's client looks exactly like none."""
    with database.write() as stores:
        stores.client_teams.set_owner(SHOP.client_id, DORA.developer_id)
        assert stores.owned_clients.of(DORA.developer_id) == [SHOP]
        assert stores.owned_clients.find(SHOP.client_id, DORA.developer_id) == SHOP
        assert stores.owned_clients.find(SHOP.client_id, EMIL.developer_id) is None
        assert stores.owned_clients.of(EMIL.developer_id) == []


def test_members_share_a_client_and_go_with_either(database: Database) -> None:
    """The new owner is no member any more; nothing is left of who was removed."""
    with database.write() as stores:
        teams = stores.client_teams
        teams.set_owner(SHOP.client_id, DORA.developer_id)
        teams.add_member(SHOP.client_id, EMIL.developer_id)
        shared = stores.owned_clients.of(EMIL.developer_id)
        owned = [stores.owned_clients.count(each.developer_id) for each in (DORA, EMIL)]
        members = teams.members(SHOP.client_id)
        teams.set_owner(SHOP.client_id, EMIL.developer_id)
        former = stores.owned_clients.find(SHOP.client_id, DORA.developer_id)
        stores.developers.remove(EMIL.developer_id)

        assert (shared, owned, members, former) == ([SHOP], [1, 0], [EMIL], None)
        assert (teams.owner(SHOP.client_id), teams.members(SHOP.client_id)) == (None, [])


def test_an_invitation_to_a_team_is_spent_once_and_ends(database: Database) -> None:
    """Of two at the same moment one gets it; a new owner begins without any."""
    barrier = Barrier(2)
    first = ClientInvitation(b"1", SHOP.client_id, DORA.developer_id, LATER)
    with database.write() as stores:
        for digest in (b"1", b"2", b"3"):
            stores.client_teams.invite(replace(first, digest=digest))

    def spend(_: int) -> ClientInvitation | None:
        barrier.wait()
        with database.write() as stores:
            return stores.client_teams.spend(b"1", NOW)

    with ThreadPoolExecutor(2) as pool:
        spent = [each for each in pool.map(spend, range(2)) if each]
    with database.write() as stores:
        late = stores.client_teams.spend(b"2", LATER)
        counted = stores.client_teams.count_open(SHOP.client_id, NOW)
        stores.client_teams.set_owner(SHOP.client_id, EMIL.developer_id)

        assert (spent, late, counted) == ([first], None, 2)
        assert stores.client_teams.spend(b"3", NOW) is None


def test_a_removed_developer_loses_sessions_and_leaves_clients(database: Database) -> None:
    """The apps of somebody who left go on working; the browser is signed out at once."""
    with database.write() as stores:
        stores.client_teams.set_owner(SHOP.client_id, DORA.developer_id)
        stores.portal_sessions.begin(b"session", DORA.developer_id, LATER)
        assert stores.developers.remove(DORA.developer_id)
        assert not stores.developers.remove(DORA.developer_id)
        assert stores.portal_sessions.find(b"session", NOW) is None
        assert stores.clients.find(SHOP.client_id) == SHOP
        assert stores.developers.all() == [EMIL]


def test_a_session_lasts_until_its_end(database: Database) -> None:
    """And is forgotten when it is over, or ended."""
    with database.write() as stores:
        stores.portal_sessions.begin(b"one", DORA.developer_id, LATER)
        stores.portal_sessions.begin(b"two", EMIL.developer_id, LATER)
        assert stores.portal_sessions.find(b"one", NOW) == DORA
        assert stores.portal_sessions.find(b"one", LATER) is None
        stores.portal_sessions.end(b"one")
        assert stores.portal_sessions.find(b"one", NOW) is None
        assert stores.portal_sessions.purge(LATER) == 1


def test_errors_are_bounded_newest_first(database: Database) -> None:
    """A client in a loop does not fill the disk."""
    with database.write() as stores:
        for number in range(5):
            assert stores.client_errors.add(replace(ERROR, description=str(number)), keep=3)
        found = stores.client_errors.of(SHOP.client_id)

    assert [each.description for each in found] == ["4", "3", "2"]
    assert found[0] == replace(ERROR, description="4")


def test_errors_of_nobody_are_not_kept(database: Database) -> None:
    """Anybody may send any client_id: that must neither fail nor be stored."""
    with database.write() as stores:
        assert not stores.client_errors.add(replace(ERROR, client_id=ClientId("x")), keep=3)


def test_errors_and_ownership_go_with_the_client(database: Database) -> None:
    """Nothing is left of a removed client."""
    with database.write() as stores:
        stores.client_teams.set_owner(SHOP.client_id, DORA.developer_id)
        stores.client_errors.add(ERROR, keep=3)
        stores.clients.remove(SHOP.client_id)
        assert stores.client_errors.of(SHOP.client_id) == []
        assert stores.owned_clients.of(DORA.developer_id) == []
