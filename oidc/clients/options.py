"""The options of a client, one row each, and what a document of them must be.

Command line, portal and registration endpoint (RFC 7591, 7592) read this table. A document has
the names and JSON values of RFC 7591 §2 and ours.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

from oidc.client import (
    ASSERTION_ALGORITHMS,
    Authentication,
    Client,
    ConfirmCode,
    Policy,
    Profile,
    Setter,
)
from oidc.clients import rules
from oidc.clients.rules import SCOPES, Case, Chosen
from oidc.errors import ClientFault, ClientRefused

ID_TOKEN_ALGORITHMS: Final = ("RS256", "ES256")
"""Signatures of ID tokens; the first is the default. OpenID Connect Core §15.1."""


class Kind(StrEnum):
    """The type of an option in a document."""

    FLAG = "true or false"
    TEXT = "a text"
    LINES = "a list of texts"
    WORDS = "a text of words"
    KEYS = "a JWK set in valid JSON"
    CHOICE = "one of those that are offered"


@dataclass(frozen=True, slots=True)
class Option:
    """One option.

    Attributes:
        attribute: of ``Client``.
        name: in documents.
        setters: who may set it; for others it keeps its present value or default.
        words: what it does, for operators.
        flag: of ``thenar client``.
        rule: returns the value to store, or raises ``ClientFault``.
        values: of a choice: what each name means.
        default: None: the rule chooses.
        after: names that are not of the right type make this one unjudged.
        section: of the portal's form, in which the order of rows is the order of fields.
        fixed: never changed after the registration.
        stored: False: only judged.
        error: for a value that the rule refuses. RFC 7591 §3.2.2.
    """

    attribute: str
    name: str
    kind: Kind
    setters: frozenset[Setter]
    words: str = ""
    flag: str = ""
    rule: Callable[[Any, Case], Any] = rules.any_value
    values: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    default: object = None
    after: tuple[str, ...] = ()
    section: str = ""
    fixed: bool = False
    stored: bool = True
    error: str = "invalid_client_metadata"

    @property
    def offered(self) -> list[str]:
        """The names of a choice, each meaning once."""
        return [each for each in self.values if self.written(self.values[each]) == each]

    def read(self, value: object) -> Any:  # noqa: ANN401
        """Return a value of a document, typed. Raises ``ClientRefused``."""
        match self.kind, value:
            case (Kind.FLAG, bool()) | (Kind.TEXT, str()):
                return value
            case Kind.WORDS, str():
                return tuple(value.split())
            case Kind.LINES, list() if all(isinstance(each, str) for each in value):
                return tuple(value)
            case Kind.KEYS, dict():
                return json.dumps(value)
            case Kind.CHOICE, str() if value in self.values:
                return self.values[value]
        names = f"one of {', '.join(self.values)}"
        raise ClientRefused(f"must be {names if self.values else self.kind}")

    def written(self, value: Any) -> object:  # noqa: ANN401
        """Return a typed value as documents have it."""
        match self.kind:
            case Kind.WORDS:
                return " ".join(value)
            case Kind.LINES:
                return [each for each in value if each]
            case Kind.KEYS:
                return None if value is None else json.loads(value)
            case Kind.CHOICE:
                names = (each for each, meant in self.values.items() if meant == value)
                return next(names, value)
            case _:
                return value


_ALL: Final = frozenset(Setter)
_PEOPLE: Final = frozenset({Setter.OPERATOR, Setter.DEVELOPER})
_NATIVE: Final = frozenset({Setter.OPERATOR, Setter.CLIENT})
_OPERATOR: Final = frozenset({Setter.OPERATOR})
_CONFIRM_CODES: Final = (ConfirmCode.ON_RISK, ConfirmCode.ALWAYS, ConfirmCode.NEVER)
_METHODS: Final = {
    "client_secret_basic": Authentication.CLIENT_SECRET,
    "client_secret_post": Authentication.CLIENT_SECRET,
    "private_key_jwt": Authentication.PRIVATE_KEY_JWT,
    "none": Authentication.NONE,
}

# fmt: off
OPTIONS: Final = (
    Option("redirect_uris", "redirect_uris", Kind.LINES, _ALL, default=(),
        rule=rules.redirect_uris, error="invalid_redirect_uri"),
    Option("name", "client_name", Kind.TEXT, _ALL,
        rule=rules.name),
    Option("authentication", "token_endpoint_auth_method", Kind.CHOICE, _ALL,
        "Client authentication: client_secret unless you say otherwise; none is for "
        "public clients.", "authentication",
        rule=rules.authentication, values=_METHODS, fixed=True),
    Option("sandbox", "sandbox", Kind.FLAG, _ALL,
        "For tests: signs in ten scripted people, without a palm, and no real ones. "
        "Cannot be changed later.", "sandbox", default=False, fixed=True),
    Option("jwks", "jwks", Kind.KEYS, _ALL,
        "File with the client's public keys (JWK set), for private_key_jwt.", "jwks",
        rule=rules.jwks, after=("token_endpoint_auth_method",)),
    Option("grant_types", "grant_types", Kind.LINES, _ALL, default=("authorization_code",),
        rule=rules.grant_types, stored=False),
    Option("scope", "scope", Kind.WORDS, _ALL,
        "Scopes the client may request, separated by spaces.", "scope",
        rule=rules.scope, default=SCOPES, after=("grant_types",)),
    Option("external_user_id", "external_user_id", Kind.FLAG, _PEOPLE,
        "Repeat sub as external_user_id in ID tokens.", "external-user-id",
        rule=rules.external_user_id, default=True, section="tokens"),
    Option("id_token_algorithm", "id_token_signed_response_alg", Kind.CHOICE, _ALL,
        "Signature algorithm of ID tokens: RS256 or ES256.", "id-token-alg",
        rule=rules.id_token_algorithm, values={each: each for each in ID_TOKEN_ALGORITHMS},
        default="RS256", section="tokens"),
    Option("require_pkce", "require_pkce", Kind.FLAG, _ALL,
        "Refuse requests without PKCE (always on for public, native and FAPI clients). "
        "Turn it on where the app's library sends PKCE.", "pkce",
        rule=rules.require_pkce, section="requirements"),
    Option("require_par", "require_pushed_authorization_requests", Kind.FLAG, _ALL,
        "Refuse authorization requests that were not pushed (RFC 9126).", "par",
        rule=rules.by_fapi, default=False, section="requirements"),
    Option("require_dpop", "dpop_bound_access_tokens", Kind.FLAG, _ALL,
        "Refuse token requests without a DPoP proof (RFC 9449).", "dpop",
        rule=rules.by_fapi, default=False, section="requirements"),
    Option("confirm_code", "confirm_code", Kind.CHOICE, _PEOPLE,
        "When the browser must type four digits that the phone shows.", "confirm-code",
        values={each.value: each for each in _CONFIRM_CODES},
        default=ConfirmCode.ON_RISK, section="requirements"),
    Option("profile", "profile", Kind.CHOICE, _PEOPLE,
        "fapi2 sets private_key_jwt, PAR, PKCE, DPoP and ES256, and no external_user_id.",
        "profile", rule=rules.profile, values={each.value: each for each in Profile},
        after=("token_endpoint_auth_method",), section="requirements"),
    Option("accept_stations", "accept_stations", Kind.FLAG, _ALL,
        "Let a palm sign in at the operator's stations.", "accept-stations",
        default=False, section="who"),
    Option("accept_palm_alone", "accept_palm_alone", Kind.FLAG, _ALL,
        "Let a palm sign in on any device, if THENAR_OIDC_PALM_ALONE=allow.",
        "accept-palm-alone", rule=rules.accept_palm_alone, default=False, section="who"),
    Option("native", "application_type", Kind.CHOICE, _NATIVE,
        "A program on people's devices: its http://127.0.0.1 and http://[::1] are good on any "
        "port (RFC 8252), all else exactly.", "native",
        values={"web": False, "native": True}, default=False),
    Option("post_logout_redirect_uris", "post_logout_redirect_uris", Kind.LINES, _ALL,
        "Exact URI for the browser after logout. Repeatable.", "post-logout-redirect-uri",
        rule=rules.post_logout_redirect_uris, default=(), section="logout"),
    Option("backchannel_logout_uri", "backchannel_logout_uri", Kind.TEXT, _ALL,
        "Receives logout tokens, by https.", "backchannel-logout-uri",
        rule=rules.backchannel_logout_uri, section="logout"),
    Option("backchannel_logout_session_required", "backchannel_logout_session_required",
        Kind.FLAG, _ALL, "Always include the session ID (sid) in logout tokens.",
        "backchannel-logout-session-required", default=False, section="logout"),
    Option("resource_server", "resource_server", Kind.FLAG, _OPERATOR,
        "An API that may introspect every client's access tokens.", "resource-server",
        default=False),
    Option("subject_type", "subject_type", Kind.CHOICE, _ALL,
        values={"pairwise": "pairwise"}, stored=False),
    Option("response_types", "response_types", Kind.LINES, _ALL,
        rule=rules.response_types, default=("code",), stored=False),
    Option("require_auth_time", "require_auth_time", Kind.FLAG, _ALL, stored=False),
    Option("assertion_algorithm", "token_endpoint_auth_signing_alg", Kind.CHOICE, _ALL,
        values={each: each for each in ASSERTION_ALGORITHMS}, stored=False),
)
# fmt: on
"""A rule may read every option; those above its own are judged before."""

STORED: Final = tuple(each for each in OPTIONS if each.stored)
"""The fields of ``Client`` that are chosen."""

_UNSUPPORTED: Final = (
    "software_statement", "default_acr_values", "default_max_age", "jwks_uri",
    "sector_identifier_uri", "id_token_encrypted_response_alg",
    "id_token_encrypted_response_enc", "userinfo_signed_response_alg",
    "userinfo_encrypted_response_alg", "userinfo_encrypted_response_enc",
    "request_object_signing_alg", "request_object_encryption_alg",
    "request_object_encryption_enc", "frontchannel_logout_uri",
    "tls_client_certificate_bound_access_tokens",
)  # fmt: skip
"""A client would rely on these and not get them; others that are unknown are ignored."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a field of a document is refused; ``error`` of RFC 7591 §3.2.2."""

    name: str
    reason: str
    error: str = "invalid_client_metadata"


@dataclass(frozen=True, slots=True)
class Checked:
    """A document that was judged: what to store, or every fault."""

    values: Chosen
    faults: tuple[Fault, ...]

    def accepted(self) -> Chosen:
        """Return what to store. Raises ``ClientRefused``, which says all faults."""
        if self.faults:
            reasons = "; ".join(f"{each.name}: {each.reason}" for each in self.faults)
            raise ClientRefused(reasons, self.faults[0].error)
        return self.values


def check(document: Mapping[str, object], policy: Policy) -> Checked:
    """Judge a document; what it leaves out has its default."""
    chosen, unread = _read(document, policy)
    refused = _judge(chosen, policy, {each.name for each in unread})
    unsupported = [
        _unsupported(each) for each in _UNSUPPORTED if document.get(each) is not None
    ]
    # What others set is not stored: they may change it meanwhile.
    stored = {each.attribute: chosen[each.attribute] for each in _set_here(policy)}
    return Checked(stored, (*unsupported, *unread, *refused))


def _set_here(policy: Policy) -> list[Option]:
    """Return the options that are stored: all of a new client."""
    is_new = policy.present is None
    return [each for each in STORED if is_new or policy.setter in each.setters]


def _read(document: Mapping[str, object], policy: Policy) -> tuple[dict[str, Any], list[Fault]]:
    """Return typed values, of which those that are set by others are as they are."""
    chosen = {each.attribute: each.default for each in OPTIONS} | {"profile": policy.profile}
    faults = []
    for option in OPTIONS:
        given = document.get(option.name)
        if policy.setter not in option.setters:
            if policy.present is not None:
                chosen[option.attribute] = getattr(policy.present, option.attribute)
        elif given is not None:
            try:
                chosen[option.attribute] = option.read(given)
            except ClientRefused as fault:
                faults.append(Fault(option.name, str(fault)))
    return chosen, faults


def _judge(chosen: dict[str, Any], policy: Policy, faulty: set[str]) -> list[Fault]:
    """Put what each rule returns into ``chosen``; the default where it refuses."""
    faults = []
    for option in OPTIONS:
        if not faulty & {option.name, *option.after}:
            try:
                chosen[option.attribute] = _judged(option, Case(chosen, policy))
            except ClientFault as fault:
                chosen[option.attribute] = option.default
                faults.append(Fault(option.name, str(fault), option.error))
    return faults


def _judged(option: Option, case: Case) -> Any:  # noqa: ANN401
    value = option.rule(case.chosen[option.attribute], case)
    if option.fixed and case.policy.present and not case.is_kept(option.attribute, value):
        # The people of a sandbox would become real ones; a leaked token would take a client.
        raise ClientRefused("cannot be changed: register another client")
    return value


def _unsupported(name: str) -> Fault:
    if name == "software_statement":
        return Fault(name, "is not accepted", "invalid_software_statement")
    return Fault(name, "is not supported")


def describe(client: Client, setter: Setter = Setter.OPERATOR) -> dict[str, object]:
    """Return the document of a client: what this setter may set."""
    return {
        each.name: each.written(getattr(client, each.attribute))
        for each in STORED
        if setter in each.setters
    }
