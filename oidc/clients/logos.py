"""Logos of clients: small PNG files, of which nothing stays but the picture.

An SVG can hold scripts and addresses; JPEG and WebP would need a library for pictures.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from oidc.clients.png import checked_png
from oidc.clients.registry import record_change
from oidc.errors import ClientRefused
from oidc.types import AuditEvent

if TYPE_CHECKING:
    from datetime import datetime

    from oidc.storage.transactions import Stores
    from oidc.types import Client

LIMIT_BYTES: Final = 256 * 1024
"""Size of a file that is looked at: four bytes a pixel of the largest picture."""

LEAST_PX: Final = 64
"""Side of the square that the consent page shows."""

MOST_PX: Final = 256
"""Longest side: sharp on every screen."""


@dataclass(frozen=True, slots=True)
class Logo:
    """A logo as it is shown: a square PNG with transparency."""

    png: bytes = field(repr=False)

    @property
    def version(self) -> str:
        """Name of this content, for its address."""
        return hashlib.sha256(self.png).hexdigest()[:16]


def logo_of(data: bytes) -> Logo:
    """Return the logo in a file.

    Raises:
        ClientRefused: too large, not square, of another format, or damaged.
    """
    if len(data) > LIMIT_BYTES:
        raise ClientRefused(f"the picture is larger than {LIMIT_BYTES // 1024} KiB")
    return Logo(checked_png(data, LEAST_PX, MOST_PX))


def set_logo(stores: Stores, client: Client, data: bytes, now: datetime) -> Logo:
    """Store the logo in a file for a client. Raises ``ClientRefused`` as ``logo_of``."""
    logo = logo_of(data)
    stores.client_logos.put(client.client_id, logo.version, logo.png)
    record_change(stores, AuditEvent.CLIENT_CHANGED, client, now, logo=logo.version)
    return logo


def remove_logo(stores: Stores, client: Client, now: datetime) -> None:
    """Delete the logo of a client, if it has one."""
    if stores.client_logos.remove(client.client_id):
        record_change(stores, AuditEvent.CLIENT_CHANGED, client, now, logo="removed")
