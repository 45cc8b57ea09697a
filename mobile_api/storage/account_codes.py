"""Port: codes of accounts, as digests: they delete an account, or make a phone trusted."""

from __future__ import annotations

from typing import Protocol

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
