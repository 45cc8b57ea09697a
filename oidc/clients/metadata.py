"""Client metadata, read and written: RFC 7591 §2.

What a client would rely on and not get is refused; anything else unknown is ignored.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar

from oidc.clients.jwks import ALGORITHMS
from oidc.clients.names import is_reserved
from oidc.clients.registry import SCOPES, Options
from oidc.errors import MetadataRefused, RedirectUriRefused
from oidc.protocol.redirect_uris import host_of, require_redirect_uris
from oidc.types import Authentication, Profile

if TYPE_CHECKING:
    from oidc.types import Client

Value = TypeVar("Value")

_METHODS: Final = {
    "client_secret_basic": Authentication.CLIENT_SECRET,
    "client_secret_post": Authentication.CLIENT_SECRET,
    "private_key_jwt": Authentication.PRIVATE_KEY_JWT,
    "none": Authentication.NONE,
}
"""RFC 7591 §2."""

_METHOD_NAMES: Final = {
    Authentication.CLIENT_SECRET: "client_secret_basic",
    Authentication.PRIVATE_KEY_JWT: "private_key_jwt",
    Authentication.NONE: "none",
}

_GRANT_TYPES: Final = frozenset({"authorization_code", "refresh_token"})

_UNSUPPORTED: Final = (
    "default_acr_values",
    "default_max_age",
    "jwks_uri",
    "sector_identifier_uri",
    "id_token_encrypted_response_alg",
    "id_token_encrypted_response_enc",
    "userinfo_signed_response_alg",
    "userinfo_encrypted_response_alg",
    "userinfo_encrypted_response_enc",
    "request_object_signing_alg",
    "request_object_encryption_alg",
    "request_object_encryption_enc",
    "frontchannel_logout_uri",
    "tls_client_certificate_bound_access_tokens",
)


@dataclass(frozen=True, slots=True)
class ClientMetadata:
    """What a client asks for, typed, not yet checked."""

    name: str
    redirect_uris: tuple[str, ...]
    options: Options


class _Reader:
    """Reads typed values from a JSON object."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._document = document

    def text(self, name: str, default: str) -> str:
        """Return a string."""
        return self._typed(name, default, str)

    def flag(self, name: str, *, default: bool = False) -> bool:
        """Return a boolean."""
        return self._typed(name, default=default, kind=bool)

    def texts(self, name: str, default: tuple[str, ...] = ()) -> tuple[str, ...]:
        """Return a list of strings."""
        found = self._typed(name, list(default), list)
        if not all(isinstance(each, str) for each in found):
            raise MetadataRefused(f"{name} must be a list of strings")
        return tuple(found)

    def _typed(self, name: str, default: Value, kind: type[Value]) -> Value:
        found = self._document.get(name)
        if found is None:
            return default
        if not isinstance(found, kind):
            raise MetadataRefused(f"{name} has the wrong type")
        return found


def read_metadata(
    document: dict[str, Any], profile: Profile, present_name: str = ""
) -> ClientMetadata:
    """Return what a client asks for. RFC 7591 §2. Raises ``MetadataRefused``.

    ``present_name``: one that it may keep, whatever it says.
    """
    _require_supported(document)
    reader = _Reader(document)
    redirect_uris = reader.texts("redirect_uris")
    if not redirect_uris:
        raise MetadataRefused("redirect_uris needs at least one URI", "invalid_redirect_uri")
    options = Options(
        scope=_scope(reader),
        # Clients that know RFC 7591 read ``sub``.
        external_user_id=False,
        authentication=_authentication(reader),
        jwks=_jwks(document),
        require_pkce=reader.flag("require_pkce", default=True),
        id_token_algorithm=reader.text("id_token_signed_response_alg", "RS256"),
        require_par=reader.flag("require_pushed_authorization_requests"),
        require_dpop=reader.flag("dpop_bound_access_tokens"),
        profile=profile,
        post_logout_redirect_uris=reader.texts("post_logout_redirect_uris"),
        backchannel_logout_uri=reader.text("backchannel_logout_uri", "") or None,
        backchannel_logout_session_required=reader.flag("backchannel_logout_session_required"),
        accept_palm_alone=reader.flag("accept_palm_alone"),
        accept_stations=reader.flag("accept_stations"),
        sandbox=reader.flag("sandbox"),
        native=reader.text("application_type", "web") == "native",
    )
    name = reader.text("client_name", _host_in(redirect_uris))
    if name != present_name and is_reserved(name):
        raise MetadataRefused("this name says Thenar: only the operator may give it")
    return ClientMetadata(name, redirect_uris, options)


def _host_in(redirect_uris: tuple[str, ...]) -> str:
    try:
        return host_of(require_redirect_uris(redirect_uris)[0])
    except RedirectUriRefused as fault:
        raise MetadataRefused(str(fault), "invalid_redirect_uri") from fault


def describe(client: Client) -> dict[str, object]:
    """Return the metadata a client is registered with. RFC 7591 §3.2.1."""
    described: dict[str, object] = {
        "client_name": client.name,
        "redirect_uris": list(client.redirect_uris),
        "token_endpoint_auth_method": _METHOD_NAMES[client.authentication],
        "grant_types": _grant_types(client),
        "response_types": ["code"],
        "scope": " ".join(client.scope),
        "subject_type": "pairwise",
        "id_token_signed_response_alg": client.id_token_algorithm,
        "require_pkce": client.require_pkce,
        "require_pushed_authorization_requests": client.require_par,
        "dpop_bound_access_tokens": client.require_dpop,
        "post_logout_redirect_uris": list(client.post_logout_redirect_uris),
        "backchannel_logout_session_required": client.backchannel_logout_session_required,
        "accept_palm_alone": client.accept_palm_alone,
        "accept_stations": client.accept_stations,
        "sandbox": client.sandbox,
        "application_type": "native" if client.native else "web",
        # Each ID token has it.
        "require_auth_time": True,
    }
    if client.jwks is not None:
        described["jwks"] = json.loads(client.jwks)
    if client.backchannel_logout_uri is not None:
        described["backchannel_logout_uri"] = client.backchannel_logout_uri
    return described


def _grant_types(client: Client) -> list[str]:
    is_kept = "offline_access" in client.scope
    return ["authorization_code", "refresh_token"] if is_kept else ["authorization_code"]


def _require_supported(document: dict[str, Any]) -> None:
    if "software_statement" in document:
        reason = "software statements are not accepted"
        raise MetadataRefused(reason, "invalid_software_statement")
    for name in _UNSUPPORTED:
        if document.get(name) is not None:
            raise MetadataRefused(f"{name} is not supported")
    reader = _Reader(document)
    if reader.text("subject_type", "pairwise") != "pairwise":
        raise MetadataRefused("subject_type must be pairwise")
    reader.flag("require_auth_time")
    if reader.texts("response_types", ("code",)) != ("code",):
        raise MetadataRefused("response_types must be code")
    if reader.text("application_type", "web") not in ("web", "native"):
        raise MetadataRefused("application_type must be web or native")
    if reader.text("token_endpoint_auth_signing_alg", ALGORITHMS[0]) not in ALGORITHMS:
        raise MetadataRefused(
            f"token_endpoint_auth_signing_alg must be one of {', '.join(ALGORITHMS)}"
        )


def _authentication(reader: _Reader) -> Authentication:
    method = reader.text("token_endpoint_auth_method", "client_secret_basic")
    if method not in _METHODS:
        raise MetadataRefused(
            f"token_endpoint_auth_method must be one of {', '.join(_METHODS)}"
        )
    return _METHODS[method]


def _scope(reader: _Reader) -> tuple[str, ...]:
    """A refresh token needs both grant type and scope."""
    grants = set(reader.texts("grant_types", ("authorization_code",)))
    if "authorization_code" not in grants or not grants <= _GRANT_TYPES:
        raise MetadataRefused(
            "grant_types must be authorization_code, with or without refresh_token"
        )
    requested = reader.text("scope", " ".join(SCOPES)).split()
    return tuple(
        scope
        for scope in SCOPES
        if scope in requested and (scope != "offline_access" or "refresh_token" in grants)
    )


def _jwks(document: dict[str, Any]) -> str | None:
    jwks = document.get("jwks")
    return None if jwks is None else json.dumps(jwks)
