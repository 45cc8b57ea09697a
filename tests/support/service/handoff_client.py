"""Answer many logins without palms, by the calls that the mobile API makes.

A thousand palms a second would time the engine: this client names the person directly.
"""

from collections.abc import Callable
from datetime import datetime
from uuid import uuid4

from oidc.settings import OidcSettings
from oidc.types import AccountId, Authenticated, Claimant, Level, Ticket


class HandoffClient:
    """Answers logins of one installation, each with a new phone and account."""

    def __init__(self, database_url: str, auth_url: str) -> None:
        from oidc.app import open_handoff  # noqa: PLC0415 - not for help

        settings = OidcSettings(issuer=auth_url, database_url=database_url)
        self._handoff = open_handoff(settings)

    def answer(self, ticket: str, at: datetime) -> Callable[[], object]:
        """Claim a login and authenticate a new person; return the approving call."""
        phone, person = Claimant(uuid4().hex), AccountId(uuid4())
        login_id = self._handoff.claim(Ticket(ticket), phone).login_id
        self._handoff.record_outcome(
            login_id, phone, Authenticated(person, at, Level.PALM_AND_PHONE)
        )
        return lambda: self._handoff.approve(login_id, phone)

    def close(self) -> None:
        """Close the database."""
        self._handoff.close()
