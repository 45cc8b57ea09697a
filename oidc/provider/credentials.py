"""Client authentication: client_secret_basic and client_secret_post, one of them, once.

RFC 6749 §2.3.1. Whatever is wrong with the credentials, the answer is the same.
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_plus

from authlib.oauth2.rfc6749 import ClientMixin, InvalidClientError, InvalidRequestError

if TYPE_CHECKING:
    from oidc.provider.requests import TokenRequest
    from oidc.types import Client

_REALM = "token endpoint"


class ClientNotAuthenticated(InvalidClientError):  # type: ignore[misc]
    """The client is unknown or its secret is wrong; nothing tells which. Always 401."""

    status_code = 401
    description = "client authentication failed"

    def get_headers(self) -> list[tuple[str, str]]:
        """Name the scheme and its realm: RFC 7617 §2."""
        headers = [pair for pair in super().get_headers() if pair[0] != "WWW-Authenticate"]
        return [*headers, ("WWW-Authenticate", f'Basic realm="{_REALM}", charset="UTF-8"')]


@dataclass(frozen=True, slots=True)
class Credentials:
    """What a client showed.

    Attributes:
        client_id: who it says it is.
        secret: its proof.
        method: how they were sent (RFC 7591 §2).
    """

    client_id: str
    secret: str = field(repr=False)
    method: str


class ClientAdapter(ClientMixin):  # type: ignore[misc]
    """Our client as Authlib sees it, after it was authenticated."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def check_grant_type(self, grant_type: str) -> bool:
        """Both grant types are open to every client; the scope decides about refresh tokens."""
        return True


def credentials_of(request: TokenRequest) -> Credentials:
    """Return the one pair of credentials of a request.

    Raises:
        InvalidRequestError: more than one way of authentication (RFC 6749 §2.3).
        ClientNotAuthenticated: none, or malformed.
    """
    form: dict[str, Any] = request.form
    if request.authorization is None:
        return _from_form(form)
    if "client_secret" in form:
        raise InvalidRequestError("the client authenticated in two ways")
    credentials = _from_header(request.authorization)
    if form.get("client_id", credentials.client_id) != credentials.client_id:
        raise InvalidRequestError("two different clients were named")
    return credentials


def _from_form(form: dict[str, Any]) -> Credentials:
    if "client_id" not in form or "client_secret" not in form:
        raise ClientNotAuthenticated
    return Credentials(form["client_id"], form["client_secret"], "client_secret_post")


def _from_header(authorization: str) -> Credentials:
    scheme, _, encoded = authorization.strip().partition(" ")
    if scheme.lower() != "basic":
        raise ClientNotAuthenticated
    try:
        decoded = base64.b64decode(encoded.strip(), validate=True).decode("utf-8")
    except (binascii.Error, ValueError) as fault:
        raise ClientNotAuthenticated from fault
    client_id, colon, secret = decoded.partition(":")
    if not colon:
        raise ClientNotAuthenticated
    return Credentials(unquote_plus(client_id), unquote_plus(secret), "client_secret_basic")
