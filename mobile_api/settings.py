"""What an operator may change about the mobile API. Environment prefix ``THENAR_MOBILE_``."""

from __future__ import annotations

from ipaddress import ip_address
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import Field, StringConstraints, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from mobile_api.types import LoginPolicy

Positive = Annotated[int, Field(gt=0)]


def is_loopback(host: str) -> bool:
    """Tell whether a host name can only mean this machine."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


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
    support_email: Annotated[
        str, StringConstraints(max_length=254, pattern=r"^[^@\s<>\"']+@[^@\s<>\"']+$")
    ] = "support@localhost"
    """Whom a person may ask; part of the consent text."""
    consent_version: Annotated[str, StringConstraints(pattern=r"^[\w.-]{1,32}$")] = "2026-11"
    """Name of the consent text. Change it whenever the text changes."""
    consent_file: Path | None = None
    """UTF-8 text to be consented to, ``{support_email}`` filled in; None: the shipped one."""
    login_policy: LoginPolicy = LoginPolicy.IDENTIFY
    """Whose palm may answer a login: ``identify`` or ``bound_device``."""
    accept_templates: bool = True
    """Whether phones may send templates they made themselves instead of pictures."""
    enrolment_lifetime_s: Positive = 900
    """How long an enrolment may take. Its encrypted pending templates live no longer."""
    samples_limit: Annotated[int, Field(ge=2, le=20)] = 8
    """Most samples of one palm in one enrolment."""
    nonce_lifetime_s: Positive = 60
    """How long a nonce may be used, once. RFC 9449 §8."""
    clock_skew_s: Positive = 60
    """How far a proof's ``iat`` may be from our clock, either way."""
    submissions_per_day: Positive = 200
    """Palms one device may present within 24 hours, matching ones included: a matching palm
    teaches an attacker who climbs towards a template as much as a refused one."""
    failed_identifications_per_day: Positive = 30
    """Searches of the gallery without a match one device may cause within 24 hours."""
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

    @property
    def is_secure(self) -> bool:
        """Whether phones reach the service by https."""
        return self.public_url.startswith("https:")

    @property
    def origin(self) -> str:
        """Scheme and authority of ``public_url``."""
        url = urlsplit(self.public_url)
        return f"{url.scheme}://{url.netloc}"

    @property
    def path(self) -> str:
        """Path of ``public_url`` without a final slash; empty at the root."""
        return urlsplit(self.public_url).path.rstrip("/")
