"""Arguments and results of the browser's half of a login."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Final

from oidc.client import AuthorizationRequest
from oidc.login.tickets import TicketChain
from oidc.types import (
    BrowserDescription,
    BrowserSecret,
    LoginId,
    LoginState,
    NextStep,
    SessionSecret,
)


@dataclass(frozen=True, slots=True)
class CreatedLogin:
    """A new login, and the secret for the browser's cookie."""

    login_id: LoginId
    browser_secret: BrowserSecret = field(repr=False)


@dataclass(frozen=True, slots=True)
class Visitor:
    """The browser that brings a request.

    ``mark`` digests its lasting secret, ``station`` the cookie that a station has.
    """

    origin: BrowserDescription = field(default_factory=BrowserDescription)
    mark: bytes | None = field(default=None, repr=False)
    station: bytes | None = field(default=None, repr=False)
    logins: Mapping[LoginId, BrowserSecret] = field(
        default_factory=lambda: MappingProxyType({}), repr=False
    )


UNKNOWN_VISITOR: Final = Visitor()


@dataclass(frozen=True, slots=True)
class Progress:
    """The state of a login, as its browser may know it.

    ``expires_at`` is the next step's deadline, or when it ended; aware, UTC. ``tries_left`` is
    sent after one that failed.
    """

    login_id: LoginId
    state: LoginState
    hint: NextStep
    expires_at: datetime
    is_renewable: bool = False
    tries_left: int | None = None


@dataclass(frozen=True, slots=True)
class LoginView:
    """All that the consent page shows; ``opened_at`` starts the tickets (aware, UTC).

    ``at_station``: whether its browser says that the palm can be shown there; ``verifies``:
    whether the client named who has to show a palm.
    """

    request: AuthorizationRequest
    progress: Progress
    tickets: TicketChain = field(repr=False)
    opened_at: datetime
    at_station: bool = False
    verifies: bool = False


@dataclass(frozen=True, slots=True)
class CodeIssued:
    """Success; ``session_secret`` is for a new session cookie, or None."""

    request: AuthorizationRequest
    code: str = field(repr=False)
    session_secret: SessionSecret | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class LoginRefused:
    """The login ended without a code."""

    request: AuthorizationRequest
    hint: NextStep


@dataclass(frozen=True, slots=True)
class StillWaiting:
    """Nothing to collect yet."""


Collected = CodeIssued | LoginRefused | StillWaiting
"""Matched exhaustively."""
