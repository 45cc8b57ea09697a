"""Interface of transactions and the stores in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from contextlib import AbstractContextManager

    from oidc.storage.audit import AuditStore
    from oidc.storage.client_errors import ClientErrorStore
    from oidc.storage.clients import ClientStore
    from oidc.storage.codes import CodeStore
    from oidc.storage.consents import ConsentStore
    from oidc.storage.developers import DeveloperStore, OwnedClientStore, PortalSessionStore
    from oidc.storage.grants import GrantStore
    from oidc.storage.keys import KeyStore
    from oidc.storage.known_browsers import KnownBrowserStore
    from oidc.storage.logins import LoginStore
    from oidc.storage.logouts import LogoutNoticeStore
    from oidc.storage.pseudonyms import PseudonymStore
    from oidc.storage.pushed import PushedRequestStore
    from oidc.storage.registrations import InitialTokenStore, RegistrationStore
    from oidc.storage.replay import ReplayStore
    from oidc.storage.restore import RestoreStore
    from oidc.storage.retention import RetentionStore
    from oidc.storage.sessions import SessionStore
    from oidc.storage.sign_ins import SignInStore
    from oidc.storage.tokens import TokenStore

T = TypeVar("T")


class ThreadNeeded(Exception):
    """The work must wait for the database in a thread. Nothing was done."""


class Stores(Protocol):
    """Every store, in one transaction."""

    @property
    def clients(self) -> ClientStore:
        """Registered clients."""

    @property
    def logins(self) -> LoginStore:
        """Pending logins."""

    @property
    def grants(self) -> GrantStore:
        """Grants."""

    @property
    def codes(self) -> CodeStore:
        """Authorization codes."""

    @property
    def tokens(self) -> TokenStore:
        """Refresh tokens."""

    @property
    def keys(self) -> KeyStore:
        """Signing keys."""

    @property
    def pseudonyms(self) -> PseudonymStore:
        """For ``oidc.accounts.pseudonym`` only."""

    @property
    def replay(self) -> ReplayStore:
        """Single-use identifiers."""

    @property
    def pushed(self) -> PushedRequestStore:
        """Pushed authorization requests."""

    @property
    def initial_tokens(self) -> InitialTokenStore:
        """Initial access tokens."""

    @property
    def registrations(self) -> RegistrationStore:
        """Dynamic registrations."""

    @property
    def sessions(self) -> SessionStore:
        """Browser sessions."""

    @property
    def sign_ins(self) -> SignInStore:
        """Sign-ins, for their owners."""

    @property
    def consents(self) -> ConsentStore:
        """Consents."""

    @property
    def logouts(self) -> LogoutNoticeStore:
        """Pending logout notices."""

    @property
    def known_browsers(self) -> KnownBrowserStore:
        """Known browsers."""

    @property
    def developers(self) -> DeveloperStore:
        """Portal developers."""

    @property
    def owned_clients(self) -> OwnedClientStore:
        """Owners of clients."""

    @property
    def portal_sessions(self) -> PortalSessionStore:
        """Portal sessions."""

    @property
    def client_errors(self) -> ClientErrorStore:
        """Recent errors of clients."""

    @property
    def retention(self) -> RetentionStore:
        """Retention."""

    @property
    def restore(self) -> RestoreStore:
        """Restored backups."""

    @property
    def audit(self) -> AuditStore:
        """The audit log."""


class AsyncTransactions(Protocol):
    """Transactions for an event loop, without a thread for each.

    All methods raise ``DatabaseUnavailable``.
    """

    async def write(self, work: Callable[[Stores], T]) -> T:
        """Run ``work`` as one transaction; return after its commit.

        The work may be rolled back and repeated. Its exceptions roll it back.
        """

    async def run(self, steps: Coroutine[Any, Any, T]) -> T:
        """Await ``steps``, in which plain functions may ``read`` without blocking the loop.

        Raises ``ThreadNeeded`` for work that needs a thread; nothing was done.
        """


class Transactions(Protocol):
    """Opens transactions. Blocking, except ``read`` within ``asynchronous.run``.

    All methods raise ``DatabaseUnavailable``.
    """

    @property
    def asynchronous(self) -> AsyncTransactions:
        """Transactions for an event loop."""

    def read(self) -> AbstractContextManager[Stores]:
        """Open a read-only transaction."""

    def write(self) -> AbstractContextManager[Stores]:
        """Open a transaction that commits at the end and rolls back on an exception."""

    def close(self) -> None:
        """Close idle connections. Later transactions open new ones."""
