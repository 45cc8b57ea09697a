"""Logout tokens. OpenID Connect Back-Channel Logout 1.0 §2.4.

Made at delivery, so that they are young; they hold the client's own ``sub`` and ``sid`` only.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from oidc.protocol.identifiers import new_secret
from oidc.storage.stores.logins.logouts import LogoutNotice
from oidc.tokens.claims import Validity

EVENT: Final = "http://schemas.openid.net/event/backchannel-logout"

TYPE: Final = "logout+jwt"

LIFETIME: Final = timedelta(minutes=2)
"""Back-Channel Logout 1.0 §4 recommends two minutes at most."""


def logout_token_claims(
    notice: LogoutNotice, *, issuer: str, now: datetime
) -> dict[str, object]:
    """Return the claims of a logout token. There is never a nonce (§2.4)."""
    session = {} if notice.sid is None else {"sid": notice.sid}
    times = Validity(now, int(LIFETIME.total_seconds())).claims()
    return {
        "iss": issuer,
        "sub": notice.subject,
        "aud": notice.client_id,
        "iat": times["iat"],
        "exp": times["exp"],
        "jti": new_secret(),
        "events": {EVENT: {}},
        **session,
    }
