"""The client form, validated like a registration over HTTP.

A form becomes the metadata of RFC 7591 §2, so that portal and registration endpoint accept
the same; choices without a metadata name are kept beside it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl

from oidc.clients.metadata import ClientMetadata, describe, read_metadata
from oidc.errors import FormRefused, MetadataRefused
from oidc.types import ConfirmCode, Profile

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oidc.types import Client

_FIELD_COUNT: Final = 40

_TEXTS: Final = (
    "client_name",
    "redirect_uris",
    "post_logout_redirect_uris",
    "backchannel_logout_uri",
    "token_endpoint_auth_method",
    "jwks",
    "id_token_signed_response_alg",
    "confirm_code",
    "profile",
)
_FLAGS: Final = (
    "offline_access",
    "external_user_id",
    "require_pkce",
    "require_pushed_authorization_requests",
    "dpop_bound_access_tokens",
    "backchannel_logout_session_required",
    "accept_palm_alone",
    "accept_stations",
    "sandbox",
)

FIELDS: Final = (*_TEXTS, *_FLAGS)
"""Of the client form."""

_DEFAULTS: Final = {
    "token_endpoint_auth_method": "client_secret_basic",
    "id_token_signed_response_alg": "RS256",
    "confirm_code": ConfirmCode.ON_RISK.value,
    "profile": Profile.STANDARD.value,
}


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields of a submitted form."""

    values: Mapping[str, str] = field(repr=False)

    def get(self, name: str) -> str:
        """Return a field, or an empty string."""
        return self.values.get(name, "")

    def lines(self, name: str) -> list[str]:
        """Return the non-blank lines of a field."""
        return [line.strip() for line in self.get(name).splitlines() if line.strip()]


@dataclass(frozen=True, slots=True)
class ClientForm:
    """The client form as shown: texts and ticked boxes."""

    texts: Mapping[str, str]
    ticked: frozenset[str]


def read_fields(text: str | None) -> Fields:
    """Parse a form body.

    Raises:
        FormRefused: it is malformed or a field appears twice.
    """
    try:
        pairs = parse_qsl(
            text or "", keep_blank_values=True, errors="strict", max_num_fields=_FIELD_COUNT
        )
    except ValueError as fault:
        raise FormRefused("the form is malformed") from fault
    values = dict(pairs)
    if text is None or len(values) != len(pairs):
        raise FormRefused("the form is malformed")
    return Fields(values)


def empty_form() -> ClientForm:
    """Return the form of a new client."""
    texts = {name: _DEFAULTS.get(name, "") for name in _TEXTS}
    return ClientForm(texts, frozenset({"offline_access", "external_user_id", "require_pkce"}))


def form_of_fields(fields: Fields) -> ClientForm:
    """Return the form as it was submitted."""
    texts = {name: fields.get(name) or _DEFAULTS.get(name, "") for name in _TEXTS}
    return ClientForm(texts, frozenset(name for name in _FLAGS if fields.get(name) == "yes"))


def form_of_client(client: Client) -> ClientForm:
    """Return the form of an existing client."""
    described = describe(client)
    texts = {name: _shown(described.get(name)) for name in _TEXTS}
    texts |= {"confirm_code": client.confirm_code.value, "profile": client.profile.value}
    flags = {name: bool(described.get(name)) for name in _FLAGS} | {
        "offline_access": "offline_access" in client.scope,
        "external_user_id": client.external_user_id,
    }
    return ClientForm(texts, frozenset(name for name, ticked in flags.items() if ticked))


def metadata_of(form: ClientForm, client: Client | None = None) -> ClientMetadata:
    """Return the requested metadata, of a new client or of this one.

    Raises:
        MetadataRefused: with the reason for the developer.
    """
    profile = _chosen(Profile, form.texts["profile"])
    wanted = read_metadata(_document(form), profile, "" if client is None else client.name)
    options = replace(
        wanted.options,
        external_user_id="external_user_id" in form.ticked,
        native=client is not None and client.native,
        confirm_code=_chosen(ConfirmCode, form.texts["confirm_code"]),
    )
    return replace(wanted, options=options)


def _document(form: ClientForm) -> dict[str, Any]:
    """Return the form as metadata. RFC 7591 §2."""
    typed = Fields(form.texts)
    keeps = "offline_access" in form.ticked
    document: dict[str, Any] = {
        "client_name": typed.get("client_name"),
        "redirect_uris": typed.lines("redirect_uris"),
        "post_logout_redirect_uris": typed.lines("post_logout_redirect_uris"),
        "backchannel_logout_uri": typed.get("backchannel_logout_uri").strip(),
        "token_endpoint_auth_method": typed.get("token_endpoint_auth_method"),
        "id_token_signed_response_alg": typed.get("id_token_signed_response_alg"),
        "scope": "openid offline_access" if keeps else "openid",
        "grant_types": ["authorization_code", *(["refresh_token"] if keeps else [])],
    }
    for name in _FLAGS[2:]:
        document[name] = name in form.ticked
    if typed.get("jwks").strip():
        document["jwks"] = _json(typed.get("jwks"))
    return document


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as fault:
        raise MetadataRefused("the public keys are not valid JSON") from fault


def _chosen(kind: Any, value: str) -> Any:  # noqa: ANN401 - an enumeration and its member
    try:
        return kind(value)
    except ValueError as fault:
        raise MetadataRefused(f"choose one of {', '.join(kind)}") from fault


def _shown(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, dict):
        return json.dumps(value, indent=1)
    return "\n".join(value) if isinstance(value, list) else str(value)
