"""Protocol values without storage: identifiers, URIs, parameters, levels, responses.

Empty parameters count as absent, unknown ones are ignored (RFC 6749 §3.1). ``acr`` are
absolute URIs, since no registered level describes palms (OpenID Connect Core §2). A response
has ``state`` and ``iss`` (RFC 9207), in the query of the redirect URI or posted (OAuth 2.0
Form Post Response Mode §2).
"""

import hashlib
import ipaddress
import json
import re
import secrets
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from oidc.client import ResponseMode
from oidc.errors import AuthorizationRefused, RedirectUriRefused, UntrustedRequest
from oidc.plumbing.client_address import is_public_name
from oidc.types import Level

_IDENTIFIER: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")


def new_secret() -> str:
    """Return 256 random bits, base64url without padding (43 characters)."""
    return secrets.token_urlsafe(32)


def new_identifier() -> str:
    """Return 128 random bits in hexadecimal, never like a command-line option."""
    return secrets.token_hex(16)


def digest_of(secret: str) -> bytes:
    """Return the SHA-256 of a random secret. OWASP ASVS 5.0, 6.5.2.

    Defined for every string, lone surrogates included.
    """
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()


def is_identifier(text: str) -> bool:
    """Return whether this could be one of our identifiers."""
    return _IDENTIFIER.fullmatch(text) is not None


_URI_LENGTH: Final = 2000
_URI_CHARACTERS: Final = re.compile(r"[A-Za-z0-9\-._~:/?\[\]@!$&'()*+,;=%]+")
_HOST: Final = re.compile(r"[a-z0-9.-]+|\[[0-9a-f:.]+\]", re.IGNORECASE)
_LOOPBACK: Final = re.compile(r"(http://(?:127\.0\.0\.1|\[::1\])):([1-9][0-9]{0,4})(?=/|\?|$)")
_PRIVATE_SCHEME: Final = re.compile(r"[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+")


def is_loopback(host: str) -> bool:
    """Return whether the host is ``localhost`` or a loopback address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def without_loopback_port(uri: str) -> str:
    """Return an http URI of ``127.0.0.1`` or ``[::1]`` without its port, others as they are."""
    found = _LOOPBACK.match(uri)
    if found is None or int(found[2]) >= 1 << 16:
        return uri
    return found[1] + uri[found.end() :]


def require_redirect_uri(uri: str) -> str:
    """Return the URI if codes may be sent there. Raises ``RedirectUriRefused``.

    Allowed: https, http on loopback, private-use schemes with a dot (RFC 8252 §7.1). Not
    fragments (RFC 6749 §3.1.2), user names, or what browsers execute.
    """
    if len(uri) > _URI_LENGTH or not _URI_CHARACTERS.fullmatch(uri):
        raise RedirectUriRefused(
            "a redirect URI has at most 2000 characters of RFC 3986 and no '#'"
        )
    try:
        parts = urlsplit(uri)
        _ = parts.port
    except ValueError as fault:
        raise RedirectUriRefused("the redirect URI is malformed") from fault
    if parts.scheme in ("http", "https"):
        _require_web_host(parts.scheme, parts.netloc, parts.hostname)
    elif not _PRIVATE_SCHEME.fullmatch(parts.scheme):
        raise RedirectUriRefused("use https, http on loopback, or a scheme that contains a dot")
    return uri


def require_redirect_uris(uris: Sequence[str]) -> tuple[str, ...]:
    """Return the URIs, each once, if codes may be sent to all of them.

    Raises:
        RedirectUriRefused: it tells all that are refused.
    """
    faults = []
    for uri in uris:
        try:
            require_redirect_uri(uri)
        except RedirectUriRefused as fault:
            faults.append(f"{uri[:_URI_LENGTH]!a}: {fault}")
    if faults:
        raise RedirectUriRefused("; ".join(faults))
    return tuple(dict.fromkeys(uris))


def require_backchannel_uri(uri: str) -> str:
    """Return the URI if it is https, or http on loopback. Raises ``RedirectUriRefused``."""
    advice = "use https, a plain host and no '#'"
    try:
        scheme = urlsplit(require_redirect_uri(uri)).scheme
    except RedirectUriRefused as fault:
        raise RedirectUriRefused(advice) from fault
    if scheme not in ("http", "https"):
        raise RedirectUriRefused(advice)
    return uri


def require_public_host(uri: str) -> None:
    """Check that a back-channel URI may be reached. Raises ``RedirectUriRefused``."""
    parts = urlsplit(require_backchannel_uri(uri))
    if not is_public_name(parts.hostname or ""):
        raise RedirectUriRefused("use https and a host of the Internet: this one is private")


def host_of(redirect_uri: str) -> str:
    """Return the host of a redirect URI, shown beside the client's name."""
    parts = urlsplit(redirect_uri)
    return parts.netloc if parts.scheme in ("http", "https") else f"{parts.scheme}:"


def hosts_of(redirect_uris: Iterable[str]) -> str:
    """Return the hosts of a client, each once."""
    return ", ".join(dict.fromkeys(host_of(uri) for uri in redirect_uris))


def _require_web_host(scheme: str, authority: str, host: str | None) -> None:
    name, colon, port = authority.rpartition(":")
    if not (colon and port.isdigit()):
        name = authority
    if not host or not _HOST.fullmatch(name):
        raise RedirectUriRefused("a redirect URI needs a plain host and no user name")
    if scheme == "http" and not is_loopback(host):
        raise RedirectUriRefused("http is allowed on loopback only")


_FIELD_COUNT: Final = 100

KNOWN: Final = frozenset(
    {
        "acr_values",
        "claims",
        "client_id",
        "code_challenge",
        "code_challenge_method",
        "display",
        "dpop_jkt",
        "id_token_hint",
        "login_hint",
        "max_age",
        "nonce",
        "post_logout_redirect_uri",
        "prompt",
        "redirect_uri",
        "registration",
        "request",
        "request_uri",
        "response_mode",
        "response_type",
        "scope",
        "state",
        "ui_locales",
        "user_id",
    }
)
"""None may be repeated. RFC 6749 §3.1."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters of an authorization request.

    Attributes:
        values: the first value of each, unless empty.
        repeated: known ones sent more than once.
        is_pushed: by the authenticated client (RFC 9126).
        reference: digest of the reference that names a stored request, hexadecimal.
    """

    values: dict[str, str]
    repeated: frozenset[str]
    is_pushed: bool = False
    reference: str | None = None

    def get(self, name: str) -> str | None:
        """Return the parameter; None if absent or empty."""
        return self.values.get(name)

    @property
    def state(self) -> str | None:
        """The ``state`` to return; None if absent or ambiguous."""
        return None if "state" in self.repeated else self.get("state")

    @property
    def response_mode(self) -> ResponseMode:
        """Where the response goes, errors included: query, unless form_post is usable.

        Forms need http(s), and browsers would rewrite line breaks.
        """
        asked = None if "response_mode" in self.repeated else self.get("response_mode")
        asked = asked or _mode_in(self.get("request"))
        is_web = (self.get("redirect_uri") or "").startswith(("https:", "http:"))
        is_plain = all(character >= " " for character in self.state or "")
        if asked == ResponseMode.FORM_POST and is_web and is_plain:
            return ResponseMode.FORM_POST
        return ResponseMode.QUERY


def _mode_in(request_object: str | None) -> str | None:
    """Return the response mode of a request object, which will be refused there. Core §6.1.

    Its signature does not matter: the address of the answer is a registered one.
    """
    from joserfc.util import urlsafe_b64decode  # noqa: PLC0415 - commands need none of it

    _, _, payload = (request_object or "").partition(".")
    try:
        claims = json.loads(urlsafe_b64decode(payload.partition(".")[0].encode()))
    except (ValueError, RecursionError):
        return None
    mode = claims.get("response_mode") if isinstance(claims, dict) else None
    return mode if isinstance(mode, str) else None


def parse_parameters(text: str) -> Parameters:
    """Parse a query or form body. Raises ``UntrustedRequest``."""
    try:
        pairs = parse_qsl(
            text, keep_blank_values=True, errors="strict", max_num_fields=_FIELD_COUNT
        )
    except ValueError as fault:
        raise UntrustedRequest("the request is malformed") from fault
    counts = Counter(name for name, _ in pairs)
    repeated = frozenset(name for name, count in counts.items() if count > 1)
    values = {name: value for name, value in reversed(pairs) if value}
    return Parameters(values, repeated & KNOWN)


_METHODS: Final = MappingProxyType(
    {
        Level.PALM_AND_PHONE: ("user", "swk", "mfa"),
        Level.PALM_AT_STATION: ("user",),
        Level.PALM: ("user",),
    }
)
"""RFC 8176 §2: the palm, and the key of a device that the account trusts."""

_PLAYED: Final = MappingProxyType(
    {
        Level.PALM_AND_PHONE: Level.SANDBOX,
        Level.PALM_AT_STATION: Level.SANDBOX_STATION,
        Level.PALM: Level.SANDBOX_PALM,
    }
)

LEVELS: Final = tuple(_METHODS)
"""The levels of real people, best first."""


def played(levels: Iterable[Level]) -> tuple[Level, ...]:
    """Return as what sandbox clients play these levels."""
    return tuple(_PLAYED[each] for each in levels)


def is_scripted(level: Level) -> bool:
    """Return whether a sign-in was a sandbox client's script."""
    return level not in _METHODS


def granted(shown: Level, accepted: Collection[Level]) -> Level | None:
    """Return the best accepted level that a sign-in reached, or None.

    Every other level includes a palm. A device is no station, and a station no device.
    """
    least = Level.SANDBOX_PALM if is_scripted(shown) else Level.PALM
    return next((each for each in (shown, least) if each in accepted), None)


def acr_of(issuer: str, level: Level) -> str:
    """Return the ``acr`` of a level."""
    return f"{issuer}/acr/{level}"


def amr_of(level: Level) -> tuple[str, ...]:
    """Return the ``amr`` of a level."""
    return _METHODS.get(level, ("sandbox",))


def audience_of(resource: str, level: Level) -> str:
    """Return the audience of access tokens: real services refuse scripted ones. RFC 9068 §4."""
    return f"{resource}/sandbox" if is_scripted(level) else resource


@dataclass(frozen=True, slots=True)
class ResponseTarget:
    """Where the response goes; registered exactly."""

    redirect_uri: str
    response_mode: ResponseMode
    state: str | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class AuthorizationResponse:
    """A response; ``fields`` are names and values, in order."""

    redirect_uri: str
    response_mode: ResponseMode
    fields: tuple[tuple[str, str], ...] = field(repr=False)

    @property
    def posted(self) -> tuple[tuple[str, str], ...]:
        """The fields that a form posts; none if they stand in the address."""
        return self.fields if self.response_mode is ResponseMode.FORM_POST else ()

    @property
    def address(self) -> str:
        """The redirect URI, with the fields that are not posted appended to its own query."""
        if self.posted:
            return self.redirect_uri
        separator = "&" if "?" in self.redirect_uri else "?"
        return self.redirect_uri + separator + urlencode(self.fields, quote_via=quote)


def code_response(issuer: str, path: ResponseTarget, code: str) -> AuthorizationResponse:
    """Return the response with a code. RFC 6749 §4.1.2."""
    return _answer(issuer, path, ("code", code))


def error_response(
    issuer: str, path: ResponseTarget, refused: AuthorizationRefused
) -> AuthorizationResponse:
    """Return the response with an error. RFC 6749 §4.1.2.1."""
    description = ("error_description", refused.description)
    return _answer(issuer, path, ("error", refused.error), description)


def _answer(
    issuer: str, path: ResponseTarget, *fields: tuple[str, str]
) -> AuthorizationResponse:
    state = () if path.state is None else (("state", path.state),)
    return AuthorizationResponse(
        path.redirect_uri, path.response_mode, (*fields, *state, ("iss", issuer))
    )
