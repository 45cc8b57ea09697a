"""Interface of change notifications: the database reports which logins changed."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from oidc.types import LoginId


class ChangeListener(Protocol):
    """Receives notifications, in the event loop."""

    def notify(self, name: str) -> None:
        """Report that a login changed; see ``notification_key``."""

    def set_active(self, *, active: bool) -> None:
        """Set whether all changes are reported from now on; earlier ones may be missed."""


def notification_key(login_id: LoginId) -> str:
    """Return SHA-256 of the login's id, hexadecimal, as migration 0011 computes it.

    The id itself is part of the consent page's address and must not be published.
    """
    return hashlib.sha256(login_id.encode("utf-8")).hexdigest()
