"""The portal's own clients: one signs developers in, the other lets them try a login.

Both are confidential clients that must use PKCE. Their secrets are derived from the key
encryption key, so that every process knows them and none stores them.
"""

from __future__ import annotations

import base64
from datetime import datetime
from typing import TYPE_CHECKING, Final

from oidc.client import Client, Profile
from oidc.protocol import digest_of
from oidc.types import AuditEvent, ClientId, SectorIdentifier

if TYPE_CHECKING:
    from oidc.keys import KeyCipher
    from oidc.settings import OidcSettings
    from oidc.storage.database import Stores

PORTAL: Final = ClientId("thenar-portal")
TRIAL: Final = ClientId("thenar-sandbox")
"""Real people sign in here, unlike at sandbox clients; the identifier is older than those."""

_NAMES: Final = {PORTAL: "Thenar developer portal", TRIAL: "Thenar trial sign-in"}
_CALLBACKS: Final = {PORTAL: "callback", TRIAL: "trial/callback"}


def is_served(settings: OidcSettings) -> bool:
    """Return whether the portal is served; not under FAPI 2.0: its clients do not meet it."""
    return settings.portal and settings.profile is Profile.STANDARD


def callback_of(settings: OidcSettings, client_id: ClientId) -> str:
    """Return the client's redirect URI."""
    return f"{settings.auth_url}/portal/{_CALLBACKS[client_id]}"


def secret_of(cipher: KeyCipher, client_id: ClientId) -> str:
    """Return the client's secret: 256 bits, the same in every process."""
    key = cipher.derive(b"thenar portal client " + client_id.encode())
    return base64.urlsafe_b64encode(key).rstrip(b"=").decode()


def ensure_system_clients(
    stores: Stores, settings: OidcSettings, cipher: KeyCipher, now: datetime
) -> None:
    """Register both clients, or update them to the current settings."""
    for client_id in _NAMES:
        known = stores.clients.find(client_id)
        since = now if known is None else known.created_at
        client = _described(settings, cipher, client_id, since)
        if known is None:
            stores.clients.add(client)
            stores.audit.record(AuditEvent.CLIENT_REGISTERED, now, client=client_id)
        elif known != client:
            stores.clients.replace(client)
            stores.audit.record(AuditEvent.CLIENT_CHANGED, now, client=client_id)


def _described(
    settings: OidcSettings, cipher: KeyCipher, client_id: ClientId, created_at: datetime
) -> Client:
    return Client(
        client_id=client_id,
        name=_NAMES[client_id],
        redirect_uris=(callback_of(settings, client_id),),
        scope=("openid",),
        sector=SectorIdentifier(client_id),
        external_user_id=client_id == TRIAL,
        secret_digest=digest_of(secret_of(cipher, client_id)),
        created_at=created_at,
        require_pkce=True,
    )
