"""The values of a browser's visit: who comes, what the page shows, and what is collected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from oidc.types import (
    AuthorizationRequest,
    BrowserDescription,
    BrowserSecret,
    LoginId,
    LoginState,
    NextStep,
    SessionSecret,
)

if TYPE_CHECKING:
    from datetime import datetime

    from oidc.login.tickets import TicketChain


@dataclass(frozen=True, slots=True)
class CreatedLogin:
    """A new login: its name, and the secret that goes into the browser's cookie."""

    login_id: LoginId
    browser_secret: BrowserSecret = field(repr=False)


@dataclass(frozen=True, slots=True)
class Visitor:
    """The browser that brings a request.

    Attributes:
        origin: what it says of itself.
        mark: digest of its lasting secret; None if it has none.
        logins: earlier logins of its cookies, with their secrets.
    """

    origin: BrowserDescription = field(default_factory=BrowserDescription)
    mark: bytes | None = field(default=None, repr=False)
    logins: Mapping[LoginId, BrowserSecret] = field(
        default_factory=lambda: MappingProxyType({}), repr=False
    )


UNKNOWN_VISITOR: Final = Visitor()
"""A browser that says nothing of itself."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a login stands, as its browser may know it.

    Attributes:
        login_id: which.
        state: the state itself.
        hint: what happens next.
        expires_at: deadline of the next step, or when it ended; aware, UTC.
        is_renewable: whether its time ran out and another code may be shown.
    """

    login_id: LoginId
    state: LoginState
    hint: NextStep
    expires_at: datetime
    is_renewable: bool = False


@dataclass(frozen=True, slots=True)
class LoginView:
    """All that the consent page shows.

    Attributes:
        request: who asks for what.
        progress: where it stands.
        tickets: what its QR code shows, one after the other.
        opened_at: when the first of them was shown; aware, UTC.
        tries_left: how many confirmation codes may still be typed.
    """

    request: AuthorizationRequest
    progress: Progress
    tickets: TicketChain = field(repr=False)
    opened_at: datetime
    tries_left: int


@dataclass(frozen=True, slots=True)
class CodeIssued:
    """The login succeeded: the code goes to the client, by the browser that began.

    Attributes:
        request: what it answers.
        code: for the client.
        session_secret: for the browser's session cookie; None if it keeps what it has.
    """

    request: AuthorizationRequest
    code: str = field(repr=False)
    session_secret: SessionSecret | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class LoginRefused:
    """The login ended without a code: the client is told why."""

    request: AuthorizationRequest
    hint: NextStep


@dataclass(frozen=True, slots=True)
class StillWaiting:
    """Nothing to collect yet."""

    hint: NextStep


Collected = CodeIssued | LoginRefused | StillWaiting
"""What a browser finds when it collects; matched exhaustively by its callers."""
