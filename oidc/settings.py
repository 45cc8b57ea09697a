"""The operator's settings, environment prefix ``THENAR_OIDC_``.

Links are built from the three URLs, never from a request. Plain http is accepted on loopback
only. All faults are reported together.
"""

import re
from datetime import timedelta
from operator import mul
from pathlib import Path
from typing import Annotated, Any, Final, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, FilePath, SecretStr, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from oidc.client import Client, ClientLimits, Policy, Profile, Setter
from oidc.plumbing.database_url import DatabaseUrl
from oidc.plumbing.key_source import KeySource
from oidc.protocol import is_loopback
from oidc.types import Brand, Lifetimes, LoginLimits, Retention

_PREFIX = "THENAR_OIDC_"

_GROUND: Final = 0.948
"""Relative luminance of the pages' ground (``tokens.css``), and 0.05. WCAG 2.2, contrast."""

DEFAULT_PORTS: Final = {"http": 80, "https": 443}


def _checked_address(address: str) -> str:
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("must be an absolute http or https address")
    if parts.scheme == "http" and not is_loopback(parts.hostname):
        raise ValueError("plain http is served on loopback only: use https")
    if not re.fullmatch("[!-~]+", address):
        raise ValueError("must be ASCII without spaces")
    if parts.query or parts.fragment or parts.username is not None:
        raise ValueError("must have no query, fragment or user name")
    if address.endswith("/"):
        raise ValueError("must not end with a slash")
    if not address.startswith(f"{parts.scheme}://{parts.netloc.lower()}"):
        raise ValueError("must have its scheme and host in lower case")
    if parts.port == DEFAULT_PORTS[parts.scheme]:
        raise ValueError("must not name the default port: browsers leave it out")
    return address


Address = Annotated[str, AfterValidator(_checked_address)]


def _sound(address: str, instead: str) -> str:
    """Return an address from which others may be derived: one that is refused is said once."""
    try:
        return _checked_address(address)
    except (TypeError, ValueError):
        return instead


def _readable_colour(colour: str) -> str:
    """Require 4.5 to 1 on the pages' ground. WCAG 2.2 §1.4.3."""
    parts = [part / 255 for part in bytes.fromhex(colour[1:])]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    luminance = sum(map(mul, (0.2126, 0.7152, 0.0722), linear))
    if _GROUND / (luminance + 0.05) < 4.5:
        raise ValueError("has too little contrast with the page: choose a darker one")
    return colour


class OidcSettings(BaseSettings):
    """Frozen; read once, at the composition root."""

    model_config = SettingsConfigDict(
        env_prefix=_PREFIX, frozen=True, extra="forbid", hide_input_in_errors=True
    )

    issuer: Address = "http://127.0.0.1:8080"
    """Issuer identifier (``iss``); discovery lives under it."""

    auth_url: Address = ""
    """Authorization endpoint and consent page. Default: the issuer."""

    base_url: Address = ""
    """Token and userinfo endpoints; ``aud`` of access tokens. Default: the issuer."""

    phone_url: Address = ""
    """Where the QR code leads. Default: ``{auth_url}/m``."""

    database_url: DatabaseUrl = Field(default="sqlite:///data/protocol.sqlite3", repr=False)
    """Protocol database: sqlite:/// or postgresql://."""

    connections: int = Field(default=20, ge=2)
    """Most connections of a process to a PostgreSQL protocol database, beside one to LISTEN."""

    support_email: str = Field(
        default="support@localhost", pattern=r"^[^@\s<>\"']+@[^@\s<>\"']+$"
    )
    """Shown on error pages and to app developers."""

    brand_name: str = Field(default="Thenar", min_length=1, max_length=40)
    """The service's name on every page for people."""

    brand_colour: Annotated[
        str, Field(pattern="^#[0-9a-f]{6}$"), AfterValidator(_readable_colour)
    ] = Brand().colour
    """Its colour, ``#rrggbb``: 4.5 to 1 against the pages. Dark pages show it lighter."""

    brand_mark: FilePath | None = None
    """Its mark: an SVG file, square. None: ours."""

    key_encryption_key: SecretStr | None = Field(default=None, repr=False)
    """Encrypts stored signing keys: 32 bytes, base64url. Preferred to the command."""

    key_encryption_key_command: str | None = Field(default=None, repr=False)
    """Command that prints it at each start, without a shell. Preferred to the file."""

    key_encryption_key_file: Path = Path("data/protocol.key")
    """File with the key encryption key; ``thenar migrate`` makes it."""

    code_lifetime_s: int = Field(default=60, ge=1, le=600)
    """Lifetime of an authorization code. RFC 6749 §4.1.2 allows 600 at most."""

    access_token_lifetime_s: int = Field(default=3600, ge=1, le=43_200)
    """Lifetime of an access token. The specification: one hour."""

    access_token_algorithm: Literal["RS256", "ES256"] = "ES256"  # noqa: S105 - a name
    """Signature of access tokens. RS256 costs six times as much."""

    id_token_lifetime_s: int = Field(default=3600, ge=1, le=43_200)
    """Lifetime of an ID token."""

    refresh_token_lifetime_s: int = Field(default=90 * 86_400, ge=1)
    """Lifetime of a refresh token family, however often rotated."""

    refresh_token_idle_s: int = Field(default=30 * 86_400, ge=1)
    """Lifetime of an unused refresh token."""

    refresh_grace_s: int = Field(default=30, ge=0, le=60)
    """Seconds in which a spent refresh token returns the same successor: the client may not
    have received it. 0: never."""

    profile: Profile = Profile.STANDARD
    """``fapi2`` serves only FAPI 2.0 clients."""

    require_pkce: bool = False
    """Whether each client must send PKCE (S256), however it is registered."""

    client_requests_per_minute: int = Field(default=12_000, ge=0)
    """Authenticated requests of one client; 0: no limit."""

    client_logins_per_minute: int = Field(default=6_000, ge=0)
    """Logins begun for one client; 0: no limit."""

    client_failures_per_minute: int = Field(default=30, ge=0)
    """Wrong credentials of one client from one address; 0: no limit."""

    limits_dir: Path | None = None
    """Directory in which processes of a host count these, and a network's logins, together. It
    must be the service's own (0700), and is made if it is missing."""

    registrations_hourly: int = Field(default=20, ge=0)
    """Clients that an initial access token may register per hour (RFC 7591)."""

    dpop_nonce: bool = False
    """Whether DPoP proofs need a server nonce (RFC 9449 §8)."""

    palm_alone: Literal["allow", "refuse"] = "refuse"
    """Whether a palm alone may sign in where a client accepts that: a picture may do, too."""

    session_minutes: int = Field(default=15, ge=0, le=240)
    """How long after a palm its browser, until it closes, may sign in without one; 0: never."""

    private_logout_hosts: bool = False
    """Whether logout tokens may be posted to private hosts. On loopback: always."""

    pending_s: int = Field(default=180, ge=1, le=600)
    """How long the QR code waits for a phone."""

    scanned_s: int = Field(default=120, ge=1, le=600)
    """How long the login waits for a palm."""

    verified_s: int = Field(default=60, ge=1, le=600)
    """How long the login waits for approval."""

    approved_s: int = Field(default=30, ge=1, le=600)
    """How long the login waits for the browser."""

    palm_attempts: int = Field(default=3, ge=1, le=10)
    """Palms that may be presented in one login."""

    ticket_step_s: int = Field(default=5, ge=1, le=60)
    """How long the QR code shows one ticket."""

    ticket_grace_s: int = Field(default=20, ge=1, le=120)
    """How long a ticket is accepted after it was shown."""

    renewable_s: int = Field(default=600, ge=0, le=3600)
    """How long after its start an unclaimed login may be renewed; 0: never."""

    code_s: int = Field(default=120, ge=1, le=600)
    """How long the login waits for a confirmation code."""

    code_tries: int = Field(default=3, ge=1, le=5)
    """Wrong confirmation codes (four digits) that end a login."""

    known_browser_days: int = Field(default=180, ge=0, le=400)
    """How long a person's browser needs no code on risk; 0: never."""

    portal: bool = True
    """Whether ``{auth_url}/portal`` is served; never under FAPI 2.0."""

    portal_palm: bool = True
    """Whether developers sign in by palm; otherwise by links of ``thenar portal link``."""

    portal_session_minutes: int = Field(default=60, ge=1, le=1440)
    """How long a developer stays signed in."""

    portal_clients: int = Field(default=20, ge=1)
    """Clients that one developer may register."""

    audit_days: int = Field(default=400, ge=1)
    """How long audit entries are kept."""

    sign_in_days: int = Field(default=90, ge=1)
    """How long people see their sign-ins, and can end what a phone signed in."""

    stream_count: int = Field(default=1000, ge=0)
    """Event streams per process; further pages poll."""

    stream_lifetime_s: int = Field(default=300, ge=1)
    """When the server closes an event stream, to be reopened."""

    heartbeat_s: float = Field(default=15, gt=0)
    """Interval between comments that keep an event stream open."""

    watch_interval_s: float = Field(default=0.5, gt=0, le=60)
    """Interval between queries for waiting logins; PostgreSQL notifies instead."""

    demo_command_template: str | None = None
    """Demo: command shown on the consent page; ``{link}`` is the phone's link."""

    demo_app_url: str | None = None
    """Demo: address of the sample app, linked on the page at the root."""

    @model_validator(mode="before")
    @classmethod
    def _derive_addresses(cls, values: Any) -> Any:  # noqa: ANN401
        default = cls.model_fields["issuer"].default
        issuer = _sound(values.get("issuer", default), default)
        auth_url = _sound(values.get("auth_url", issuer), issuer)
        derived = {"auth_url": auth_url, "base_url": issuer, "phone_url": f"{auth_url}/m"}
        return derived | values

    @property
    def key_source(self) -> KeySource:
        """Where the key encryption key comes from."""
        return KeySource(
            self.key_encryption_key_file,
            f"{_PREFIX}KEY_ENCRYPTION_KEY",
            self.key_encryption_key,
            self.key_encryption_key_command,
        )

    @property
    def brand(self) -> Brand:
        """The operator's name, colour and logo on pages."""
        return Brand(self.brand_name, self.brand_colour, self.brand_mark)

    @property
    def is_secure(self) -> bool:
        """Whether browsers reach the consent page by https."""
        return self.auth_url.startswith("https:")

    @property
    def allows_palm_alone(self) -> bool:
        """Whether clients may accept a palm alone."""
        return self.palm_alone == "allow"

    @property
    def allows_private_hosts(self) -> bool:
        """Whether logout tokens may be posted to private addresses."""
        is_local = is_loopback(urlsplit(self.issuer).hostname or "")
        return is_local or self.private_logout_hosts

    def policy(self, setter: Setter, present: Client | None = None) -> Policy:
        """Return what may be set of a client; ``present``: of this one, not of a new one."""
        return Policy(
            setter, self.profile, self.require_pkce, self.allows_palm_alone,
            self.allows_private_hosts, present,
        )  # fmt: skip

    @property
    def limits(self) -> LoginLimits:
        """The deadlines of a login."""
        return LoginLimits(
            pending_s=self.pending_s,
            scanned_s=self.scanned_s,
            verified_s=self.verified_s,
            approved_s=self.approved_s,
            attempts=self.palm_attempts,
            ticket_step_s=self.ticket_step_s,
            ticket_grace_s=self.ticket_grace_s,
            renewable_s=self.renewable_s,
            code_s=self.code_s,
            code_tries=self.code_tries,
            known_browser_s=self.known_browser_days * 86_400,
        )

    @property
    def retention(self) -> Retention:
        """How long what is over is kept."""
        return Retention(timedelta(days=self.audit_days), timedelta(days=self.sign_in_days))

    @property
    def client_limits(self) -> ClientLimits:
        """The rate limits of one client."""
        return ClientLimits(
            requests=self.client_requests_per_minute,
            logins=self.client_logins_per_minute,
            failures=self.client_failures_per_minute,
        )

    @property
    def lifetimes(self) -> Lifetimes:
        """How long issued credentials are valid."""
        return Lifetimes(
            code_s=self.code_lifetime_s,
            access_token_s=self.access_token_lifetime_s,
            id_token_s=self.id_token_lifetime_s,
            refresh_token_s=self.refresh_token_lifetime_s,
            refresh_token_idle_s=self.refresh_token_idle_s,
            refresh_grace_s=self.refresh_grace_s,
            session_s=self.session_minutes * 60,
        )
