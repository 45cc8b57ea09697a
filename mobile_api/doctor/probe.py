"""Requests the public addresses from outside, through the proxy.

Reports what a proxy breaks: wrong routes, changed redirects and headers, compressed files
without Content-Encoding, plain HTTP, and client addresses that anybody can forge.

One request offers another protocol to the token endpoint. It must be answered once, and as
without the offer. A body that is lost or read as another request shifts all answers on a
connection that a proxy keeps: people get those of others.
"""

import re
import socket
import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urljoin, urlsplit

import httpx2

from mobile_api.doctor.findings import Finding, Level
from mobile_api.messages import API_PREFIX, NONCE_HEADER, PAGE_PREFIX
from mobile_api.observability.health import ASKED, FORWARDED, SEEN

NAME: Final = "public offer of a protocol"

WAIT_S: Final = 10.0

PAUSE_S: Final = 0.3
"""Between head and body, which come in packets of their own."""

QUIET_S: Final = 1.0
"""A second answer would have come by then."""

_BODY: Final = b"grant_type=probe"

_OFFER: Final = b"Connection: Upgrade\r\nUpgrade: probe\r\n"

_STATUS: Final = re.compile(rb"HTTP/1\.[01] (\d{3}) ")


_UNANSWERED: Final = "check DNS, the certificate, and whether the proxy reaches the service"


def reason_of(fault: BaseException) -> str:
    """Return why a request failed: the deepest cause, in the words of system or library."""
    while below := fault.__cause__ or fault.__context__:
        fault = below
    match fault:
        case ssl.SSLCertVerificationError():
            return f"the certificate is not trusted: {fault.verify_message}"
        case socket.gaierror():
            return f"the host's name is unknown: {fault.strerror}"
        case OSError() if fault.strerror:
            return fault.strerror
        case _:
            return type(fault).__name__


def probe_offer(base_url: str) -> Finding:
    """Send the same request without the offer and with it, and compare the answers."""
    try:
        plain, offered = (_statuses_and_error(base_url, each) for each in (b"", _OFFER))
    except OSError as fault:
        advice = f"{_UNANSWERED}; let the proxy drop Upgrade and Connection of clients"
        return Finding(Level.FAIL, NAME, f"not answered: {reason_of(fault)}", advice)
    if plain == offered and len(plain[0]) == 1:
        return Finding(Level.OK, NAME)
    advice = (
        "upgrade every process of Thenar, restart the proxy, and let it drop Upgrade and"
        " Connection of clients: until then, people may get answers to others' requests"
    )
    return Finding(Level.FAIL, NAME, _difference(offered[0]), advice)


def _difference(statuses: list[bytes]) -> str:
    if len(statuses) > 1:
        return "answered more than once"
    return "its body is lost, or it is answered by the proxy" if statuses else "not answered"


def _statuses_and_error(base_url: str, offer: bytes) -> tuple[list[bytes], bytes]:
    """Return the status of each answer, and the last line of all that was received."""
    received = _exchange(base_url, offer)
    return _STATUS.findall(received), received.rpartition(b"\n")[2]


def _exchange(base_url: str, offer: bytes) -> bytes:
    """Send a token request with its body apart; return what comes until it is quiet.

    Raises:
        OSError: no connection, no certificate that is trusted, or nothing came in time.
    """
    url = urlsplit(base_url)
    head = (
        f"POST {url.path}/token HTTP/1.1\r\nHost: {url.netloc}\r\n"
        "Content-Type: application/x-www-form-urlencoded\r\n"
        f"Content-Length: {len(_BODY)}\r\n"
    )
    with _connected(
        url.hostname or "", url.port, is_secure=url.scheme == "https"
    ) as connection:
        connection.sendall(head.encode("ascii") + offer + b"\r\n")
        time.sleep(PAUSE_S)
        connection.sendall(_BODY)
        received = connection.recv(65_536)
        connection.settimeout(QUIET_S)
        try:
            while more := connection.recv(65_536):
                received += more
        except TimeoutError:
            pass
    return received


def _connected(host: str, port: int | None, *, is_secure: bool) -> socket.socket:
    plain = socket.create_connection((host, port or (443 if is_secure else 80)), WAIT_S)
    if not is_secure:
        return plain
    return ssl.create_default_context().wrap_socket(plain, server_hostname=host)


PROBE_S: Final = 10
"""Timeout of a request."""

FORGED: Final = "203.0.113.254"
"""An address of no host. RFC 5737 §3."""

_SCRIPT: Final = re.compile(r'<script[^>]* src="([^"]+)"')


@dataclass(frozen=True, slots=True)
class Addresses:
    """Public addresses of the service.

    Attributes:
        issuer: base of discovery.
        auth_url: base of the consent page.
        base_url: base of token and userinfo.
        public_url: base of the mobile API and the phone page.
        app_files: what its host serves for the operator's apps, by path.
    """

    issuer: str
    auth_url: str
    base_url: str
    public_url: str
    app_files: Mapping[str, str] = field(default_factory=dict)


def probe(addresses: Addresses, http: httpx2.Client) -> Iterator[Finding]:
    """Request every public address.

    ``http`` must not follow redirects.
    """
    probes: list[tuple[str, Callable[[str, Addresses, httpx2.Client], Finding]]] = [
        ("public discovery", _discovery),
        ("public health", _health),
        ("public token endpoint", _base),
        ("public sign-in page", _sign_in),
        ("public phone API", _phone),
        ("public page of the phone", _page),
        ("public client address", _client_address),
        ("plain http", _plain),
    ]
    if addresses.app_files:
        probes.append(("public files for apps", _app_files))
    for name, perform in probes:
        try:
            yield perform(name, addresses, http)
        except httpx2.HTTPError as fault:
            yield Finding(Level.FAIL, name, f"no answer: {reason_of(fault)}", _UNANSWERED)


def _discovery(name: str, addresses: Addresses, http: httpx2.Client) -> Finding:
    answer = http.get(f"{addresses.issuer}/.well-known/openid-configuration")
    try:
        issuer = answer.json().get("issuer") if answer.status_code == 200 else None
    except (ValueError, AttributeError):
        issuer = None
    if issuer != addresses.issuer:
        advice = "let the proxy forward the issuer's host and path unchanged"
        message = (
            f"status {answer.status_code}" if issuer is None else "it names another issuer"
        )
        return Finding(Level.FAIL, name, message, advice)
    is_https = addresses.issuer.startswith("https:")
    if is_https and "strict-transport-security" not in answer.headers:
        advice = "let the proxy add Strict-Transport-Security"
        return Finding(Level.WARN, name, "no Strict-Transport-Security header", advice)
    return Finding(Level.OK, name)


def _health(name: str, addresses: Addresses, http: httpx2.Client) -> Finding:
    issuer = urlsplit(addresses.issuer)
    answer = http.get(f"{issuer.scheme}://{issuer.netloc}/healthz")
    if answer.status_code == 200 and answer.text == '{"status":"alive"}':
        return Finding(Level.OK, name)
    message, advice = f"status {answer.status_code}", "harmless, unless a load balancer uses it"
    return Finding(Level.WARN, name, message, advice)


def _base(name: str, addresses: Addresses, http: httpx2.Client) -> Finding:
    answer = http.get(f"{addresses.base_url}/userinfo")
    if answer.status_code == 401 and "www-authenticate" in answer.headers:
        return Finding(Level.OK, name)
    advice = "let the proxy forward base_url with Authorization and WWW-Authenticate"
    return Finding(Level.FAIL, name, f"status {answer.status_code}", advice)


def _sign_in(name: str, addresses: Addresses, http: httpx2.Client) -> Finding:
    """Request without parameters: expect our error page, or a redirect to it."""
    page = f"{addresses.auth_url}/oauth/authorize"
    forwarded = http.get(f"{addresses.base_url}/oauth/authorize")
    location = forwarded.headers.get("location", "")
    if addresses.base_url != addresses.auth_url and not location.startswith(page):
        advice = "let the proxy neither rewrite Location nor follow redirects"
        return Finding(Level.FAIL, name, "a redirect was changed or lost", advice)
    answer = http.get(page)
    if answer.status_code == 400 and "content-security-policy" in answer.headers:
        return Finding(Level.OK, name)
    advice = "let the proxy forward auth_url with all response headers"
    return Finding(Level.FAIL, name, f"status {answer.status_code}", advice)


def _phone(name: str, addresses: Addresses, http: httpx2.Client) -> Finding:
    answer = http.get(f"{addresses.public_url}{API_PREFIX}/nonce")
    if answer.status_code == 204 and NONCE_HEADER in answer.headers:
        return Finding(Level.OK, name)
    advice = f"let the proxy forward {API_PREFIX} with the response header {NONCE_HEADER}"
    return Finding(Level.FAIL, name, f"status {answer.status_code}", advice)


def _page(name: str, addresses: Addresses, http: httpx2.Client) -> Finding:
    page = f"{addresses.public_url}{PAGE_PREFIX}"
    answer = http.get(page)
    script = _SCRIPT.search(answer.text)
    if answer.status_code != 200 or script is None:
        advice = f"let the proxy forward {PAGE_PREFIX} unchanged"
        return Finding(Level.FAIL, name, f"status {answer.status_code}", advice)
    if _arrives(urljoin(page, script[1]), http):
        return Finding(Level.OK, name)
    advice = "let the proxy keep Content-Encoding, or remove Accept-Encoding"
    return Finding(Level.FAIL, name, "compressed files arrive without Content-Encoding", advice)


def _arrives(address: str, http: httpx2.Client) -> bool:
    """Return whether a script arrives as text, or declares its compression."""
    headers = {"Accept-Encoding": "br"}
    with http.stream("GET", address, headers=headers) as answer:
        raw = b"".join(answer.iter_raw())
    if answer.headers.get("content-encoding", "identity") == "br":
        return True
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return answer.status_code == 200


def _app_files(name: str, addresses: Addresses, http: httpx2.Client) -> Finding:
    """Request what phones read before an app may use passkeys: at the root, as it is."""
    host = urlsplit(addresses.public_url).netloc
    for path, text in addresses.app_files.items():
        answer = http.get(f"https://{host}{path}")
        kind = answer.headers.get("content-type", "")
        if (answer.status_code, answer.text) != (200, text) or "json" not in kind:
            advice = "let the proxy send it to the process of /m, without a redirect or sign-in"
            message = f"{path}: status {answer.status_code}, or not what the settings say"
            return Finding(Level.FAIL, name, message, advice)
    return Finding(Level.OK, name)


def _client_address(name: str, addresses: Addresses, http: httpx2.Client) -> Finding:
    """Forge a client address for browsers and phones; report what arrived."""
    asked = (
        f"{addresses.auth_url}/oauth/authorize",
        f"{addresses.public_url}{API_PREFIX}/nonce",
    )
    headers = {"X-Forwarded-For": FORGED, ASKED: "address"}
    seen = [http.get(url, headers=headers).headers.get(SEEN, "") for url in asked]
    if any(FORGED in each for each in seen):
        message = "a forged X-Forwarded-For is believed: anybody can seem to be anywhere"
        advice = "let the proxy replace X-Forwarded-For, and trust only that proxy"
        return Finding(Level.FAIL, name, message, advice)
    if not all(seen):
        advice = f"let the proxy pass {ASKED} and {SEEN}"
        return Finding(Level.WARN, name, "the answer does not say what arrived", advice)
    is_proxied = addresses.auth_url.startswith("https:")
    if is_proxied and any(FORWARDED not in each for each in seen):
        direct = next(each for each in seen if FORWARDED not in each).partition(" ")[0]
        message = f"everybody seems to come from {direct}, and types a code at every sign-in"
        advice = "name the proxy in THENAR_MOBILE_TRUSTED_PROXIES; let it send X-Forwarded-For"
        return Finding(Level.WARN, name, message, advice)
    return Finding(Level.OK, name, ", ".join(dict.fromkeys(seen)))


def _plain(name: str, addresses: Addresses, http: httpx2.Client) -> Finding:
    """Check that signing in without TLS is refused."""
    auth = urlsplit(addresses.auth_url)
    if auth.scheme != "https":
        return Finding(Level.OK, name)
    host = auth.netloc if auth.port is None else auth.netloc.rpartition(":")[0]
    try:
        answer = http.get(f"http://{host}{auth.path}/oauth/authorize")
    except httpx2.HTTPError:
        return Finding(Level.OK, name)
    if answer.headers.get("location", "").startswith("https:"):
        return Finding(Level.OK, name)
    advice = "let the proxy redirect http to https, or not listen on port 80"
    return Finding(Level.WARN, name, f"status {answer.status_code} without https", advice)
