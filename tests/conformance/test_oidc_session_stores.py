"""The contract of sessions, consents and logout notices, on SQLite and on PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from threading import Barrier
from uuid import uuid4

import pytest

from oidc.storage.database import Database
from oidc.storage.stores.consents import Consent
from oidc.storage.stores.logins.logouts import LogoutNotice, NoticeId
from oidc.storage.stores.logins.sessions import BrowserSession
from oidc.types import (
    AccountId,
    ClientId,
    Grant,
    GrantId,
    PairwiseSubject,
    SessionId,
    Sid,
)
from tests.support.service import client_database
from tests.support.service.client_database import NOW, database_of

LATER = NOW + timedelta(seconds=60)
ANNA, BERT = AccountId(uuid4()), AccountId(uuid4())
SHOP = replace(
    client_database.SHOP,
    post_logout_redirect_uris=("https://a.example/bye",),
    backchannel_logout_uri="https://a.example/logout",
    backchannel_logout_session_required=True,
)
SESSION = BrowserSession(b"one", SessionId("s"), ANNA, NOW, ("user", "mfa"), LATER)
CONSENT = Consent(PairwiseSubject("vu-1"), SHOP.client_id, ("openid",), b"shown", NOW)
NOTICE = LogoutNotice(
    NoticeId("n"), SHOP.client_id, PairwiseSubject("vu-1"), Sid("sid"), 0, NOW
)


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """Give a migrated database that knows one client."""
    with database_of(database_url, SHOP) as database:
        yield database


def test_a_client_keeps_where_it_is_told_of_logouts(database: Database) -> None:
    """What was registered comes back unchanged."""
    with database.read() as stores:
        assert stores.clients.find(SHOP.client_id) == SHOP


class TestSessions:
    """Sessions of browsers."""

    def test_comes_back_as_it_was_kept(self, database: Database) -> None:
        """Times to the microsecond, methods in their order."""
        with database.write() as stores:
            stores.sessions.add(SESSION)

            assert stores.sessions.find(b"one") == SESSION
            assert stores.sessions.find(b"two") is None

    def test_one_of_two_is_removed(self, database: Database) -> None:
        """Signing out in one browser leaves the other alone."""
        other = replace(SESSION, digest=b"two", session_id=SessionId("t"))
        with database.write() as stores:
            stores.sessions.add(SESSION)
            stores.sessions.add(other)
            stores.sessions.remove(SESSION.session_id)

            assert stores.sessions.find(b"one") is None
            assert stores.sessions.find(b"two") == other

    def test_an_account_takes_its_sessions_along(self, database: Database) -> None:
        """A deleted person is remembered by no browser."""
        other = replace(SESSION, digest=b"two", session_id=SessionId("t"), account=BERT)
        with database.write() as stores:
            stores.sessions.add(SESSION)
            stores.sessions.add(other)
            stores.sessions.remove_of(ANNA)

            assert stores.sessions.find(b"one") is None
            assert stores.sessions.find(b"two") == other

    def test_expired_ones_are_purged_with_their_accounts(self, database: Database) -> None:
        """At the very end, not before it."""
        with database.write() as stores:
            stores.sessions.add(SESSION)

            assert stores.sessions.purge(LATER - timedelta(microseconds=1)) == 0
            assert stores.sessions.purge(LATER) == 1
            assert stores.sessions.find(b"one") is None


class TestConsents:
    """What persons allowed clients."""

    def test_the_last_one_counts(self, database: Database) -> None:
        """A consent that is given again takes the place of the first."""
        wider = replace(CONSENT, scope=("openid", "offline_access"), given_at=LATER)
        with database.write() as stores:
            stores.consents.put(CONSENT)
            assert stores.consents.find(CONSENT.subject, SHOP.client_id) == CONSENT
            stores.consents.put(wider)

            assert stores.consents.find(CONSENT.subject, SHOP.client_id) == wider

    def test_is_of_one_person_and_one_client(self, database: Database) -> None:
        """Nobody else's consent is found."""
        with database.write() as stores:
            stores.consents.put(CONSENT)

            assert stores.consents.find(PairwiseSubject("vu-2"), SHOP.client_id) is None
            assert stores.consents.find(CONSENT.subject, ClientId("other")) is None

    def test_ends_with_the_pseudonym(self, database: Database) -> None:
        """And with the client."""
        other = replace(CONSENT, subject=PairwiseSubject("vu-2"))
        with database.write() as stores:
            stores.consents.put(CONSENT)
            stores.consents.put(other)
            stores.consents.remove([CONSENT.subject])

            assert stores.consents.find(CONSENT.subject, SHOP.client_id) is None
            assert stores.consents.find(other.subject, SHOP.client_id) == other
            stores.clients.remove(SHOP.client_id)
            assert stores.consents.find(other.subject, SHOP.client_id) is None


class TestLogoutNotices:
    """The outbox."""

    def test_is_claimed_when_due_and_then_put_off(self, database: Database) -> None:
        """Whoever asks a moment later gets nothing: somebody is at it."""
        with database.write() as stores:
            stores.logouts.add([NOTICE])
            early = stores.logouts.claim(NOW - timedelta(seconds=1), LATER, count=9)
            first = stores.logouts.claim(NOW, LATER, count=9)
            second = stores.logouts.claim(NOW, LATER, count=9)
            third = stores.logouts.claim(LATER, LATER + timedelta(seconds=1), count=9)

        assert early == second == []
        assert first == [replace(NOTICE, attempts=1, due_at=LATER)]
        assert [notice.attempts for notice in third] == [2], "a process died with it"

    def test_the_oldest_come_first_and_no_more_than_asked_for(self, database: Database) -> None:
        """A long queue is taken in pieces."""
        notices = [
            replace(NOTICE, notice_id=NoticeId(str(i)), due_at=NOW - timedelta(seconds=i))
            for i in range(3)
        ]
        with database.write() as stores:
            stores.logouts.add(notices)
            claimed = stores.logouts.claim(NOW, LATER, count=2)

        assert [notice.notice_id for notice in claimed] == ["2", "1"]

    def test_of_several_processes_one_gets_it(self, database: Database) -> None:
        """Each notice is delivered by one of those who ask at once."""
        with database.write() as stores:
            stores.logouts.add([replace(NOTICE, notice_id=NoticeId(str(i))) for i in range(12)])
        barrier = Barrier(4)

        def claim(_: int) -> list[str]:
            barrier.wait()
            with database.write() as stores:
                return [each.notice_id for each in stores.logouts.claim(NOW, LATER, count=9)]

        with ThreadPoolExecutor(4) as pool:
            claimed = [name for names in pool.map(claim, range(4)) for name in names]

        assert sorted(claimed) == sorted(set(claimed)), "one notice went to two"

    def test_is_postponed_or_forgotten(self, database: Database) -> None:
        """After an attempt that failed, and after one that did not."""
        with database.write() as stores:
            stores.logouts.add([NOTICE, replace(NOTICE, notice_id=NoticeId("m"), sid=None)])
            claimed = stores.logouts.claim(NOW, LATER, count=9)
            stores.logouts.postpone(claimed[0], NOW + timedelta(seconds=10))
            stores.logouts.remove(claimed[1].notice_id)
            again = stores.logouts.claim(NOW + timedelta(seconds=10), LATER, count=9)

        assert [each.notice_id for each in again] == [claimed[0].notice_id]

    def test_none_is_left_by_nobody(self, database: Database) -> None:
        """A session whose clients want to know nothing leaves nothing."""
        with database.write() as stores:
            stores.logouts.add([])

            assert stores.logouts.claim(LATER, LATER, count=9) == []

    def test_ends_with_the_client(self, database: Database) -> None:
        """A removed client is told nothing more."""
        with database.write() as stores:
            stores.logouts.add([NOTICE])
            stores.clients.remove(SHOP.client_id)

            assert stores.logouts.claim(NOW, LATER, count=9) == []


class TestGrantsOfASession:
    """What was granted within one session."""

    def test_are_found_by_the_session_and_by_what_the_client_knows(
        self, database: Database
    ) -> None:
        """Revoked ones too; and one client's name of a session means nothing to another."""
        grant = Grant(
            GrantId("g"),
            SHOP.client_id,
            PairwiseSubject("vu-1"),
            ("openid",),
            None,
            NOW,
            ("user",),
            SessionId("s"),
            Sid("sid"),
        )
        with database.write() as stores:
            stores.grants.add(grant, LATER)
            stores.grants.add(replace(grant, grant_id=GrantId("h")), LATER)
            stores.grants.add(
                replace(grant, grant_id=GrantId("i"), session_id=None, sid=None), LATER
            )
            stores.grants.revoke(GrantId("h"), NOW)

            assert {each.grant_id for each in stores.grants.of_session(SessionId("s"))} == {
                "g",
                "h",
            }
            assert stores.grants.find(GrantId("g")) == grant
            assert stores.grants.session_of(SHOP.client_id, Sid("sid")) == "s"
            assert stores.grants.session_of(ClientId("other"), Sid("sid")) is None
            assert stores.grants.session_of(SHOP.client_id, Sid("sod")) is None
