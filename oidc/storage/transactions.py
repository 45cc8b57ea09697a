"""Port: one transaction and the stores that live in it."""

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
    from oidc.storage.tokens import TokenStore

T = TypeVar("T")


class ThreadNeeded(Exception):
    """What was asked has to wait for the database in a thread. It was not begun."""


class Stores(Protocol):
    """Every store, inside one transaction."""

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
        """Pseudonyms; for ``oidc.accounts.pseudonym`` only."""

    @property
    def replay(self) -> ReplayStore:
        """Identifiers that were used."""

    @property
    def pushed(self) -> PushedRequestStore:
        """Pushed authorization requests."""

    @property
    def initial_tokens(self) -> InitialTokenStore:
        """Tokens that let their holders register clients."""

    @property
    def registrations(self) -> RegistrationStore:
        """Clients that registered themselves."""

    @property
    def sessions(self) -> SessionStore:
        """Browsers that may sign in without a palm for some minutes."""

    @property
    def consents(self) -> ConsentStore:
        """What persons allowed clients."""

    @property
    def logouts(self) -> LogoutNoticeStore:
        """Logouts that clients have yet to be told of."""

    @property
    def known_browsers(self) -> KnownBrowserStore:
        """Browsers in which an account signed in before."""

    @property
    def developers(self) -> DeveloperStore:
        """Whoever was invited to the portal."""

    @property
    def owned_clients(self) -> OwnedClientStore:
        """Which clients are whose."""

    @property
    def portal_sessions(self) -> PortalSessionStore:
        """Browsers that are signed in to the portal."""

    @property
    def client_errors(self) -> ClientErrorStore:
        """The last errors each client was answered with."""

    @property
    def retention(self) -> RetentionStore:
        """What is kept for a while after it ended."""

    @property
    def restore(self) -> RestoreStore:
        """What a backup brought back."""

    @property
    def audit(self) -> AuditStore:
        """What happened, in a chain."""


class AsyncTransactions(Protocol):
    """What an event loop does with the database: many requests at once, and no thread for each.

    All raise ``DatabaseUnavailable`` if the database does not answer.
    """

    async def write(self, work: Callable[[Stores], T]) -> T:
        """Do some work as one transaction; return when what it wrote is on disk.

        The work may be begun, undone and begun again. Raises what it raises, which undoes it.
        """

    async def run(self, steps: Coroutine[Any, Any, T]) -> T:
        """Await steps in which plain functions ``read``: others are served while they wait.

        Raises ``ThreadNeeded`` for what only a thread can wait for; nothing came of it.
        """


class Transactions(Protocol):
    """Opens transactions. Blocking, but for a ``read`` within ``together.walk``.

    All raise ``DatabaseUnavailable`` if the database does not answer.
    """

    @property
    def asynchronous(self) -> AsyncTransactions:
        """Reads and writes for an event loop."""

    def read(self) -> AbstractContextManager[Stores]:
        """Open a transaction that only reads."""

    def write(self) -> AbstractContextManager[Stores]:
        """Open a transaction: committed at the end, rolled back if an exception leaves it."""

    def close(self) -> None:
        """Close every idle connection. Later transactions open new ones."""
