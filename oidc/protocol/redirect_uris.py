"""Checks redirect and back-channel URIs."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Sequence
from typing import Final
from urllib.parse import urlsplit

from oidc.errors import RedirectUriRefused
from oidc.plumbing.client_address import is_public_name

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
