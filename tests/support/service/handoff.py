"""The handoff of a real provider on SQLite, and a browser that begins logins."""

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from sqlalchemy import Engine

from mobile_api.provider import Provider
from oidc.accounts import pseudonym
from oidc.aliases import Aliases
from oidc.client import AuthorizationRequest, Client, ConfirmCode
from oidc.errors import DatabaseUnavailable
from oidc.handoff import Handoff
from oidc.login.browser import BrowserLogins
from oidc.login.tickets import chain_of
from oidc.login.views import CodeIssued, Visitor
from oidc.protocol import LEVELS
from oidc.storage.database import Database, open_engine
from oidc.storage.migrate import migrate_database
from oidc.types import (
    AccountId,
    Authenticated,
    BrowserDescription,
    BrowserSecret,
    Claimant,
    ClaimedLoginState,
    Clock,
    Lifetimes,
    LinkedClientHandle,
    LoginId,
    LoginLimits,
    Outcome,
    Ticket,
)
from tests.support.clock import FakeClock
from tests.support.service.clients import add_client

ALIASES = Aliases(b"b" * 32, b"p" * 32)
AUTH_URL = "https://id.example.test/oauth2"
BROWSER = Visitor(BrowserDescription("Firefox", "Windows", "203.0.113.0/24"))
CODE = "0481"
"""The confirmation code of every login that asks for one."""


@cache
def _migrated(migrate: Callable[[Engine], object]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "empty.sqlite3"
        engine = open_engine(f"sqlite:///{path}")
        migrate(engine)
        engine.dispose()
        return path.read_bytes()


def place_migrated(path: Path, migrate: Callable[[Engine], object]) -> None:
    """Make an empty SQLite database if there is none: a copy of one that was migrated once."""
    if not path.exists():
        path.write_bytes(_migrated(migrate))


def provider_database(folder: Path) -> Database:
    """Open the protocol database in a folder; make it if there is none."""
    path = folder / "protocol.sqlite3"
    place_migrated(path, migrate_database)
    return Database(open_engine(f"sqlite:///{path}"))


class ObservedHandoff(Handoff):
    """The phone's half of logins, with a browser that begins them, and the outcomes it gets.

    Attributes:
        forgotten: accounts that were deleted at the provider, in order.
        is_down: whether the provider cannot be reached now.
        overtake: what happens, once, just before the next palm is settled.
        asks_code: whether the next logins ask for a confirmation code.
        accepts: the levels that the next logins accept.
    """

    def __init__(self, database: Database, clock: FakeClock) -> None:
        limits = LoginLimits()
        super().__init__(database, limits, clock, AUTH_URL, lambda: CODE)
        self._database, self._login_limits = database, limits
        self._browser = BrowserLogins(database, limits, Lifetimes(), clock)
        self._outcomes: dict[LoginId, Outcome] = {}
        self._newest: LoginId | None = None
        self._client: Client | None = None
        self._secret: BrowserSecret | None = None
        self.forgotten: list[AccountId] = []
        self.is_down = False
        self.overtake: Callable[[], object] | None = None
        self.asks_code = False
        self.accepts = LEVELS

    def open(
        self,
        named: AccountId | None = None,
        client: Client | None = None,
        station: bytes | None = None,
    ) -> Ticket:
        """Begin a login, at the bookshop if at no other client; return its code's ticket.

        ``station``: digest of the browser's station cookie.
        """
        client = client or self._bookshop()
        if named is not None:
            named = ALIASES.alias_of(named)
            with self._database.write() as stores:
                pseudonym.subject_for(stores, named, client.sector, self._clock())
        request = AuthorizationRequest(
            client.client_id,
            client.name,
            client.sector,
            client.redirect_uris[0],
            ("openid",),
            confirm_code=ConfirmCode.ALWAYS if self.asks_code else ConfirmCode.NEVER,
            accepts=self.accepts,
        )
        opened = self._browser.create_login(
            request, replace(BROWSER, station=station), hinted=named
        )
        self._newest, self._secret = opened.login_id, opened.browser_secret
        return chain_of(opened.login_id, opened.browser_secret, self._login_limits).at(0)

    def collect(self) -> None:
        """Let the browser finish the newest login."""
        assert self._secret is not None
        collected = self._browser.collect(self._named(None), self._secret)
        assert isinstance(collected, CodeIssued)

    def outcome(self, login_id: str | None = None) -> Outcome | None:
        """Return the outcome that the provider got last, by default of the newest login."""
        return self._outcomes.get(self._named(login_id))

    def state_of(self, login_id: str | None = None) -> str:
        """Return where a login stands, by default the newest."""
        with self._database.read() as stores:
            login = stores.logins.find(self._named(login_id))
        assert login is not None
        return login.state.value

    def record_outcome(
        self, login_id: LoginId, claimant: Claimant, outcome: Outcome
    ) -> ClaimedLoginState:
        """Record the outcome of a palm, and keep it for the test."""
        overtake, self.overtake = self.overtake, None
        if overtake is not None:
            overtake()
        state = super().record_outcome(login_id, claimant, outcome)
        if isinstance(outcome, Authenticated):
            outcome = replace(outcome, account=ALIASES.account_of(outcome.account))
        self._outcomes[login_id] = outcome
        return state

    def delete_account(self, account: AccountId, phones: Sequence[Claimant] = ()) -> None:
        """Delete an account, and keep its identifier for the test."""
        if self.is_down:
            raise DatabaseUnavailable
        self.forgotten.append(ALIASES.account_of(account))
        super().delete_account(account, phones)

    def _bookshop(self) -> Client:
        if self._client is None:
            self._client = new_client(self._database, self._clock, "Bookshop", "books.example")
        return self._client

    def _named(self, login_id: str | None) -> LoginId:
        named = self._newest if login_id is None else LoginId(login_id)
        assert named is not None
        return named


def new_client(
    database: Database, clock: Clock, name: str, host: str, **options: str
) -> Client:
    """Register a relying party."""
    with database.write() as stores:
        uris = [f"https://{host}/callback"]
        return add_client(stores, name, uris, clock(), **options).client


def link(database: Database, clock: Clock, account: AccountId, name: str) -> None:
    """Give an account a pseudonym at a new client."""
    client = new_client(database, clock, name, f"{name}.example")
    with database.write() as stores:
        pseudonym.subject_for(stores, ALIASES.alias_of(account), client.sector, clock())


def handle_of(provider: Provider, account: AccountId, name: str) -> LinkedClientHandle:
    """Return by what handle a client is disconnected from an account."""
    linked = provider.linked_clients(account)
    return next(each.handle for each in linked if each.client_name == name)
