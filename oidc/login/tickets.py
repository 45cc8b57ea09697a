"""The tickets of a login: a new one every few seconds, none of them stored.

A hash chain shown backwards (Lamport 1981); the store holds its end, the anchor. A ticket or
the database gives earlier tickets, which are stale, but no later one. The chain comes from the
browser's secret, so showing a ticket writes nothing. A ticket is base64url of login ID and
element, 16 bytes each.
"""

import base64
import binascii
import hashlib
import hmac
import re
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from oidc.errors import LoginGone
from oidc.types import CLOCKS_APART, BrowserSecret, LoginId, LoginLimits, Ticket

_ELEMENT_BYTES: Final = 16
_NAME_BYTES: Final = 16
_LENGTH: Final = 43
_NAME: Final = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class TicketChain:
    """All tickets of one login; ``seed`` is shown last."""

    login_id: LoginId
    seed: bytes = field(repr=False)
    step_count: int
    step_s: int

    @property
    def anchor(self) -> bytes:
        """The end of the chain, which is stored."""
        return _hash_repeatedly(self.login_id, self.seed, self.step_count)

    def at(self, age_s: float) -> Ticket:
        """Return the ticket shown when the login is that old."""
        step = min(max(0, int(age_s // self.step_s)), self.step_count - 1)
        element = _hash_repeatedly(self.login_id, self.seed, self.step_count - 1 - step)
        text = base64.urlsafe_b64encode(bytes.fromhex(self.login_id) + element)
        return Ticket(text.rstrip(b"=").decode("ascii"))


@dataclass(frozen=True, slots=True)
class PresentedTicket:
    """A well-formed ticket, not yet checked."""

    login_id: LoginId
    element: bytes = field(repr=False)


def chain_of(
    login_id: LoginId, browser_secret: BrowserSecret, limits: LoginLimits
) -> TicketChain:
    """Derive the tickets from the browser's secret."""
    seed = _derived(login_id, browser_secret, b"tickets")
    step_count = -(-limits.pending_s // limits.ticket_step_s) + 1
    return TicketChain(login_id, seed[:_ELEMENT_BYTES], step_count, limits.ticket_step_s)


def code_of(login_id: LoginId, browser_secret: BrowserSecret) -> str:
    """Derive the authorization code: a repeated request gets the same one."""
    return _derived(login_id, browser_secret, b"code").hex()


def _derived(login_id: LoginId, browser_secret: BrowserSecret, use: bytes) -> bytes:
    secret = browser_secret.encode("utf-8", "surrogatepass")
    return hmac.new(secret, use + login_id.encode("ascii"), hashlib.sha256).digest()


def parse_ticket(ticket: Ticket) -> PresentedTicket:
    """Parse a ticket. Raises ``LoginGone``, as for an unknown login."""
    if len(ticket) != _LENGTH or not ticket.isascii():
        raise LoginGone
    try:
        data = base64.b64decode(ticket + "=", altchars=b"-_", validate=True)
    except binascii.Error:
        raise LoginGone from None
    return PresentedTicket(LoginId(data[:_NAME_BYTES].hex()), data[_NAME_BYTES:])


def staleness_s(
    shown: PresentedTicket,
    anchor: bytes,
    opened_at: datetime,
    now: datetime,
    limits: LoginLimits,
) -> int:
    """Return the seconds since the ticket left the screen; 0 if still shown.

    Raises ``LoginGone`` if it is not of this login.
    """
    present = max(0, int((now - opened_at) / timedelta(seconds=limits.ticket_step_s)))
    element = shown.element
    # The clock of the process that drew it may be ahead; only the browser knows later ones.
    ahead = 2 * CLOCKS_APART // timedelta(seconds=limits.ticket_step_s)
    for step in range(present + 2 + ahead):
        element = _next(shown.login_id, element)
        if hmac.compare_digest(element, anchor):
            return max(0, present - step) * limits.ticket_step_s
    raise LoginGone


def _hash_repeatedly(login_id: LoginId, element: bytes, steps: int) -> bytes:
    for _ in range(steps):
        element = _next(login_id, element)
    return element


def _next(login_id: LoginId, element: bytes) -> bytes:
    name = login_id.encode("ascii") if _NAME.fullmatch(login_id) else b""
    return hashlib.sha256(b"thenar ticket" + name + element).digest()[:_ELEMENT_BYTES]
