"""Port: codes that delete an account without a palm, as digests."""

from __future__ import annotations

from typing import Protocol

from oidc.types import AccountId


class DeletionCodes(Protocol):
    """At most one code per account."""

    def replace(self, account: AccountId, digest: bytes) -> None:
        """Save the account's code; an earlier one stops working."""

    def find(self, digest: bytes) -> AccountId | None:
        """Return the account of a code, or None."""
