"""Requests of clients and their DPoP proofs, read strictly from the wire, and responses.

A refused proof has an error of the token endpoint (RFC 9449 §5).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final
from urllib.parse import unquote_plus

from authlib.oauth2.rfc6749 import InvalidGrantError, InvalidRequestError, OAuth2Error

from oidc.client import Client
from oidc.errors import NonceNeeded, ProofRefused
from oidc.storage.database import Stores
from oidc.tokens.access import DpopProofs

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


@dataclass(frozen=True)
class RawRequest:
    """A token request as received; ``proofs`` are all ``DPoP`` headers."""

    content_type: str
    authorization: str | None = field(repr=False)
    body: bytes = field(repr=False)
    proofs: tuple[str, ...] = field(default=(), repr=False)
    address: str | None = field(default=None, repr=False)

    @cached_property
    def fields(self) -> dict[str, str]:
        """The fields of the form; empty ones count as absent.

        Raises ``InvalidRequestError``.
        """
        if self.content_type.partition(";")[0].strip().lower() != _FORM:
            raise InvalidRequestError(f"the content type must be {_FORM}")
        try:
            texts = [each.partition("=") for each in self.body.decode("ascii").split("&")]
            pairs = [(_unquoted(name), _unquoted(value)) for name, _, value in texts if name]
        except ValueError as fault:
            raise InvalidRequestError("the form is malformed") from fault
        if len(pairs) > _FIELD_COUNT:
            raise InvalidRequestError("the form is malformed")
        if len(dict(pairs)) < len(pairs):
            raise InvalidRequestError("a field was sent more than once")
        return {name: value for name, value in pairs if value}

    @property
    def proves(self) -> bool:
        """Whether it has a proof or assertion, which the database will note as used."""
        try:
            return bool(self.proofs) or "client_assertion" in self.fields
        except InvalidRequestError:
            return False


@dataclass(frozen=True, slots=True)
class EndpointResponse:
    """The response; the route adds ``Cache-Control: no-store``."""

    status: int
    body: dict[str, object] = field(repr=False)
    headers: dict[str, str]


def _unquoted(text: str) -> str:
    """Return the text; ``parse_qsl`` takes twice as long."""
    return unquote_plus(text, errors="strict") if "%" in text or "+" in text else text


def grant_type_of(raw: RawRequest) -> str:
    """Return the grant type, whose fields are there. RFC 6749 §3.2, §4.1.3, §6.

    Raises ``InvalidRequestError``, ``UnsupportedGrantType``.
    """
    fields = raw.fields
    grant_type = fields.get("grant_type")
    if grant_type is None:
        raise InvalidRequestError("grant_type is missing")
    if grant_type not in _REQUIRED:
        raise UnsupportedGrantType
    for name in _REQUIRED[grant_type]:
        if name not in fields:
            raise InvalidRequestError(f"{name} is missing")
    return grant_type


def refusal(fault: OAuth2Error) -> EndpointResponse:
    """Return the response to a refused request. RFC 6749 §5.2."""
    status, body, headers = fault()
    return EndpointResponse(status, body, dict(headers))


class InvalidDpopProof(OAuth2Error):  # type: ignore[misc]
    """The proof is missing or invalid. RFC 9449 §5."""

    error = "invalid_dpop_proof"


class UseDpopNonce(OAuth2Error):  # type: ignore[misc]
    """The proof needs a current nonce, sent with the response. RFC 9449 §8."""

    error = "use_dpop_nonce"


@dataclass(frozen=True, slots=True)
class DpopBinding:
    """Finds the key that a client proves."""

    proofs: DpopProofs
    uris: frozenset[str]

    def require_key(
        self, stores: Stores, client: Client, headers: Sequence[str], bound: str | None
    ) -> str | None:
        """Return the proved key's thumbprint; None if none is required. RFC 9449 §5, §10.

        Raises ``InvalidDpopProof``, ``UseDpopNonce``; ``InvalidGrantError`` where the code or
        token is bound to another key.
        """
        proved = self.proved_key(stores, headers)
        if proved is None and client.require_dpop:
            raise InvalidDpopProof("this client must send a DPoP proof")
        if bound is not None and bound != proved:
            raise InvalidGrantError("bound to another key than the proof")
        return proved

    def proved_key(self, stores: Stores, headers: Sequence[str]) -> str | None:
        """Return the proved key's thumbprint, or None."""
        try:
            proof = self.proofs.verify(headers, "POST", self.uris)
            return None if proof is None else self.proofs.use(stores, proof)
        except NonceNeeded as fault:
            raise UseDpopNonce(str(fault)) from fault
        except ProofRefused as fault:
            raise InvalidDpopProof(str(fault)) from fault
