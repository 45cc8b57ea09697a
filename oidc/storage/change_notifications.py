"""Port: a database that tells, by itself, which logins moved, whichever process moved them."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from oidc.types import LoginId


class ChangeListener(Protocol):
    """Whoever is told. Called in the event loop."""

    def notify(self, name: str) -> None:
        """A login moved; see ``notification_key``."""

    def set_active(self, *, active: bool) -> None:
        """Every move is told from now on, or none; what moved before may have been missed."""


def notification_key(login_id: LoginId) -> str:
    """Return how the database names a login to its listeners: SHA-256, hexadecimal.

    Migration 0011 does the same: the name itself is in the address of the login's page.
    """
    return hashlib.sha256(login_id.encode("utf-8")).hexdigest()
