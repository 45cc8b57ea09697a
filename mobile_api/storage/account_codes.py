"""Port: codes as digests: they delete an account, make a phone trusted, or dispute a palm."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from engine.types import Hand
from mobile_api.types import Dispute
from oidc.types import AccountId


class AccountCodes(Protocol):
    """At most one code per account, for one purpose."""

    def replace(self, account: AccountId, digest: bytes) -> None:
        """Save the account's code; an earlier one stops working."""

    def find(self, digest: bytes) -> AccountId | None:
        """Return the account of a code, or None."""

    def has_any(self, account: AccountId) -> bool:
        """Tell whether the account has a code."""

    def remove(self, account: AccountId) -> None:
        """Delete the account's code."""


class Disputes(Protocol):
    """Disputes by the digests of their codes; they end with their account."""

    def add(self, digest: bytes, dispute: Dispute) -> None:
        """Save a dispute."""

    def find(self, digest: bytes) -> Dispute | None:
        """Return the dispute of a code, or None."""

    def remove_of(self, account: AccountId, hand: Hand) -> None:
        """Delete every dispute about this palm of an account."""

    def purge(self, before: datetime) -> None:
        """Delete disputes older than this."""
