"""Reads what a client wants asked: ``prompt``, ``max_age``, ``acr_values``, ``claims``.

OpenID Connect Core §3.1.2.1, §5.5. ``authorizer`` decides.
"""

import json
from dataclasses import dataclass, field
from typing import Any, Final

from oidc.errors import AuthorizationRefused
from oidc.protocol import Parameters

PROMPTS: Final = ("none", "login", "consent", "select_account")
"""Every supported prompt; others are refused."""

_ASKING: Final = frozenset(PROMPTS) - {"none"}
_MAX_AGE_LENGTH: Final = 10


@dataclass(frozen=True, slots=True)
class RequestedClaims:
    """Requested claims that concern the login. Core §5.5.1.

    ``subjects``: the person must be each; ``acr_values``: one is required, None: any.
    """

    subjects: tuple[str, ...] = field(default=(), repr=False)
    acr_values: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Interaction:
    """How far the person may or must be asked; nothing is verified yet.

    ``acr_values`` are a wish, in order of preference; ``login_hint`` is for sandbox clients.
    """

    prompts: frozenset[str]
    max_age_s: int | None
    id_token_hint: str | None = field(repr=False)
    claims: RequestedClaims
    acr_values: tuple[str, ...]
    login_hint: str | None = None

    @property
    def is_silent(self) -> bool:
        """Whether no page may be shown."""
        return "none" in self.prompts

    @property
    def asks_again(self) -> bool:
        """Whether a palm is required despite a session."""
        return bool(self.prompts & _ASKING)


def parse_interaction(parameters: Parameters) -> Interaction:
    """Read the parameters. Raises ``AuthorizationRefused``."""
    return Interaction(
        prompts=_read_prompts(parameters.get("prompt")),
        max_age_s=_read_max_age(parameters.get("max_age")),
        id_token_hint=parameters.get("id_token_hint"),
        claims=_read_claims(parameters.get("claims")),
        acr_values=tuple((parameters.get("acr_values") or "").split()),
        login_hint=parameters.get("login_hint"),
    )


def _read_prompts(text: str | None) -> frozenset[str]:
    """Return supported prompts; ``none`` must be alone. Core §3.1.2.1.

    Others are refused, as Initiating User Registration 1.0 §4.1.1 asks for.
    """
    prompts = frozenset((text or "").split())
    if not prompts <= set(PROMPTS):
        raise AuthorizationRefused(f"prompt may be {', '.join(PROMPTS)}")
    if "none" in prompts and len(prompts) > 1:
        raise AuthorizationRefused("prompt none excludes every other prompt")
    return prompts


def _read_max_age(text: str | None) -> int | None:
    """Return whole seconds, zero or more."""
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= _MAX_AGE_LENGTH):
        raise AuthorizationRefused("max_age is not a number of seconds")
    return int(text)


def _read_claims(text: str | None) -> RequestedClaims:
    """Return the claims that matter; others are voluntary. Core §5.5."""
    if text is None:
        return RequestedClaims()
    requested = _parsed(text)
    parts = [_member(requested, name) for name in ("id_token", "userinfo")]
    subjects = [value for part in parts for value in _values(part.get("sub"))]
    return RequestedClaims(tuple(dict.fromkeys(subjects)), _essential_acr(parts[0]))


def _parsed(text: str) -> dict[str, Any]:
    try:
        requested = json.loads(text)
    except (ValueError, RecursionError) as fault:
        raise AuthorizationRefused("claims is not JSON") from fault
    if not isinstance(requested, dict):
        raise AuthorizationRefused("claims is not a JSON object")
    return requested


def _member(requested: dict[str, Any], name: str) -> dict[str, Any]:
    part = requested.get(name)
    if part is None:
        return {}
    if not isinstance(part, dict):
        raise AuthorizationRefused(f"the member {name} of claims is not an object")
    return part


def _essential_acr(part: dict[str, Any]) -> tuple[str, ...] | None:
    """Return values of which one is required. Core §5.5.1.1."""
    acr = part.get("acr")
    is_essential = isinstance(acr, dict) and acr.get("essential") is True
    return (_values(acr) or None) if is_essential else None


def _values(requested: object) -> tuple[str, ...]:
    if not isinstance(requested, dict):
        return ()
    listed = requested.get("values")
    found = [requested.get("value"), *(listed if isinstance(listed, list) else [])]
    return tuple(value for value in found if isinstance(value, str))
