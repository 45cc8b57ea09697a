"""What an operator may change about the mobile API. Environment prefix ``THENAR_MOBILE_``."""

from __future__ import annotations

from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import Field, StringConstraints, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from mobile_api.types import AttemptLimits, LogFormat, LoginPolicy, TemplateTrust

Positive = Annotated[int, Field(gt=0)]


def is_number(host: str) -> bool:
    """Tell whether a host is an address and no name."""
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def is_loopback(host: str) -> bool:
    """Tell whether a host name can only mean this machine."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    return is_number(host) and ip_address(host).is_loopback


class TraceSettings(BaseSettings):
    """Where traces go. The name is OpenTelemetry's own; its other ones are heeded, too."""

    model_config = SettingsConfigDict(
        env_prefix="OTEL_EXPORTER_OTLP_", frozen=True, hide_input_in_errors=True
    )

    endpoint: str | None = None
    """Base address of an OpenTelemetry collector (OTLP over http); None: no traces."""


class MobileSettings(BaseSettings):
    """Settings of the mobile API; read once, at start."""

    model_config = SettingsConfigDict(
        env_prefix="THENAR_MOBILE_", frozen=True, extra="forbid", hide_input_in_errors=True
    )

    public_url: str = "http://127.0.0.1:8080"
    """Where phones reach the service: ``/m`` and ``/mobile/v1`` lie under it. May have a path.
    Proofs are checked against it, never against Host. Plain http on loopback only. Default:
    where the provider's QR code leads, without ``/m``."""
    database_url: str = Field(default="sqlite:///data/biometric.sqlite3", repr=False)
    """SQLAlchemy URL of the biometric database (SQLite or ``postgresql+psycopg``)."""
    key_file: Path = Path("data/biometric.key")
    """File of the 256-bit key under which templates are encrypted; mode 0600, made by
    ``thenar migrate``. Keep it away from backups of the database."""
    gallery_dir: Path | None = None
    """Where this process keeps its gallery, encrypted, so that a start takes seconds. Each
    process needs its own. None: ``gallery`` beside the key file."""
    gallery_url: str | None = Field(default=None, repr=False)
    """``milvus://HOST:PORT/NAME`` (``milvus+tls`` for https): the gallery lies there, shared by
    all processes, instead of in each one's memory. ``gallery_dir`` then holds erasures only."""
    erasure_lag_s: Annotated[int, Field(ge=10)] = 60
    """How long files may hold what was erased from the database, encrypted as it is."""
    search_threads: Annotated[int, Field(ge=1, le=64)] = 1
    """Threads that share the scan of one search of a gallery on this machine, each with a
    shard of its own; more than one pays with cores to spare and a million rows."""
    shadow_share: Annotated[float, Field(ge=0, le=1)] = 0.001
    """Share of the searches that are made again exactly, in the background, and compared: the
    numbers ``thenar_gallery_shadow_…`` tell whether packed rows lose anybody."""
    support_email: Annotated[
        str, StringConstraints(max_length=254, pattern=r"^[^@\s<>\"']+@[^@\s<>\"']+$")
    ] = "support@localhost"
    """Whom a person may ask; part of the consent text."""
    abandoned_extractors: str = ""
    """Extractors whose references may stay unused, separated by commas: people who have no
    others must enrol anew. The service refuses to start on references of any other extractor
    than its own that is not named here."""
    consent_version: Annotated[str, StringConstraints(pattern=r"^[\w.-]{1,32}$")] = "2026-11"
    """Name of the consent text. Change it whenever the text changes."""
    consent_file: Path | None = None
    """UTF-8 text to be consented to, ``{support_email}`` filled in; None: the shipped one."""
    login_policy: LoginPolicy = LoginPolicy.IDENTIFY
    """Whose palm may answer a login: ``identify`` or ``bound_device``."""
    accept_templates: bool = True
    """Whether phones may send templates they made themselves instead of pictures."""
    template_trust: TemplateTrust = TemplateTrust.OWN_DEVICE
    """From which phones a template answers a login: ``own_device`` or ``any_device``."""
    passkeys: bool = True
    """Whether phones are offered to vouch for themselves by their screen lock. Needs a host
    name in ``public_url``: there are no passkeys for addresses of numbers."""
    passkey_age_s: Annotated[int, Field(ge=60)] = 7 * 24 * 3600
    """How long ago a phone's passkey may have vouched for it when a sign-in is approved; then
    the screen lock is asked for. Phones without a passkey are not asked."""
    enrolment_lifetime_s: Positive = 900
    """How long an enrolment may take. Its encrypted pending templates live no longer."""
    samples_limit: Annotated[int, Field(ge=2, le=20)] = 8
    """Most samples of one palm in one enrolment."""
    nonce_lifetime_s: Positive = 60
    """How long a nonce may be used, once. RFC 9449 §8."""
    clock_skew_s: Positive = 60
    """How far a proof's ``iat`` may be from our clock, either way."""
    submissions_per_day: Positive = 60
    """Palms one device may present within 24 hours, matching ones included: a matching palm
    teaches an attacker who climbs towards a template as much as a refused one."""
    failed_identifications_per_day: Positive = 9
    """Searches of the gallery without a match one device may cause within 24 hours."""
    network_submissions_per_day: Positive = 5_000
    """Palms that may come from one network (an IPv4 address, 56 bits of IPv6) in 24 hours."""
    network_failed_per_day: Positive = 60
    """Searches without a match from one network within 24 hours."""
    strangers_failed_per_day: Positive = 20_000
    """Searches without a match in all within 24 hours; beyond it phones that belong to nobody
    wait, owners' phones do not."""
    device_requests_per_minute: Annotated[int, Field(ge=0)] = 120
    """Signed requests of one phone in a minute, in each process; 0: no limit."""
    address_requests_per_minute: Annotated[int, Field(ge=0)] = 1_200
    """Requests of one network to the phone's API in a minute, in each process; 0: no limit.
    This machine's own addresses are never limited: they say nothing about who asks."""
    address_logins_per_minute: Annotated[int, Field(ge=0)] = 300
    """Logins one network may begin in a minute, in each process; 0: no limit."""
    address_devices_per_hour: Annotated[int, Field(ge=0)] = 100
    """Phones one network may register in an hour, in each process; 0: no limit."""
    audit_days: Positive = 400
    """How long the audit log is kept."""
    log_format: LogFormat = LogFormat.TEXT
    """How lines of the log are written: ``text`` for people, ``json`` for machines."""
    metrics_port: Annotated[int, Field(ge=0, le=65535)] = 0
    """Port on which this process tells its numbers to Prometheus, on loopback unless
    ``metrics_host`` says otherwise; 0: it does not."""
    metrics_host: str = "127.0.0.1"
    """Address on which the numbers are told. Never the public one."""
    trusted_proxies: str = "127.0.0.1,::1"
    """Addresses or networks, separated by commas, of proxies whose X-Forwarded-For names the
    client. From anybody else that header is ignored."""
    extraction_workers: Positive = 2
    """Pictures looked at in parallel, in one process."""
    extraction_wait_s: Positive = 20
    """How long a picture waits for its turn before the phone is told to come back."""

    @field_validator("public_url")
    @classmethod
    def _check_public_url(cls, value: str) -> str:
        url = urlsplit(value)
        if url.scheme not in {"https", "http"} or not url.hostname:
            raise ValueError("must be an absolute http(s) address")
        if url.query or url.fragment or url.username is not None:
            raise ValueError("must have no query, fragment or user")
        if url.scheme == "http" and not is_loopback(url.hostname):
            raise ValueError("plain http is for loopback only; use https")
        return value.rstrip("/")

    @field_validator("trusted_proxies")
    @classmethod
    def _check_proxies(cls, value: str) -> str:
        proxies = [each.strip() for each in value.split(",") if each.strip()]
        for each in proxies:
            if ip_network(each, strict=False).prefixlen == 0:
                raise ValueError("must not trust everybody")
        return ",".join(proxies)

    @property
    def limits(self) -> AttemptLimits:
        """How often palms may be presented."""
        return AttemptLimits(
            submissions=self.submissions_per_day,
            failed_identifications=self.failed_identifications_per_day,
            network_submissions=self.network_submissions_per_day,
            network_failed=self.network_failed_per_day,
            strangers_failed=self.strangers_failed_per_day,
        )

    @property
    def gallery_folder(self) -> Path:
        """Where this process keeps its gallery."""
        return self.gallery_dir or self.key_file.parent / "gallery"

    @property
    def is_secure(self) -> bool:
        """Whether phones reach the service by https."""
        return self.public_url.startswith("https:")

    @property
    def origin(self) -> str:
        """Scheme and authority of ``public_url``, as browsers write it. RFC 6454 §6.2."""
        url = urlsplit(self.public_url)
        host = (url.netloc.rpartition(":")[0] if url.port else url.netloc).lower()
        is_usual = url.port in {None, {"http": 80, "https": 443}[url.scheme]}
        return f"{url.scheme}://{host}" + ("" if is_usual else f":{url.port}")

    @property
    def rp_id(self) -> str | None:
        """Host name that passkeys are made for; None where there are none."""
        host = urlsplit(self.public_url).hostname
        return host if self.passkeys and host and not is_number(host) else None

    @property
    def path(self) -> str:
        """Path of ``public_url`` without a final slash; empty at the root."""
        return urlsplit(self.public_url).path.rstrip("/")
