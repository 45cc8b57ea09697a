"""Port: codes that delete an account without a palm. Only digests are kept."""

from __future__ import annotations

from typing import Protocol

from oidc.types import AccountId


class DeletionCodes(Protocol):
    """One code for each account that has asked for one."""

    def replace(self, account: AccountId, digest: bytes) -> None:
        """Let an account have this code, and no other one any longer."""

    def find(self, digest: bytes) -> AccountId | None:
        """Return the account of a code, None if it is nobody's."""
