"""The contract of every port of the protocol database, on SQLite and on PostgreSQL."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from threading import Barrier
from uuid import uuid4

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy.exc import IntegrityError

from oidc.errors import DatabaseNotMigrated
from oidc.storage.database import Database, open_engine
from oidc.storage.migrate import VERSION_TABLE, migrate_database, require_migrated
from oidc.storage.schema import metadata
from oidc.storage.stores.clients.registrations import InitialAccessToken, Registration
from oidc.storage.stores.grants import Code, RefreshToken, SealedSuccessor
from oidc.storage.stores.keys import SigningKeyRecord
from oidc.storage.stores.logins.logins import Ended, Login
from oidc.storage.stores.logins.pushed import PushedRequest
from oidc.storage.stores.logins.sign_ins import SignInRecord
from oidc.types import (
    AccountId,
    Authentication,
    AuthorizationRequest,
    BrowserDescription,
    Claimant,
    ClientId,
    Grant,
    GrantId,
    LoginId,
    LoginState,
    Network,
    PairwiseSubject,
    Profile,
    ResponseMode,
    SectorIdentifier,
)
from tests.support.service import client_database as kept
from tests.support.service.client_database import NOW

LATER = NOW + timedelta(seconds=60)
ANNA, BERT = AccountId(uuid4()), AccountId(uuid4())
SHOP = replace(
    kept.SHOP,
    redirect_uris=("https://a.example/", "https://a.example/2"),
    scope=("openid", "offline_access"),
    secret_digest=b"\x00\xff",
)
SIGNER = replace(
    SHOP,
    client_id=ClientId("signer"),
    secret_digest=b"",
    authentication=Authentication.PRIVATE_KEY_JWT,
    jwks='{"keys": []}',
    require_pkce=True,
    resource_server=True,
    require_par=True,
    id_token_algorithm="ES256",
    require_dpop=True,
    profile=Profile.FAPI2,
    former_secret_digest=b"former",
    former_secret_ends_at=LATER,
    require_trusted_phone=True,
    sandbox=True,
)
OLD_GRANT = (
    "INSERT INTO grants VALUES "
    "('g', 'shop', 'vu-1', '[]', NULL, 1, '[]', 1900000000000000, NULL)"
)
OLD_TOKEN = "INSERT INTO refresh_tokens VALUES (:digest, 'g', 'shop', 1900000000000000, NULL)"
GRANT = Grant(
    GrantId("g"), SHOP.client_id, PairwiseSubject("vu-1"), ("openid",), "n\x00ä", NOW, ("user",)
)
SIGN_IN = SignInRecord(
    GRANT.grant_id, SHOP.client_id, GRANT.subject, Claimant("p"), ("user",), NOW
)
LOGIN = Login(
    login_id=LoginId("l"),
    browser_digest=b"browser",
    ticket_anchor=b"ticket",
    request=AuthorizationRequest(
        SHOP.client_id,
        SHOP.name,
        SHOP.sector,
        "https://a.example/",
        ("openid",),
        state="s\x00\ud800😀",
        nonce="n",
        response_mode=ResponseMode.FORM_POST,
        dpop_jkt="thumbprint",
        requires_trusted_phone=True,
        palm_alone=True,
    ),
    state=LoginState.PENDING,
    seq=0,
    attempts=0,
    expires_at=LATER,
    opened_at=NOW,
    asked_at=NOW,
)


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """Give a migrated database that knows one client."""
    engine = open_engine(database_url)
    migrate_database(engine)
    database = Database(engine)
    with database.write() as stores:
        stores.clients.add(SHOP)
    yield database
    engine.dispose()


def at_once(act: Callable[[], object], count: int = 6) -> list[object]:
    """Do it in several threads that start together, each in a transaction of its own."""
    barrier = Barrier(count)

    def run(_: int) -> object:
        barrier.wait()
        return act()

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))


class TestMigrations:
    """One history, from nothing to what the queries expect."""

    def test_an_empty_database_is_refused_and_named(self, database_url: str) -> None:
        """An operator reads what to do."""
        engine = open_engine(database_url)

        with pytest.raises(DatabaseNotMigrated, match="thenar migrate"):
            require_migrated(engine)
        engine.dispose()

    def test_migrations_make_exactly_the_tables_that_queries_use(
        self, database: Database
    ) -> None:
        """A column in one place only would fail in production first."""
        with database.engine.begin() as connection:
            context = MigrationContext.configure(
                connection, opts={"version_table": VERSION_TABLE}
            )
            differences = compare_metadata(context, metadata)

        assert differences == []

    def test_migrating_twice_changes_nothing(self, database: Database) -> None:
        """Also with rows in the tables."""
        migrate_database(database.engine)

        require_migrated(database.engine)
        with database.read() as stores:
            assert stores.clients.all() == [SHOP]

    def test_several_processes_may_migrate_at_once(self, database_url: str) -> None:
        """Workers that start together: one makes the tables, the others wait and find them."""
        program = (
            "from oidc.storage.migrate import *; from oidc.storage.database import *;"
            f"migrate_database(open_engine({database_url!r}))"
        )
        started = [subprocess.Popen([sys.executable, "-c", program]) for _ in range(3)]  # noqa: S603

        assert [process.wait(60) for process in started] == [0, 0, 0]


class TestTransactions:
    """All or nothing."""

    def test_an_exception_undoes_everything(self, database: Database) -> None:
        """Nothing is half-stored."""
        with pytest.raises(ZeroDivisionError), database.write() as stores:
            stores.logins.add(LOGIN)
            _ = 1 / 0

        with database.read() as stores:
            assert stores.logins.find(LOGIN.login_id) is None

    def test_a_reader_does_not_wait_for_a_writer(self, database: Database) -> None:
        """A page is served while another login moves."""
        with database.write() as writing:
            writing.logins.add(LOGIN)
            with database.read() as reading:
                assert reading.logins.find(LOGIN.login_id) is None


class TestClients:
    """``ClientStore``."""

    def test_a_client_comes_back_as_it_was(self, database: Database) -> None:
        """Every field."""
        with database.read() as stores:
            assert stores.clients.find(SHOP.client_id) == SHOP
            assert stores.clients.find(ClientId("unknown")) is None

    def test_a_client_that_signs_comes_back_as_it_was(self, database: Database) -> None:
        """Every field that a client with a secret leaves at its default."""
        with database.write() as stores:
            stores.clients.add(SIGNER)

            assert stores.clients.find(SIGNER.client_id) == SIGNER

    def test_clients_are_listed_oldest_first(self, database: Database) -> None:
        """A list an operator can read."""
        older = replace(SHOP, client_id=ClientId("z"), created_at=NOW - timedelta(days=1))
        with database.write() as stores:
            stores.clients.add(older)

            assert stores.clients.all() == [older, SHOP]

    def test_a_client_is_replaced(self, database: Database) -> None:
        """Every field but its name on the wire, and only for a client that exists."""
        changed = replace(SIGNER, client_id=SHOP.client_id, secret_digest=b"new")
        with database.write() as stores:
            assert stores.clients.replace(changed)
            assert not stores.clients.replace(SIGNER)

            assert stores.clients.all() == [changed]

    def test_a_removed_client_takes_everything_along(self, database: Database) -> None:
        """No login, grant, code or token of a client that no longer exists."""
        with database.write() as stores:
            stores.logins.add(LOGIN)
            stores.grants.add(GRANT, LATER)
            stores.codes.add(code())
            stores.tokens.add(refresh_token())

            assert stores.clients.remove(SHOP.client_id)
            assert not stores.clients.remove(SHOP.client_id)
            assert stores.logins.find(LOGIN.login_id) is None
            assert stores.grants.find(GRANT.grant_id) is None
            assert stores.codes.find(b"code") is None
            assert stores.tokens.find(b"token") is None


class TestLogins:
    """``LoginStore``."""

    def test_a_login_comes_back_as_it_was(self, database: Database) -> None:
        """Every field, with any character a client may put into its state."""
        full = replace(
            LOGIN,
            state=LoginState.VERIFIED,
            seq=2,
            attempts=1,
            claimant=Claimant("p"),
            expected_account=ANNA,
            account=ANNA,
            auth_time=NOW,
            amr=("user", "mfa"),
            origin=BrowserDescription("Firefox", "Windows", "203.0.113.0/24"),
            network=Network.DIFFERENT,
            browser_mark=b"\x00mark",
            confirmation_code="0042",
            code_attempts=1,
            grant_id=GrantId("g"),
        )
        with database.write() as stores:
            stores.logins.add(full)

        with database.read() as stores:
            assert stores.logins.find(full.login_id) == full
            assert stores.logins.find_many([full.login_id, LoginId("unknown")]) == [full]
            assert stores.logins.find(LoginId("unknown")) is None

    def test_sequence_numbers_are_of_the_logins_that_exist(self, database: Database) -> None:
        """All in one query: phones wait for what others do to their logins."""
        other = replace(LOGIN, login_id=LoginId("other"), ticket_anchor=b"other", seq=7)
        with database.write() as stores:
            stores.logins.add(LOGIN)
            stores.logins.add(other)

        with database.read() as stores:
            names = [LOGIN.login_id, other.login_id, LoginId("unknown")]
            found = stores.logins.sequence_numbers(names)
            assert stores.logins.sequence_numbers([]) == {}
        assert found == {LOGIN.login_id: LOGIN.seq, other.login_id: 7}

    def test_a_ticket_belongs_to_one_login(self, database: Database) -> None:
        """Two logins with one ticket would be one phone in two browsers."""
        with pytest.raises(IntegrityError), database.write() as stores:
            stores.logins.add(LOGIN)
            stores.logins.add(replace(LOGIN, login_id=LoginId("other")))

    @pytest.mark.parametrize(
        "stale",
        [
            {"seq": 5},
            {"state": LoginState.SCANNED},
            {"login_id": LoginId("other")},
        ],
    )
    def test_a_move_needs_the_login_to_be_as_it_was_seen(
        self, database: Database, stale: dict[str, object]
    ) -> None:
        """State and sequence number are in the condition of the one UPDATE."""
        after = replace(LOGIN, state=LoginState.SCANNED, seq=1, claimant=Claimant("p"))
        with database.write() as stores:
            stores.logins.add(LOGIN)

            assert not stores.logins.move(replace(LOGIN, **stale), after, NOW)  # type: ignore[arg-type]
            assert stores.logins.find(LOGIN.login_id) == LOGIN
            assert stores.logins.move(LOGIN, after, NOW)
            assert stores.logins.find(LOGIN.login_id) == after

    def test_a_move_after_the_deadline_is_not_made(self, database: Database) -> None:
        """The deadline is in the condition, too: a slow process cannot stretch it."""
        with database.write() as stores:
            stores.logins.add(LOGIN)

            assert not stores.logins.move(LOGIN, replace(LOGIN, seq=1), LATER)

    def test_of_concurrent_moves_one_is_made(self, database: Database) -> None:
        """Two phones, two tabs, two workers: one wins."""
        with database.write() as stores:
            stores.logins.add(LOGIN)

        def move() -> bool:
            with database.write() as stores:
                return stores.logins.move(LOGIN, replace(LOGIN, seq=1), NOW)

        assert sorted(at_once(move)) == [False] * 5 + [True]  # type: ignore[type-var]

    def test_late_logins_expire_and_forget(self, database: Database) -> None:
        """Only open ones, only late ones."""
        late = replace(LOGIN, account=ANNA, expected_account=ANNA)
        fresh = replace(
            LOGIN,
            login_id=LoginId("fresh"),
            ticket_anchor=b"2",
            expires_at=LATER + timedelta(seconds=1),
        )
        done = replace(
            LOGIN, login_id=LoginId("done"), ticket_anchor=b"3", state=LoginState.COMPLETED
        )
        with database.write() as stores:
            for each in (late, fresh, done):
                stores.logins.add(each)

            assert stores.logins.expire(LATER, LATER) == 1
            found = stores.logins.find(late.login_id)
            assert found == replace(
                late, state=LoginState.EXPIRED, seq=1, account=None, expected_account=None
            )
            assert stores.logins.find(fresh.login_id) == fresh
            assert stores.logins.find(done.login_id) == done

    def test_a_login_nobody_scanned_is_left_while_it_may_be_renewed(
        self, database: Database
    ) -> None:
        """Its account is needed once more if the person asks for a new code."""
        scanned = replace(
            LOGIN,
            login_id=LoginId("scanned"),
            ticket_anchor=b"2",
            state=LoginState.SCANNED,
        )
        with database.write() as stores:
            stores.logins.add(LOGIN)
            stores.logins.add(scanned)

            assert stores.logins.expire(LATER, NOW - timedelta(seconds=1)) == 1
            assert stores.logins.find(LOGIN.login_id) == LOGIN
            assert stores.logins.expire(LATER, NOW) == 1

    def test_a_late_login_is_retired_once(self, database: Database) -> None:
        """After the deadline, too; but only as it was seen."""
        after = replace(LOGIN, state=LoginState.SUPERSEDED, seq=1)
        with database.write() as stores:
            stores.logins.add(LOGIN)

            assert not stores.logins.retire(replace(LOGIN, seq=7), after)
            assert stores.logins.retire(LOGIN, after)
            assert not stores.logins.retire(LOGIN, after)
            assert stores.logins.find(LOGIN.login_id) == after

    def test_a_newer_login_of_a_phone_ends_what_it_did_not_approve(
        self, database: Database
    ) -> None:
        """One phone answers one login at a time; another phone's go on."""
        states = {
            "old": (LoginState.SCANNED, "p"),
            "recognised": (LoginState.VERIFIED, "p"),
            "approved": (LoginState.APPROVED, "p"),
            "theirs": (LoginState.SCANNED, "q"),
            "new": (LoginState.SCANNED, "p"),
        }
        with database.write() as stores:
            for name, (state, claimant) in states.items():
                stores.logins.add(
                    replace(
                        LOGIN,
                        login_id=LoginId(name),
                        ticket_anchor=name.encode(),
                        state=state,
                        claimant=Claimant(claimant),
                        account=ANNA,
                        confirmation_code="1234",
                    )
                )

            assert stores.logins.supersede_others(Claimant("p"), LoginId("new"), NOW) == 2
            old = stores.logins.find(LoginId("old"))
            assert old is not None
            assert (old.state, old.account, old.confirmation_code, old.expires_at) == (
                LoginState.SUPERSEDED,
                None,
                None,
                NOW,
            )
            for name in ("approved", "theirs", "new"):
                left = stores.logins.find(LoginId(name))
                assert left is not None
                assert left.state is states[name][0]

    def test_logins_long_over_are_deleted(self, database: Database) -> None:
        """Open ones never, however old."""
        done = replace(LOGIN, state=LoginState.DECLINED, expires_at=NOW)
        still_open = replace(
            LOGIN, login_id=LoginId("open"), ticket_anchor=b"2", expires_at=NOW
        )
        with database.write() as stores:
            stores.logins.add(done)
            stores.logins.add(still_open)

            assert stores.logins.purge(NOW) == {}
            hour = NOW.replace(minute=0, second=0, microsecond=0)
            assert stores.logins.purge(LATER) == {Ended(hour, LoginState.DECLINED): 1}
            assert stores.logins.find(done.login_id) is None
            assert stores.logins.find(still_open.login_id) == still_open

    def test_a_deleted_accounts_logins_are_cancelled(self, database: Database) -> None:
        """Those it answered and those that wait for it."""
        answered = replace(LOGIN, account=ANNA)
        awaited = replace(
            LOGIN, login_id=LoginId("2"), ticket_anchor=b"2", expected_account=ANNA
        )
        another = replace(LOGIN, login_id=LoginId("3"), ticket_anchor=b"3", account=BERT)
        with database.write() as stores:
            for each in (answered, awaited, another):
                stores.logins.add(each)

            assert stores.logins.cancel_for(ANNA, NOW) == 2
            found = stores.logins.find(answered.login_id)
            assert found is not None
            assert (found.state, found.account, found.expires_at) == (
                LoginState.CANCELLED,
                None,
                NOW,
            )
            assert stores.logins.find(another.login_id) == another

    def test_logins_are_cancelled_at_one_sector_only(self, database: Database) -> None:
        """Who withdraws from one client may be signing in to another."""
        other = replace(
            SHOP, client_id=ClientId("other"), sector=SectorIdentifier("other sector")
        )
        here = replace(LOGIN, account=ANNA)
        there = replace(
            LOGIN,
            login_id=LoginId("there"),
            ticket_anchor=b"2",
            request=replace(LOGIN.request, client_id=other.client_id),
            expected_account=ANNA,
        )
        with database.write() as stores:
            stores.clients.add(other)
            stores.logins.add(here)
            stores.logins.add(there)

            assert stores.logins.cancel_for(ANNA, NOW, SHOP.sector) == 1
            assert stores.logins.find(there.login_id) == there

    def test_a_phones_logins_are_cancelled(self, database: Database) -> None:
        """The open ones; what has ended stays as it ended."""
        states = {
            "scanned": (LoginState.SCANNED, "p"),
            "approved": (LoginState.APPROVED, "p"),
            "ended": (LoginState.DECLINED, "p"),
            "theirs": (LoginState.APPROVED, "q"),
        }
        with database.write() as stores:
            for name, (state, claimant) in states.items():
                stores.logins.add(
                    replace(
                        LOGIN,
                        login_id=LoginId(name),
                        ticket_anchor=name.encode(),
                        state=state,
                        claimant=Claimant(claimant),
                        account=ANNA,
                    )
                )

            assert stores.logins.cancel_claimed(Claimant("p"), NOW) == 2
            assert stores.logins.cancel_claimed(Claimant("p"), NOW) == 0
            found = stores.logins.find_many([LoginId(name) for name in states])
            assert {each.login_id for each in found if each.account is None} == {
                "scanned",
                "approved",
            }


class TestSignIns:
    """``SignInStore``."""

    def test_sign_ins_come_back_newest_first_until_they_are_removed(
        self, database: Database
    ) -> None:
        """Of these subjects only; a phone finds what it was granted."""
        old = replace(SIGN_IN, grant_id=GrantId("old"), at=NOW - timedelta(days=1))
        other = replace(SIGN_IN, grant_id=GrantId("o"), subject=PairwiseSubject("vu-2"))
        phone, subjects = SIGN_IN.claimant, [SIGN_IN.subject]
        with database.write() as stores:
            for each in (old, SIGN_IN, other):
                stores.sign_ins.add(each)

            assert stores.sign_ins.latest(subjects, 2) == [SIGN_IN, old]
            assert stores.sign_ins.latest(subjects, 1) == [SIGN_IN]
            assert sorted(stores.sign_ins.grants_of(subjects, phone)) == ["g", "old"]
            assert stores.sign_ins.grants_of(subjects, Claimant("q")) == []
            days = stores.sign_ins.days_of(SHOP.client_id, old.at)
            assert [each.count for each in days] == [2, 1]
            assert stores.sign_ins.purge(NOW) == 1
            stores.sign_ins.remove(subjects)
            assert stores.sign_ins.latest([*subjects, other.subject], 9) == [other]


class TestKnownBrowsers:
    """``KnownBrowserStore``."""

    def test_a_browser_is_known_until_its_time_is_over(self, database: Database) -> None:
        """And longer, if it is used again."""
        with database.write() as stores:
            stores.known_browsers.add(b"d", LATER)
            assert stores.known_browsers.is_known(b"d", NOW)
            assert not stores.known_browsers.is_known(b"other", NOW)
            assert not stores.known_browsers.is_known(b"d", LATER)

            stores.known_browsers.add(b"d", LATER + timedelta(seconds=1))
            assert stores.known_browsers.is_known(b"d", LATER)

    def test_what_has_expired_is_forgotten(self, database: Database) -> None:
        """The table does not grow with every browser there ever was."""
        with database.write() as stores:
            stores.known_browsers.add(b"old", NOW)
            stores.known_browsers.add(b"new", LATER)

            assert stores.known_browsers.purge(NOW) == 1
            assert stores.known_browsers.is_known(b"new", NOW)


class TestGrants:
    """``GrantStore``."""

    def test_a_grant_comes_back_until_it_is_revoked(self, database: Database) -> None:
        """Every field; a revoked one is as if it had never been."""
        with database.write() as stores:
            stores.grants.add(GRANT, LATER)

            assert stores.grants.find(GRANT.grant_id) == GRANT
            stores.grants.revoke(GRANT.grant_id, NOW)
            stores.grants.revoke(GRANT.grant_id, NOW)
            assert stores.grants.find(GRANT.grant_id) is None
            assert stores.grants.find(GrantId("unknown")) is None

    def test_a_subjects_grants_end_together(self, database: Database) -> None:
        """And nobody else's."""
        other = replace(GRANT, grant_id=GrantId("o"), subject=PairwiseSubject("vu-2"))
        with database.write() as stores:
            stores.grants.add(GRANT, LATER)
            stores.grants.add(other, LATER)

            stores.grants.end_subjects([GRANT.subject, PairwiseSubject("vu-9")], NOW)
            assert stores.grants.find(GRANT.grant_id) is None
            assert stores.grants.find(other.grant_id) == other
            stores.grants.end_subjects([], NOW)

    def test_old_grants_are_deleted_with_all_that_hangs_on_them(
        self, database: Database
    ) -> None:
        """The tables do not grow for ever."""
        with database.write() as stores:
            stores.grants.add(GRANT, LATER)
            stores.codes.add(code())
            stores.tokens.add(refresh_token())

            assert stores.grants.purge(LATER) == 0
            assert stores.grants.purge(LATER + timedelta(seconds=1)) == 1
            assert stores.codes.find(b"code") is None
            assert stores.tokens.find(b"token") is None


class TestCodes:
    """``CodeStore``."""

    def test_a_code_is_spent_once(self, database: Database) -> None:
        """And can still be found afterwards, so that reuse is noticed."""
        with database.write() as stores:
            stores.grants.add(GRANT, LATER)
            stores.codes.add(code())

            assert stores.codes.find(b"code") == code()
            assert stores.codes.spend(b"code", NOW)
            assert not stores.codes.spend(b"code", NOW)
            assert stores.codes.find(b"code") == replace(code(), spent=True)

    def test_a_late_or_unknown_code_cannot_be_spent(self, database: Database) -> None:
        """The deadline is in the condition of the UPDATE."""
        with database.write() as stores:
            stores.grants.add(GRANT, LATER)
            stores.codes.add(code())

            assert not stores.codes.spend(b"code", LATER)
            assert not stores.codes.spend(b"unknown", NOW)
            assert stores.codes.find(b"unknown") is None

    def test_of_concurrent_spenders_one_succeeds(self, database: Database) -> None:
        """Two token requests with one code."""
        with database.write() as stores:
            stores.grants.add(GRANT, LATER)
            stores.codes.add(code())

        def spend() -> bool:
            with database.write() as stores:
                return stores.codes.spend(b"code", NOW)

        assert sorted(at_once(spend)) == [False] * 5 + [True]  # type: ignore[type-var]


SEALED = SealedSuccessor(b"\x00s", LATER)


class TestTokens:
    """``TokenStore``."""

    def test_a_refresh_token_is_spent_once(self, database: Database) -> None:
        """And can still be found afterwards, so that reuse is noticed."""
        with database.write() as stores:
            stores.grants.add(GRANT, LATER)
            stores.tokens.add(refresh_token())

            assert stores.tokens.find(b"token") == refresh_token()
            assert not stores.tokens.spend(b"token", LATER, SEALED)
            assert stores.tokens.find(b"token") == refresh_token()
            assert stores.tokens.spend(b"token", NOW, SEALED)
            assert not stores.tokens.spend(b"token", NOW, replace(SEALED, sealed=b"other"))
            assert stores.tokens.find(b"token") == spent_token()
            assert stores.tokens.find(b"unknown") is None

    def test_of_concurrent_spenders_one_succeeds(self, database: Database) -> None:
        """Two refreshes with one token."""
        with database.write() as stores:
            stores.grants.add(GRANT, LATER)
            stores.tokens.add(refresh_token())

        def spend() -> bool:
            with database.write() as stores:
                return stores.tokens.spend(b"token", NOW, SEALED)

        assert sorted(at_once(spend)) == [False] * 5 + [True]  # type: ignore[type-var]

    def test_a_sealed_successor_is_kept_until_its_time(self, database: Database) -> None:
        """Then it is erased, and nothing else changes."""
        other = replace(refresh_token(), digest=b"other")
        with database.write() as stores:
            stores.grants.add(GRANT, LATER)
            stores.tokens.add(refresh_token())
            stores.tokens.add(other)

            assert stores.tokens.spend(b"token", NOW, SEALED)
            assert stores.tokens.find(b"token") == spent_token()
            assert stores.tokens.erase_successors(NOW) == 0
            assert stores.tokens.erase_successors(LATER) == 1
            assert stores.tokens.erase_successors(LATER) == 0
            assert stores.tokens.find(b"token") == replace(refresh_token(), spent=True)
            assert stores.tokens.find(b"other") == other


class TestPseudonyms:
    """``PseudonymStore``."""

    def test_the_first_proposal_is_kept(self, database: Database) -> None:
        """Later proposals for the same account and sector are dropped."""
        first, second = PairwiseSubject("vu-1"), PairwiseSubject("vu-2")
        with database.write() as stores:
            assert stores.pseudonyms.assign(ANNA, SHOP.sector, first, NOW) == first
            assert stores.pseudonyms.assign(ANNA, SHOP.sector, second, NOW) == first
            assert stores.pseudonyms.account_of(first, SHOP.sector) == ANNA
            assert stores.pseudonyms.account_of(second, SHOP.sector) is None
            assert stores.pseudonyms.account_of(first, SectorIdentifier("bank")) is None

    def test_concurrent_first_logins_get_one_name(self, database: Database) -> None:
        """Two tabs of one app, one person: one pseudonym."""

        def assign() -> str:
            with database.write() as stores:
                proposal = PairwiseSubject(f"vu-{uuid4()}")
                return stores.pseudonyms.assign(ANNA, SHOP.sector, proposal, NOW)

        assert len(set(at_once(assign))) == 1

    def test_a_withdrawn_name_is_dead_and_may_be_replaced(self, database: Database) -> None:
        """The account is free for a new name; the old one leads nowhere."""
        old, new = PairwiseSubject("vu-1"), PairwiseSubject("vu-2")
        with database.write() as stores:
            stores.pseudonyms.assign(ANNA, SHOP.sector, old, NOW)

            assert stores.pseudonyms.delete(old)
            assert not stores.pseudonyms.delete(old)
            assert stores.pseudonyms.account_of(old, SHOP.sector) is None
            assert stores.pseudonyms.assign(ANNA, SHOP.sector, new, NOW) == new

    def test_an_account_loses_all_its_names(self, database: Database) -> None:
        """In every sector; other accounts keep theirs."""
        names = [PairwiseSubject(f"vu-{n}") for n in range(3)]
        bank = SectorIdentifier("bank")
        with database.write() as stores:
            stores.pseudonyms.assign(ANNA, SHOP.sector, names[0], NOW)
            stores.pseudonyms.assign(ANNA, bank, names[1], NOW)
            stores.pseudonyms.assign(BERT, bank, names[2], NOW)

            assert sorted(stores.pseudonyms.delete_all(ANNA)) == names[:2]
            assert stores.pseudonyms.delete_all(ANNA) == []
            assert stores.pseudonyms.account_of(names[2], bank) == BERT


class TestKeys:
    """``KeyStore``."""

    def test_keys_come_back_in_the_order_in_which_they_sign(self, database: Database) -> None:
        """The newest signs."""
        first = SigningKeyRecord("k1", "RS256", "{}", b"\x00sealed", NOW, NOW)
        second = replace(first, kid="a-later-key", signs_from=LATER, retires_at=LATER)
        with database.write() as stores:
            stores.keys.add(second)
            stores.keys.add(first)

            assert stores.keys.all() == [first, second]

    def test_a_key_is_retired_and_removed(self, database: Database) -> None:
        """And no other."""
        first = SigningKeyRecord("k1", "RS256", "{}", b"\x00sealed", NOW, NOW)
        second = replace(first, kid="k2")
        with database.write() as stores:
            stores.keys.add(first)
            stores.keys.add(second)

            stores.keys.retire("k1", LATER)
            assert stores.keys.all() == [replace(first, retires_at=LATER), second]
            stores.keys.remove("k1")
            assert stores.keys.all() == [second]


class TestPushedRequests:
    """``PushedRequestStore``."""

    def test_a_request_is_taken_once_by_its_client(self, database: Database) -> None:
        """In time, every value as it was."""
        pushed = PushedRequest(b"r", SHOP.client_id, {"state": "s\x00\U0001f600"}, LATER)
        with database.write() as stores:
            stores.pushed.add(pushed)

            assert stores.pushed.consume(b"r", ClientId("another"), NOW) is None
            assert stores.pushed.consume(b"r", SHOP.client_id, LATER) is None
            assert stores.pushed.consume(b"r", SHOP.client_id, NOW) == pushed
            assert stores.pushed.consume(b"r", SHOP.client_id, NOW) is None

    def test_of_concurrent_takers_one_gets_it(self, database: Database) -> None:
        """Two browsers with one address."""
        with database.write() as stores:
            stores.pushed.add(PushedRequest(b"r", SHOP.client_id, {}, LATER))

        def take() -> bool:
            with database.write() as stores:
                return stores.pushed.consume(b"r", SHOP.client_id, NOW) is not None

        assert sorted(at_once(take)) == [False] * 5 + [True]  # type: ignore[type-var]

    def test_late_requests_and_those_of_a_removed_client_go(self, database: Database) -> None:
        """The table does not grow for ever."""
        with database.write() as stores:
            stores.pushed.add(PushedRequest(b"r", SHOP.client_id, {}, LATER))
            stores.pushed.add(PushedRequest(b"s", SHOP.client_id, {}, NOW))

            assert stores.pushed.purge(LATER) == 1
            stores.clients.remove(SHOP.client_id)
            assert stores.pushed.purge(LATER + timedelta(days=1)) == 0


class TestInitialTokens:
    """``InitialTokenStore``."""

    def test_a_token_comes_back_as_it_was_and_ends_once(self, database: Database) -> None:
        """Listed with its end: an operator sees what was given to whom."""
        token = InitialAccessToken("t", b"digest", "Team A", NOW, LATER)
        older = replace(token, token_id="o", digest=b"o", created_at=NOW - timedelta(days=1))
        with database.write() as stores:
            stores.initial_tokens.add(token)
            stores.initial_tokens.add(older)

            assert stores.initial_tokens.find(b"digest") == token
            assert stores.initial_tokens.find(b"unknown") is None
            assert stores.initial_tokens.all() == [older, token]
            assert stores.initial_tokens.revoke("t", LATER)
            assert not stores.initial_tokens.revoke("t", NOW)
            assert not stores.initial_tokens.revoke("unknown", NOW)
            assert stores.initial_tokens.find(b"digest") == replace(token, revoked_at=LATER)


class TestRegistrations:
    """``RegistrationStore``."""

    def test_a_registration_comes_back_and_is_counted(self, database: Database) -> None:
        """The rate of one initial token is bounded by this count."""
        registration = Registration(SHOP.client_id, b"digest", "t", NOW)
        with database.write() as stores:
            stores.registrations.add(registration)

            assert stores.registrations.find(SHOP.client_id) == registration
            assert stores.registrations.find(ClientId("unknown")) is None
            assert stores.registrations.count_since("t", NOW) == 1
            assert stores.registrations.count_since("t", LATER) == 0
            assert stores.registrations.count_since("other", NOW) == 0
            stores.clients.remove(SHOP.client_id)
            assert stores.registrations.find(SHOP.client_id) is None

    def test_of_concurrent_replacements_one_is_made(self, database: Database) -> None:
        """Two requests with one registration access token: one gets the next."""
        registration = Registration(SHOP.client_id, b"digest", "t", NOW)
        with database.write() as stores:
            stores.registrations.add(registration)

        def rotate() -> bool:
            with database.write() as stores:
                return stores.registrations.replace_digest(registration, b"next")

        assert sorted(at_once(rotate)) == [False] * 5 + [True]  # type: ignore[type-var]


class TestReplay:
    """``ReplayStore``."""

    def test_an_identifier_is_used_once(self, database: Database) -> None:
        """Until it is forgotten, when nobody would accept it any more."""
        with database.write() as stores:
            assert stores.replay.use(b"a", LATER)
            assert not stores.replay.use(b"a", LATER)
            assert stores.replay.use(b"b", LATER + timedelta(seconds=1))
            assert stores.replay.purge(LATER) == 0
            assert stores.replay.purge(LATER + timedelta(seconds=1)) == 1
            assert stores.replay.use(b"a", LATER)
            assert not stores.replay.use(b"b", LATER)

    def test_of_concurrent_users_one_succeeds(self, database: Database) -> None:
        """Two requests with one assertion."""

        def use() -> bool:
            with database.write() as stores:
                return stores.replay.use(b"a", LATER)

        assert sorted(at_once(use)) == [False] * 5 + [True]  # type: ignore[type-var]


def code() -> Code:
    """Return a code as it is kept."""
    return Code(
        b"code", GRANT.grant_id, SHOP.client_id, "https://a.example/", "c", LATER, dpop_jkt="k"
    )


def spent_token() -> RefreshToken:
    """Return a token of GRANT that was exchanged for its successor."""
    return replace(
        refresh_token(), spent=True, sealed_successor=SEALED.sealed, sealed_until=SEALED.until
    )


def refresh_token() -> RefreshToken:
    """Return a refresh token as it is kept."""
    ends_at = LATER + timedelta(days=1)
    return RefreshToken(b"token", GRANT.grant_id, SHOP.client_id, LATER, ends_at, dpop_jkt="k")
