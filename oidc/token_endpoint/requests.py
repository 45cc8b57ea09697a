"""Token requests, read strictly from the wire for Authlib."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl

from authlib.oauth2.rfc6749 import (
    InvalidRequestError,
    OAuth2Error,
    OAuth2Payload,
    OAuth2Request,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

_FORM: Final = "application/x-www-form-urlencoded"
_FIELD_COUNT: Final = 50

_REQUIRED: Final = {
    "authorization_code": ("code", "redirect_uri"),
    "refresh_token": ("refresh_token",),
}
"""Fields of each grant beside the client's credentials. Specification §4.3, §4.4."""


class UnsupportedGrantType(OAuth2Error):  # type: ignore[misc]
    """Authlib's own error would repeat the input."""

    error = "unsupported_grant_type"
    description = "the supported grant types are authorization_code and refresh_token"


@dataclass(frozen=True, slots=True)
class RawRequest:
    """What came over the wire; ``proofs`` are all ``DPoP`` headers."""

    content_type: str
    authorization: str | None = field(repr=False)
    body: bytes = field(repr=False)
    proofs: tuple[str, ...] = field(default=(), repr=False)
    address: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class EndpointResponse:
    """What goes back; the route adds ``Cache-Control: no-store``."""

    status: int
    body: dict[str, object] = field(repr=False)
    headers: dict[str, str]


class FormPayload(OAuth2Payload):  # type: ignore[misc]
    """The fields of a form, each sent once."""

    data: Any = None  # an attribute in the place of a property

    def __init__(self, fields: Mapping[str, str]) -> None:
        self.data = dict(fields)


class TokenRequest(OAuth2Request):  # type: ignore[misc]
    """A token request for Authlib."""

    form: Any = None  # an attribute in the place of a property

    def __init__(
        self,
        uri: str,
        raw: RawRequest,
        fields: Mapping[str, str],
    ) -> None:
        super().__init__("POST", uri)
        self.payload, self.form = FormPayload(fields), fields
        self.authorization = raw.authorization
        self.proofs = raw.proofs
        self.address = raw.address


def read_request(raw: RawRequest, uri: str) -> TokenRequest:
    """Read the form strictly. RFC 6749 §3.2, §4.1.3, §6.

    Raises ``InvalidRequestError``, ``UnsupportedGrantType``.
    """
    fields = read_fields(raw)
    grant_type = fields.get("grant_type")
    if grant_type is None:
        raise InvalidRequestError("grant_type is missing")
    if grant_type not in _REQUIRED:
        raise UnsupportedGrantType
    for name in _REQUIRED[grant_type]:
        if name not in fields:
            raise InvalidRequestError(f"{name} is missing")
    return TokenRequest(uri, raw, fields)


def read_fields(raw: RawRequest) -> dict[str, str]:
    """Return the fields; empty ones count as absent. Raises ``InvalidRequestError``."""
    if raw.content_type.partition(";")[0].strip().lower() != _FORM:
        raise InvalidRequestError(f"the content type must be {_FORM}")
    try:
        text = raw.body.decode("ascii")
        pairs = parse_qsl(
            text, keep_blank_values=True, errors="strict", max_num_fields=_FIELD_COUNT
        )
    except ValueError as fault:
        raise InvalidRequestError("the form is malformed") from fault
    if any(count > 1 for count in Counter(name for name, _ in pairs).values()):
        raise InvalidRequestError("a field was sent more than once")
    return {name: value for name, value in pairs if value}
