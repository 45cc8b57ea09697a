"""Port: one transaction and the stores that live in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from oidc.storage.clients import ClientStore
    from oidc.storage.codes import CodeStore
    from oidc.storage.grants import GrantStore
    from oidc.storage.keys import KeyStore
    from oidc.storage.logins import LoginStore
    from oidc.storage.pseudonyms import PseudonymStore
    from oidc.storage.pushed import PushedRequestStore
    from oidc.storage.replay import ReplayStore
    from oidc.storage.tokens import TokenStore


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
        """Pseudonyms; for ``oidc.pseudonym`` only."""

    @property
    def replay(self) -> ReplayStore:
        """Identifiers that were used."""

    @property
    def pushed(self) -> PushedRequestStore:
        """Pushed authorization requests."""


class Transactions(Protocol):
    """Opens transactions. Blocking: never called in the event loop."""

    def read(self) -> AbstractContextManager[Stores]:
        """Open a transaction that only reads."""

    def write(self) -> AbstractContextManager[Stores]:
        """Open a transaction: committed at the end, rolled back if an exception leaves it."""

    def close(self) -> None:
        """Close every idle connection. Later transactions open new ones."""
