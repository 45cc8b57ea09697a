"""Posts logout tokens. Back-Channel Logout 1.0 §2.5."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlencode

from oidc.errors import DeliveryFailed
from oidc.plumbing.public_http import PublicHttpClient

_FORM: Final = {"Content-Type": "application/x-www-form-urlencoded"}
_DELIVERED: Final = (200, 204)
"""Back-Channel Logout 1.0 §2.8; some libraries answer 204."""


class LogoutHttpClient(PublicHttpClient):
    """Posts to clients. Blocking."""

    __slots__ = ()

    def __call__(self, address: str, logout_token: str) -> None:
        """Post the token. Raises ``DeliveryFailed``."""
        form = urlencode({"logout_token": logout_token}).encode()
        status = self.post(address, form, _FORM)
        if status not in _DELIVERED:
            raise DeliveryFailed(f"the response status was {status}")
