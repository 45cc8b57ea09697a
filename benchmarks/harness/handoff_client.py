"""The phone's half of many logins at once, without palms: what the mobile API tells the door.

A thousand palms in a second would time the engine. Here the door is told outright whom a palm
named, with the very calls the mobile API makes, from another process than the provider's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

from oidc.app import open_door
from oidc.settings import OidcSettings
from oidc.types import AccountId, Authenticated, Claimant, Ticket

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime


class HandoffClient:
    """Answers logins of one installation, each from a phone and for a person of its own.

    Args:
        database_url: the protocol database of that installation.
        auth_url: of that installation.
    """

    def __init__(self, database_url: str, auth_url: str) -> None:
        settings = OidcSettings(issuer=auth_url, database_url=database_url)
        self._door = open_door(settings)

    def answer(self, ticket: str, at: datetime) -> Callable[[], object]:
        """Scan, and show a palm; return what says yes. Blocking, as that is."""
        phone, person = Claimant(uuid4().hex), AccountId(uuid4())
        login_id = self._door.claim(Ticket(ticket), phone).login_id
        self._door.settle(login_id, phone, Authenticated(person, at))
        return lambda: self._door.approve(login_id, phone)

    def close(self) -> None:
        """Let go of the database."""
        self._door.close()
