"""What each option of a client must be: a rule returns the value to store, or raises.

RFC 7591 §2. PKCE is compulsory for public clients (RFC 9700 §2.1.1) and programs on devices
(RFC 8252 §6); FAPI 2.0 §5.3.2 and §5.4.1 make it, PAR, DPoP, private_key_jwt and ES256 so.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from oidc.client import FAPI_ALGORITHMS, Authentication, Policy, Profile, Setter
from oidc.clients.names import is_reserved, require_name
from oidc.errors import ClientRefused, RedirectUriRefused
from oidc.protocol import (
    host_of,
    require_backchannel_uri,
    require_public_host,
    require_redirect_uris,
)

SCOPES: Final = ("openid", "offline_access")
"""Every supported scope. OpenID Connect Core §3.1.2.1, §11."""

_GRANT_TYPES: Final = frozenset({"authorization_code", "refresh_token"})

Chosen = Mapping[str, Any]
"""The values of all options, by field of ``Client``."""


@dataclass(frozen=True, slots=True)
class Case:
    """What a rule may look at beside its value."""

    chosen: Chosen
    policy: Policy

    @property
    def is_fapi(self) -> bool:
        """Whether FAPI 2.0 is chosen."""
        return self.chosen["profile"] is Profile.FAPI2

    @property
    def signs(self) -> bool:
        """Whether the client authenticates by signatures."""
        return self.chosen["authentication"] is Authentication.PRIVATE_KEY_JWT

    @property
    def by_operator(self) -> bool:
        """Whether the operator sets it."""
        return self.policy.setter is Setter.OPERATOR

    def is_kept(self, field: str, value: object) -> bool:
        """Return whether the client has this value already."""
        present = self.policy.present
        return present is not None and getattr(present, field) == value


def any_value(value: Any, case: Case) -> Any:  # noqa: ANN401
    """Accept every value of the right type."""
    return value


def redirect_uris(value: tuple[str, ...], case: Case) -> tuple[str, ...]:
    """Require at least one; an API that an operator registers needs none."""
    if not value and not (case.by_operator and case.chosen["resource_server"]):
        raise RedirectUriRefused("a client needs at least one URI")
    return require_redirect_uris(value)


def name(value: str | None, case: Case) -> str:
    """Return the name, or the host of the first redirect URI. Only operators give ours."""
    uris = case.chosen["redirect_uris"]
    if value is None and not uris:
        return ""  # these are refused
    text = host_of(uris[0]) if value is None else value
    may = case.by_operator or case.is_kept("name", text)
    if not may and is_reserved(text):
        raise ClientRefused("this name says Thenar: only the operator may give it")
    return require_name(text)


def authentication(value: Authentication | None, case: Case) -> Authentication:
    """Return the method; left out, the one that the profile needs."""
    usual = Authentication.PRIVATE_KEY_JWT if case.is_fapi else Authentication.CLIENT_SECRET
    method = value or usual
    if method is Authentication.NONE and case.chosen["resource_server"]:
        raise ClientRefused("a resource server must authenticate")
    return method


def profile(value: Profile, case: Case) -> Profile:
    """FAPI 2.0 §5.3.2.1: clients sign."""
    if value is Profile.FAPI2 and not case.signs:
        raise ClientRefused("the profile fapi2 needs private_key_jwt")
    return value


def jwks(value: str | None, case: Case) -> str | None:
    """Require public keys of clients that sign, and of no others."""
    if case.signs != (value is not None):
        raise ClientRefused("private_key_jwt needs a JWK set, other methods take none")
    if value is None:
        return None
    from oidc.clients.assertions import require_public_keys  # noqa: PLC0415 - loads joserfc

    checked = require_public_keys(value)
    algorithms = {key.get("alg") for key in json.loads(checked)["keys"]}
    if case.is_fapi and not algorithms & {None, *FAPI_ALGORITHMS}:
        raise ClientRefused("the profile fapi2 needs a key for ES256 or PS256")
    return checked


def grant_types(value: tuple[str, ...], case: Case) -> tuple[str, ...]:
    """Require the authorization code flow."""
    if not {"authorization_code"} <= set(value) <= _GRANT_TYPES:
        raise ClientRefused("must be authorization_code, with or without refresh_token")
    return value


def response_types(value: tuple[str, ...], case: Case) -> tuple[str, ...]:
    """Require the authorization code flow alone."""
    if value != ("code",):
        raise ClientRefused("must be code")
    return value


def scope(value: tuple[str, ...], case: Case) -> tuple[str, ...]:
    """Require ``openid``. Of a client's own wishes, leave out what it cannot have."""
    wanted = set(value)
    if case.policy.setter is Setter.CLIENT:
        keeps = "refresh_token" in case.chosen["grant_types"]
        wanted &= set(SCOPES if keeps else SCOPES[:1])
    if "openid" not in wanted or not wanted <= set(SCOPES):
        raise ClientRefused("must be openid, with or without offline_access")
    return tuple(each for each in SCOPES if each in wanted)


def external_user_id(value: bool, case: Case) -> bool:  # noqa: FBT001
    """New clients that know the standards read ``sub``."""
    is_standard = case.is_fapi or case.policy.setter is Setter.CLIENT
    return value and not (is_standard and case.policy.present is None)


def require_pkce(value: bool | None, case: Case) -> bool:  # noqa: FBT001
    """Any program of a device may listen on its loopback, and public clients have no secret.

    Left out, a client keeps it.
    """
    wanted = case.is_kept("require_pkce", value=True) if value is None else value
    is_public = case.chosen["native"] or case.chosen["authentication"] is Authentication.NONE
    return wanted or is_public or case.is_fapi or case.policy.require_pkce


def by_fapi(value: bool, case: Case) -> bool:  # noqa: FBT001
    """Return whether it is chosen, or compulsory by FAPI 2.0."""
    return value or case.is_fapi


def id_token_algorithm(value: str, case: Case) -> str:
    """FAPI 2.0 §5.4.1."""
    return "ES256" if case.is_fapi else value


def accept_palm_alone(value: bool, case: Case) -> bool:  # noqa: FBT001
    """Only where the operator allows it; what a client has may stay."""
    may = case.by_operator or case.policy.palm_alone or case.chosen["sandbox"]
    if value and not may and not case.is_kept("accept_palm_alone", value):
        raise ClientRefused("the operator of this server does not allow it")
    return value


def post_logout_redirect_uris(value: tuple[str, ...], case: Case) -> tuple[str, ...]:
    """RP-Initiated Logout 1.0 §3.1."""
    return require_redirect_uris(value)


def backchannel_logout_uri(value: str | None, case: Case) -> str | None:
    """Require an address that logout tokens reach. Back-Channel Logout 1.0 §2.2."""
    if not value:
        if case.chosen["backchannel_logout_session_required"]:
            raise ClientRefused("a session ID in logout tokens needs an address")
        return None
    is_kept = case.by_operator and case.is_kept("backchannel_logout_uri", value)
    if not is_kept and not case.policy.private_hosts:
        require_public_host(value)
    return require_backchannel_uri(value)
