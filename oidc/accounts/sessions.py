"""Browser sessions: a recent palm, remembered for minutes if the operator wants it.

A session belongs to one browser (secret in a cookie, stored as digest) and ends at a fixed time
after the palm. Each client knows it by its own ``sid`` (Back-Channel Logout 1.0 §2.1): two
clients cannot find out that they serve the same browser.

A station's browser is given no session. The identifier itself shows where it began: the second
half authenticates the first with that station's cookie, of which no database has more than a
digest.
"""

import base64
import hashlib
import hmac
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from oidc.protocol import digest_of, new_identifier, new_secret
from oidc.storage.database import Stores
from oidc.storage.stores.sessions import BrowserSession
from oidc.types import Authenticated, ClientId, SessionId, SessionSecret, Sid

_SID_BYTES: Final = 16
_IDENTIFIER: Final = 32
"""Characters of an identifier."""


@dataclass(frozen=True, slots=True)
class StartedSession:
    """A new or renewed session; ``secret`` is None if nothing is remembered."""

    session_id: SessionId = field(repr=False)
    secret: SessionSecret | None = field(repr=False)


def start(
    stores: Stores,
    person: Authenticated,
    present: SessionSecret | None,
    *,
    lifetime_s: int,
    station: str | None,
    now: datetime,
) -> StartedSession:
    """Start a session, or renew the browser's own; another person's ends.

    The secret is always new (OWASP ASVS 5.0, 7.2.4). ``lifetime_s`` counts from the palm.
    ``station``: a station's cookie, where nothing is remembered.
    """
    before = find(stores, present, now)
    if before is not None:
        stores.sessions.remove(before.session_id)
    if station is not None:
        return StartedSession(_at_station(station, new_identifier()), None)
    is_same = before is not None and before.account == person.account
    session_id = before.session_id if before and is_same else SessionId(new_identifier())
    if lifetime_s == 0:
        return StartedSession(session_id, None)
    secret = SessionSecret(new_secret())
    stores.sessions.add(
        BrowserSession(
            digest=digest_of(secret),
            session_id=session_id,
            account=person.account,
            auth_time=person.auth_time,
            level=person.level,
            expires_at=person.auth_time + timedelta(seconds=lifetime_s),
        )
    )
    return StartedSession(session_id, secret)


def find(stores: Stores, secret: SessionSecret | None, now: datetime) -> BrowserSession | None:
    """Return the active session of a browser, or None."""
    session = stores.sessions.find(digest_of(secret)) if secret else None
    return session if session is not None and session.expires_at > now else None


def began_at(session_id: SessionId, station: str) -> bool:
    """Return whether a session began at the station with this cookie."""
    expected = _at_station(station, session_id[:_IDENTIFIER])
    return hmac.compare_digest(expected, session_id)


def _at_station(station: str, identifier: str) -> SessionId:
    key = station.encode("utf-8", "surrogatepass")
    mac = hmac.new(key, identifier.encode("ascii"), hashlib.sha256)
    return SessionId(identifier + mac.hexdigest()[:_IDENTIFIER])


def sid_for(session_id: SessionId, client_id: ClientId) -> Sid:
    """Return one client's ``sid`` of a session: 128 bits, stable."""
    mac = hmac.new(session_id.encode("ascii"), client_id.encode("ascii"), hashlib.sha256)
    text = base64.urlsafe_b64encode(mac.digest()[:_SID_BYTES]).rstrip(b"=").decode("ascii")
    return Sid(text)
