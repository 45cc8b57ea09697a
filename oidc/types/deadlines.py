"""How long things last, and how often what may fail."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LoginLimits:
    """How long each open state may last, and how often what may fail.

    Attributes:
        pending_s: until a phone claims the ticket.
        scanned_s: until a palm is recognised.
        verified_s: until the person approves.
        approved_s: until the browser collects.
        attempts: palms that may be presented.
        ticket_step_s: after how long the QR code shows the next ticket.
        ticket_grace_s: how long a ticket is accepted that is no longer shown.
        renewable_s: how long after its beginning a login nobody scanned may be renewed.
        code_s: until the confirmation code is typed.
        code_tries: wrong confirmation codes that may be typed.
        known_browser_s: how long a browser that finished a login is known to its account.
    """

    pending_s: int = 180
    scanned_s: int = 120
    verified_s: int = 60
    approved_s: int = 30
    attempts: int = 3
    ticket_step_s: int = 5
    ticket_grace_s: int = 20
    renewable_s: int = 600
    code_s: int = 120
    code_tries: int = 3
    known_browser_s: int = 180 * 86_400


@dataclass(frozen=True, slots=True)
class Lifetimes:
    """How long what is issued may live.

    Attributes:
        code_s: an authorization code.
        access_token_s: an access token.
        id_token_s: an ID token.
        refresh_token_s: a family of refresh tokens, however often they are rotated.
        refresh_token_idle_s: a refresh token that is not used.
        refresh_grace_s: how long a spent refresh token gives the same successor again.
        session_s: how long after a palm its browser may sign in without one; 0: never.
    """

    code_s: int = 60
    access_token_s: int = 3600
    id_token_s: int = 3600
    refresh_token_s: int = 90 * 86_400
    refresh_token_idle_s: int = 30 * 86_400
    refresh_grace_s: int = 10
    session_s: int = 0
