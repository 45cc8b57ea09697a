"""Lifetimes, deadlines and numbers of tries."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True, slots=True)
class LoginLimits:
    """The deadlines and tries of a login.

    Attributes:
        pending_s: until a phone claims the ticket.
        scanned_s: until a palm is recognised.
        verified_s: until approval.
        approved_s: until the browser collects.
        attempts: palms.
        ticket_grace_s: accepted after it was shown.
        renewable_s: from the start, while unclaimed.
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
    """How long issued credentials are valid.

    Attributes:
        refresh_token_s: a family, however often rotated.
        refresh_token_idle_s: an unused token.
        refresh_grace_s: repeats of the same successor.
        session_s: sign-in without a palm; 0: never.
    """

    code_s: int = 60
    access_token_s: int = 3600
    id_token_s: int = 3600
    refresh_token_s: int = 90 * 86_400
    refresh_token_idle_s: int = 30 * 86_400
    refresh_grace_s: int = 10
    session_s: int = 0


@dataclass(frozen=True, slots=True)
class Retention:
    """How long an operator keeps ended records."""

    audit: timedelta
    sign_ins: timedelta
