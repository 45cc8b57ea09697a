"""What the stores of the protocol database promise, on SQLite and on PostgreSQL."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy.exc import IntegrityError

from oidc.client import Authentication, AuthorizationRequest, Profile, ResponseMode
from oidc.plumbing.columns import day_of
from oidc.storage.database import Database, Stores
from oidc.storage.stores.clients import ClientError, InitialAccessToken, Registration
from oidc.storage.stores.developers import (
    ClientInvitation,
    Developer,
    DeveloperId,
    PortalSession,
)
from oidc.storage.stores.grants import Code, EncryptedSuccessor, RefreshToken
from oidc.storage.stores.logins import Login, PushedRequest
from oidc.storage.stores.sessions import BrowserSession, Consent, LogoutNotice, NoticeId
from oidc.types import (
    AccountId,
    BrowserDescription,
    Claimant,
    ClientId,
    Grant,
    GrantId,
    Level,
    LoginId,
    LoginState,
    Network,
    PairwiseSubject,
    SectorIdentifier,
    SessionId,
    Sid,
)
from tests.support.at_once import at_once
from tests.support.databases import client_database
from tests.support.databases.client_database import NOW, database_of

SECOND = timedelta(seconds=1)
LATER = NOW + 60 * SECOND
TODAY = day_of(NOW)
ANNA = AccountId(uuid4())
PHONE, OTHER_PHONE = Claimant("p"), Claimant("q")
SUBJECT, OTHER_SUBJECT = PairwiseSubject("vu-1"), PairwiseSubject("vu-2")
SHOP = replace(
    client_database.SHOP,
    redirect_uris=("https://a.example/", "https://a.example/2"),
    scope=("openid", "offline_access"),
    secret_digest=b"\x00\xff",
    post_logout_redirect_uris=("https://a.example/bye",),
    backchannel_logout_uri="https://a.example/logout",
    backchannel_logout_session_required=True,
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
    accept_palm_alone=True,
    accept_stations=True,
    sandbox=True,
    native=True,
)
GRANT = Grant(
    GrantId("g"),
    SHOP.client_id,
    SUBJECT,
    ("openid",),
    "n\x00ä",
    NOW,
    Level.PALM,
    SessionId("s"),
    Sid("sid"),
)
CODE = Code(
    b"code", GRANT.grant_id, SHOP.client_id, "https://a.example/", "c", LATER, dpop_jkt="k"
)
TOKEN = RefreshToken(
    b"token", GRANT.grant_id, SHOP.client_id, LATER, LATER + timedelta(days=1), dpop_jkt="k"
)
SUCCESSOR = EncryptedSuccessor(b"\x00s", LATER)
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
        accepts=(Level.PALM_AT_STATION, Level.PALM),
    ),
    state=LoginState.PENDING,
    seq=0,
    attempts=0,
    expires_at=LATER,
    opened_at=NOW,
    asked_at=NOW,
)
FULL_LOGIN = replace(
    LOGIN,
    state=LoginState.VERIFIED,
    seq=2,
    attempts=1,
    claimant=PHONE,
    expected_account=ANNA,
    account=ANNA,
    auth_time=NOW,
    level=Level.PALM_AT_STATION,
    origin=BrowserDescription("Firefox", "Windows", "203.0.113.0/24"),
    network=Network.DIFFERENT,
    browser_mark=b"\x00mark",
    confirmation_code="0042",
    code_attempts=1,
    grant_id=GrantId("g"),
)
PUSHED = PushedRequest(b"r", SHOP.client_id, {"state": "s\x00\U0001f600"}, LATER)
REGISTRATION = Registration(SHOP.client_id, b"digest", "t", NOW)
INITIAL_TOKEN = InitialAccessToken("t", b"digest", "Team A", NOW, LATER)
SESSION = BrowserSession(b"one", SessionId("s"), ANNA, NOW, Level.PALM_AND_PHONE, LATER)
CONSENT = Consent(SUBJECT, SHOP.client_id, ("openid",), b"shown", TODAY)
NOTICE = LogoutNotice(NoticeId("n"), SHOP.client_id, SUBJECT, Sid("sid"), 0, NOW)
DORA = Developer(DeveloperId("dora"), "dora@dev.example", "", NOW, LATER, b"invitation")
EMIL = Developer(DeveloperId("emil"), "emil@dev.example", "", NOW, LATER, b"other")
TEAM_INVITATION = ClientInvitation(b"team", SHOP.client_id, DORA.developer_id, LATER)
ERROR = ClientError(SHOP.client_id, NOW, "token", "invalid_grant", "the code is spent")


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """Give a migrated database with one client and two invited developers."""
    with database_of(database_url, SHOP) as database:
        with database.write() as stores:
            stores.developers.add(DORA)
            stores.developers.add(EMIL)
        yield database


@pytest.fixture
def stores(database: Database) -> Iterator[Stores]:
    """Give the stores of one transaction, with a grant, its code and its refresh token."""
    with database.write() as stores:
        a_grant_with_both(stores)
        yield stores


def a_grant_with_both(stores: Stores) -> None:
    """Store the grant, its code and its refresh token."""
    stores.grants.add(GRANT, LATER)
    stores.codes.add(CODE)
    stores.tokens.add(TOKEN)


def a_login(name: str, **changed: Any) -> Login:
    """Return another login."""
    return replace(LOGIN, login_id=LoginId(name), ticket_anchor=name.encode(), **changed)


def all_at_once(database: Database, act: Callable[[Stores], Any], count: int = 6) -> list[Any]:
    """Do it several times together, each in its own transaction."""

    def run() -> Any:
        with database.write() as stores:
            return act(stores)

    return at_once(*[run] * count)


def test_an_exception_undoes_everything(database: Database) -> None:
    """Nothing is half-stored."""
    with pytest.raises(ZeroDivisionError), database.write() as stores:
        stores.logins.add(LOGIN)
        _ = 1 / 0

    with database.read() as stores:
        assert stores.logins.find(LOGIN.login_id) is None


def test_a_reader_does_not_wait_for_a_writer(database: Database) -> None:
    """A page is served while another login moves."""
    with database.write() as writing:
        writing.logins.add(LOGIN)
        with database.read() as reading:
            assert reading.logins.find(LOGIN.login_id) is None


FOUND: dict[str, tuple[Any, Any]] = {
    "clients": (SIGNER, SIGNER.client_id),
    "logins": (FULL_LOGIN, FULL_LOGIN.login_id),
    "grants": (GRANT, GRANT.grant_id),
    "tokens": (TOKEN, TOKEN.digest),
    "sessions": (SESSION, SESSION.digest),
    "initial_tokens": (INITIAL_TOKEN, INITIAL_TOKEN.digest),
    "registrations": (REGISTRATION, SHOP.client_id),
}
"""What a store keeps, and by what it is found."""


@pytest.mark.parametrize("name", FOUND)
def test_a_record_comes_back_as_it_was(stores: Stores, name: str) -> None:
    """Every field, with any character a client may put into it; nothing else is found."""
    (record, key), store = FOUND[name], getattr(stores, name)
    if store.find(key) is None:
        store.add(record)

    assert store.find(key) == record
    assert store.find(key + key[:1]) is None


def test_codes_consents_and_portal_sessions_come_back(stores: Stores) -> None:
    """Each by all that names it."""
    stores.consents.put(CONSENT)
    stores.portal_sessions.begin(PortalSession(b"s", DORA.developer_id, NOW, LATER))

    consented = [
        stores.consents.find(each, SHOP.client_id) for each in (SUBJECT, OTHER_SUBJECT)
    ]
    assert consented == [CONSENT, None]
    assert [stores.codes.lock(each) for each in (b"code", b"x")] == [CODE, None]
    assert [stores.portal_sessions.find(b"s", at) for at in (NOW, LATER)] == [DORA, None]


SPENT: dict[str, tuple[Callable[[Stores], object], Callable[[Stores], object]]] = {
    "login": (
        lambda on: on.logins.add(LOGIN),
        lambda on: on.logins.move(LOGIN, replace(LOGIN, seq=1), NOW),
    ),
    "code": (
        a_grant_with_both,
        lambda on: not on.codes.lock(b"code").spent and on.codes.spend(b"code", NOW) is None,  # type: ignore[union-attr, func-returns-value]
    ),
    "refresh token": (
        a_grant_with_both,
        lambda on: (
            not on.tokens.lock(b"token").spent  # type: ignore[union-attr]
            and on.tokens.spend(b"token", NOW, SUCCESSOR) is None  # type: ignore[func-returns-value]
        ),
    ),
    "pushed request": (lambda on: on.pushed.add(PUSHED), lambda on: on.pushed.spend(b"r")),
    "identifier": (lambda on: None, lambda on: on.replay.use(b"a", LATER)),
    "invitation": (
        lambda on: None,
        lambda on: on.developers.join(b"invitation", PairwiseSubject(f"vu-{uuid4()}"), NOW),
    ),
    "link": (lambda on: None, lambda on: on.developers.spend(b"invitation", NOW) is not None),
    "invitation to a team": (
        lambda on: on.client_teams.invite(TEAM_INVITATION),
        lambda on: on.client_teams.spend(b"team", NOW) == TEAM_INVITATION,
    ),
}


@pytest.mark.parametrize(("prepare", "spend"), SPENT.values(), ids=SPENT)
def test_of_concurrent_spenders_one_succeeds(
    database: Database, prepare: Callable[[Stores], None], spend: Callable[[Stores], bool]
) -> None:
    """Two phones, two tabs, two workers, a thief: one wins, and none after it."""
    with database.write() as stores:
        prepare(stores)

    assert sorted(all_at_once(database, spend)) == [False] * 5 + [True]
    with database.write() as stores:
        assert not spend(stores)


class TestLogins:
    """``LoginStore``."""

    def test_a_ticket_belongs_to_one_login(self, database: Database) -> None:
        """Two logins with one ticket would be one phone in two browsers."""
        with pytest.raises(IntegrityError), database.write() as stores:
            stores.logins.add(LOGIN)
            stores.logins.add(replace(LOGIN, login_id=LoginId("other")))

    @pytest.mark.parametrize(
        "stale", [{"seq": 5}, {"state": LoginState.SCANNED}, {"login_id": LoginId("other")}]
    )
    def test_a_move_needs_the_login_to_be_as_it_was_seen(
        self, stores: Stores, stale: dict[str, Any]
    ) -> None:
        """State, sequence number and deadline are in the condition of the one UPDATE."""
        after = replace(LOGIN, state=LoginState.SCANNED, seq=1, claimant=PHONE)
        stores.logins.add(LOGIN)

        assert not stores.logins.move(replace(LOGIN, **stale), after, NOW)
        assert not stores.logins.move(LOGIN, after, LATER)
        assert stores.logins.find(LOGIN.login_id) == LOGIN
        assert stores.logins.move(LOGIN, after, NOW)
        assert stores.logins.find(LOGIN.login_id) == after

    def test_late_logins_expire_without_their_accounts(self, stores: Stores) -> None:
        """Open ones only; an unscanned one not before it can no longer be renewed."""
        renewable, fresh = a_login("renewable"), a_login("fresh", expires_at=LATER + SECOND)
        late = a_login("late", state=LoginState.SCANNED, account=ANNA, expected_account=ANNA)
        done = a_login("done", state=LoginState.COMPLETED)
        for each in (renewable, fresh, late, done):
            stores.logins.add(each)

        assert stores.logins.expire(LATER, NOW - SECOND) == 1
        for each in (
            renewable,
            fresh,
            done,
            replace(late, state=LoginState.EXPIRED, seq=1, account=None, expected_account=None),
        ):
            assert stores.logins.find(each.login_id) == each
        assert stores.logins.expire(LATER, NOW) == 1

    def test_logins_of_a_phone_end_with_it_or_for_a_newer_one(self, stores: Stores) -> None:
        """One phone answers one login at a time; another phone's go on, and what has ended."""
        states = {
            "old": (LoginState.SCANNED, PHONE),
            "recognised": (LoginState.VERIFIED, PHONE),
            "approved": (LoginState.APPROVED, PHONE),
            "ended": (LoginState.DECLINED, PHONE),
            "theirs": (LoginState.SCANNED, OTHER_PHONE),
            "new": (LoginState.SCANNED, PHONE),
        }
        for name, (state, phone) in states.items():
            known = {"account": ANNA, "confirmation_code": "1234"}
            stores.logins.add(a_login(name, state=state, claimant=phone, **known))

        assert stores.logins.supersede_others(PHONE, LoginId("new"), NOW) == 2
        old = stores.logins.find(LoginId("old"))
        assert old is not None
        assert (old.state, old.account, old.confirmation_code, old.expires_at) == (
            LoginState.SUPERSEDED, None, None, NOW,
        )  # fmt: skip
        assert [stores.logins.cancel_claimed(PHONE, NOW) for _ in range(2)] == [2, 0]
        left = stores.logins.find_many([LoginId(name) for name in states])
        assert {each.login_id for each in left if each.account} == {"ended", "theirs"}


class TestPseudonyms:
    """``PseudonymStore``."""

    def test_the_first_proposal_is_kept_until_it_is_deleted(self, stores: Stores) -> None:
        """Later ones for the same account and sector are dropped; the old one leads nowhere."""
        assign, account_of = stores.pseudonyms.assign, stores.pseudonyms.account_of

        assert assign(ANNA, SHOP.sector, SUBJECT, NOW) == SUBJECT
        assert assign(ANNA, SHOP.sector, OTHER_SUBJECT, NOW) == SUBJECT
        assert account_of(SUBJECT, SHOP.sector) == ANNA
        assert account_of(OTHER_SUBJECT, SHOP.sector) is None
        assert account_of(SUBJECT, SectorIdentifier("bank")) is None
        assert [stores.pseudonyms.delete(SUBJECT) for _ in range(2)] == [True, False]
        assert account_of(SUBJECT, SHOP.sector) is None
        assert assign(ANNA, SHOP.sector, OTHER_SUBJECT, NOW) == OTHER_SUBJECT

    def test_concurrent_first_logins_get_one_name(self, database: Database) -> None:
        """Two tabs of one app, one person: one pseudonym."""

        def assign(stores: Stores) -> str:
            proposal = PairwiseSubject(f"vu-{uuid4()}")
            return stores.pseudonyms.assign(ANNA, SHOP.sector, proposal, NOW)

        assert len({*all_at_once(database, assign)}) == 1


class TestLogoutNotices:
    """``LogoutNoticeStore``."""

    def test_the_oldest_come_first_are_postponed_or_removed(self, stores: Stores) -> None:
        """A long queue is taken in pieces."""
        for number in range(3):
            name, due_at = NoticeId(str(number)), NOW - number * SECOND
            stores.logouts.add([replace(NOTICE, notice_id=name, due_at=due_at, sid=None)])
        claimed = stores.logouts.claim(NOW, LATER, count=2)
        stores.logouts.postpone(claimed[0], NOW + SECOND)
        stores.logouts.remove(claimed[1].notice_id)

        assert [each.notice_id for each in claimed] == ["2", "1"]
        again = stores.logouts.claim(LATER, LATER + SECOND, count=9)
        assert {each.notice_id for each in again} == {"0", "2"}

    def test_clients_take_turns(self, stores: Stores) -> None:
        """However many notices a slow client has, another's is in the next batch."""
        stores.clients.add(replace(SHOP, client_id=ClientId("other")))
        other = replace(NOTICE, notice_id=NoticeId("x"), client_id=ClientId("other"))
        old = replace(NOTICE, due_at=NOW - SECOND)
        many = [replace(old, notice_id=NoticeId(str(i))) for i in range(9)]
        stores.logouts.add([*many, other])

        claimed = {each.notice_id for each in stores.logouts.claim(NOW, LATER, count=8)}
        assert other.notice_id in claimed
        stores.logouts.delay_client(SHOP.client_id, LATER + SECOND)
        (first,) = stores.logouts.claim(LATER + SECOND, LATER, count=1)
        assert first.notice_id == other.notice_id

    def test_of_several_processes_one_gets_it(self, database: Database) -> None:
        """Each notice is delivered by one of those who ask at once."""
        with database.write() as stores:
            stores.logouts.add([replace(NOTICE, notice_id=NoticeId(str(i))) for i in range(12)])
        groups = all_at_once(database, lambda on: on.logouts.claim(NOW, LATER, count=9), 4)
        claimed = [each.notice_id for group in groups for each in group]

        assert len(claimed) == len({*claimed})


class TestPortal:
    """The stores of developers and their clients."""

    def test_errors_are_bounded_newest_first(self, stores: Stores) -> None:
        """A client in a loop does not fill the disk; anybody may send any client_id."""
        for number in range(5):
            assert stores.client_errors.add(replace(ERROR, description=str(number)), keep=3)
        unknown = replace(ERROR, client_id=ClientId("x"))

        assert not stores.client_errors.add(unknown, keep=3)
        assert stores.client_errors.of(SHOP.client_id) == [
            replace(ERROR, description=each) for each in "432"
        ]
