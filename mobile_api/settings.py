"""Settings of the mobile API. Environment prefix ``THENAR_MOBILE_``."""

from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, StringConstraints, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from mobile_api.messages import PAGE_PREFIX
from mobile_api.native_apps import android_apps, android_origins, app_files, apple_apps
from mobile_api.types import (
    AttemptLimits,
    LogFormat,
    LoginPolicy,
    TemplateTrust,
    TrustByWaiting,
)
from oidc.plumbing.database_url import DatabaseUrl
from oidc.plumbing.key_source import KeySource

Positive = Annotated[int, Field(gt=0)]


def is_number(host: str) -> bool:
    """Return whether a host is an IP address, not a name."""
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def is_loopback(host: str) -> bool:
    """Return whether a host always means this machine."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    return is_number(host) and ip_address(host).is_loopback


class MobileSettings(BaseSettings):
    """Settings of the mobile API, read once at start."""

    model_config = SettingsConfigDict(
        env_prefix="THENAR_MOBILE_", frozen=True, extra="forbid", hide_input_in_errors=True
    )

    public_url: str = "http://127.0.0.1:8080"
    """URL of the phone page (``/m``) and API (``/mobile/v1``). Proofs are checked against
    it, never against Host. Plain http on loopback only. Default: where the provider's QR
    code leads."""
    database_url: DatabaseUrl = Field(default="sqlite:///data/biometric.sqlite3", repr=False)
    """URL of the biometric database: ``sqlite:///PATH`` or ``postgresql://USER@HOST/NAME``."""
    key_file: Path = Path("data/biometric.key")
    """File of the 256-bit key for templates, mode 0600, made by ``thenar migrate``. Store it
    apart from database backups."""
    key: SecretStr | None = Field(default=None, repr=False)
    """The keys of that file themselves, the newest first. Preferred to the command."""
    key_command: str | None = Field(default=None, repr=False)
    """Command that prints them at each start, without a shell. Preferred to the file."""
    alias_key_file: Path | None = None
    """File of the provider's key of the aliases. None: the key file's name, ending in
    ``.aliases``. With the key file and both databases it joins them: store it apart."""
    alias_key: SecretStr | None = Field(default=None, repr=False)
    """The key of that file itself. Preferred to the command."""
    alias_key_command: str | None = Field(default=None, repr=False)
    """Command that prints it at each start. Preferred to the file."""
    gallery_dir: Path | None = None
    """Directory of this process's own encrypted gallery, so that a start takes seconds. None:
    ``gallery`` beside the key file."""
    gallery_url: str | None = Field(default=None, repr=False)
    """``milvus://HOST:PORT/NAME`` (``milvus+tls`` for https): a gallery shared by all
    processes."""
    erasure_list: Path | None = None
    """File of the erased accounts, which no restored backup brings back: one for all processes.
    None: the key file's name, ending in ``.erasures``. No cache; keep copies of it."""
    erasure_lag_s: Annotated[int, Field(ge=10)] = 60
    """Seconds until what was erased must have left the gallery's encrypted files."""
    search_threads: Annotated[int, Field(ge=1, le=64)] = 1
    """Threads for one search. More than one helps from a million references, if cores are
    free."""
    shadow_share: Annotated[float, Field(ge=0, le=1)] = 0.001
    """Share of searches repeated exactly and compared. The metrics
    ``thenar_gallery_shadow_…`` show whether the packed search misses anybody."""
    support_email: Annotated[
        str, StringConstraints(max_length=254, pattern=r"^[^@\s<>\"']+@[^@\s<>\"']+$")
    ] = "support@localhost"
    """Contact address in the consent text."""
    abandoned_extractors: str = ""
    """Extractors, separated by commas, whose references may stay unused: their people must
    enrol again. Other unknown extractors prevent the start."""
    consent_version: Annotated[str, StringConstraints(pattern=r"^[\w.-]{1,32}$")] = "2026-11-30"
    """Name of the consent text. Change it whenever a text changes."""
    consent_file: Path | None = None
    """UTF-8 consent text with ``{support_email}``, or a folder with one for each language:
    ``en.txt`` and others. Headings begin with ``# ``. None: the included ones."""
    login_policy: LoginPolicy = LoginPolicy.IDENTIFY
    """Whose palm may answer a login: ``identify`` or ``bound_device``."""
    accept_templates: bool = True
    """Whether phones may send templates that they made, instead of pictures."""
    template_trust: TemplateTrust = TemplateTrust.OWN_DEVICE
    """Which phones may send templates: ``own_device`` (trusted phones of an account; others
    send pictures) or ``any_device`` (a fleet of phones that the operator controls)."""
    follow_references: bool = True
    """Whether a sign-in on a trusted phone that surely matches, but looks unlike the enrolled
    palm, adds a reference for this phone's sign-ins. Off: the next start erases them."""
    new_phone_wait_h: Annotated[int, Field(ge=1, le=24 * 30)] = 72
    """Hours that a new phone waits until a second palm makes it trusted. Every trusted phone
    shows it meanwhile and can refuse it. Does not change requests that are open."""
    trust_by_waiting: TrustByWaiting = TrustByWaiting.LAST_RESORT
    """Which accounts let a new phone become trusted by waiting: ``last_resort`` (those with
    neither a passkey nor a recovery code), ``never``, or ``always`` (a picture of a palm and
    an owner who does not look are then enough)."""
    passkeys: bool = True
    """Whether phones may use passkeys (their screen lock). Needs a host name in
    ``public_url``."""
    passkey_age_s: Annotated[int, Field(ge=60)] = 7 * 24 * 3600
    """Seconds after which a phone with a passkey must use it again to approve a sign-in."""
    android_apps: str = ""
    """Your own Android apps, ``PACKAGE=FINGERPRINT`` separated by commas (SHA-256 of the
    signing certificate): they may use passkeys and open the QR code's links. Repeat a package
    for each further certificate."""
    apple_apps: str = ""
    """Your own iOS apps, ``TEAMID.BUNDLE`` separated by commas: the same for these."""
    push_services: str = (
        "fcm.googleapis.com,updates.push.services.mozilla.com"  # Chrome, Firefox
        ",.push.apple.com,.notify.windows.com"  # Safari, Edge
    )
    """Hosts of push services, separated by commas, that tell trusted phones which allowed it
    that a new phone asks for trust; a name that begins with a dot stands for all below it.
    Empty: none."""
    push_spread_s: Annotated[int, Field(ge=0, le=3600)] = 300
    """Most seconds until a trusted phone is notified, each at random: a push service must not
    see which phones belong to one account."""
    challenge_share: Annotated[float, Field(ge=0, le=1)] = 0.0
    """Share of its hours in which a trusted phone must show the palm in a challenge, too. Has
    no effect where ``THENAR_ENGINE_ATTACK_DETECTION`` asks for none."""
    challenge_step_s: Annotated[int, Field(ge=5, le=120)] = 20
    """Seconds for one step of a challenge, from sending it to receiving its pictures. Longer is
    kinder to slow hands, and to an attacker who prepares an answer. The last picture must be
    taken within 25 s: above 25, only its upload has more time."""
    enrolment_lifetime_s: Positive = 900
    """Seconds until a pending enrolment and its encrypted samples are deleted."""
    samples_limit: Annotated[int, Field(ge=2, le=12)] = 8
    """Most samples of one palm in one enrolment."""
    nonce_lifetime_s: Positive = 60
    """Seconds that a nonce is valid, for one use. RFC 9449 §8."""
    clock_skew_s: Positive = 60
    """Seconds that a proof's ``iat`` may differ from our clock."""
    submissions_per_day: Positive = 60
    """Palms of one device on a day (UTC). Matches count too, because they also help an
    attacker who approaches a template step by step."""
    failed_identifications_per_day: Positive = 18
    """Palms of one device without a match on a day, in sign-ins, palm proofs and
    enrolments. An enrolment's samples count until it is finished."""
    network_submissions_per_day: Positive = 5_000
    """Palms of one network (an IPv4 address or 56 bits of IPv6) on a day. When
    this or one of the next four limits is used up, phones older than a day may still use a
    quarter of it."""
    network_failed_per_day: Positive = 150
    """Palms of one network without a match on a day: enough for 100 people who enrol at one
    address, 15 of them at a time. Beyond any limit but its own, a trusted phone is still
    compared with its own account."""
    network_wide_failed_per_day: Positive = 600
    """The same for 24 bits of IPv4 or 48 bits of IPv6."""
    network_widest_failed_per_day: Positive = 2_400
    """The same for 16 bits of IPv4 or 32 bits of IPv6."""
    strangers_failed_per_day: Positive = 20_000
    """Palms without a match in total on a day."""
    new_networks_share: Annotated[float, Field(ge=0, le=0.9)] = 0.25
    """Share of that total for networks whose 16 bits of IPv4 or 32 bits of IPv6 asked no more
    on a day than one device may: a few networks cannot use it up."""
    device_requests_per_minute: Annotated[int, Field(ge=0)] = 120
    """Signed requests from one phone per minute, in each process. 0: no limit."""
    address_requests_per_minute: Annotated[int, Field(ge=0)] = 1_200
    """API requests of one network per minute, in each process. 0: no limit. Loopback is
    never limited: behind a proxy it could be anybody."""
    address_logins_per_minute: Annotated[int, Field(ge=0)] = 300
    """Logins that one network may start per minute. 0: no limit. With
    ``THENAR_OIDC_LIMITS_DIR`` the processes of a host count together, otherwise each alone."""
    address_devices_per_minute: Annotated[int, Field(ge=0)] = 60
    """Phones that one network may register per minute, in each process. 0: no limit. Short, so
    that one phone cannot keep new phones of an office out for long."""
    bodies_mib: Annotated[int, Field(ge=16)] = 32
    """MiB for the bodies of all requests that one process reads or uses at a time."""
    connections_limit: Annotated[int, Field(ge=100)] = 8_000
    """Most connections of one process, waiting pages and phones among them; more are answered
    503. Each is an open file."""
    audit_days: Positive = 400
    """Days that audit log entries are stored."""
    log_format: LogFormat = LogFormat.TEXT
    """Format of log lines: ``text`` for people, ``json`` for programs."""
    metrics_port: Annotated[int, Field(ge=0, le=65535)] = 0
    """Port of this process's Prometheus metrics. 0: no metrics."""
    metrics_host: str = "127.0.0.1"
    """Address of the metrics, loopback by default. Never use the public one."""
    trusted_proxies: str = ""
    """Proxies, as addresses or networks separated by commas, whose X-Forwarded-For names the
    client. No proxy's is believed until it is named, loopback's neither."""
    extraction_workers: Positive = 2
    """Pictures processed in parallel in one process."""
    extraction_wait_s: Positive = 20
    """Seconds that a picture may wait for a worker."""

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

    @field_validator("android_apps")
    @classmethod
    def _check_android_apps(cls, value: str) -> str:
        android_apps(value)
        return value

    @field_validator("apple_apps")
    @classmethod
    def _check_apple_apps(cls, value: str) -> str:
        apple_apps(value)
        return value

    @property
    def push_hosts(self) -> list[str]:
        """Hosts of the push services that are accepted."""
        return [each.strip().lower() for each in self.push_services.split(",") if each.strip()]

    @property
    def limits(self) -> AttemptLimits:
        """How often palms may be presented."""
        return AttemptLimits(
            submissions=self.submissions_per_day,
            failed_identifications=self.failed_identifications_per_day,
            network_submissions=self.network_submissions_per_day,
            network_failed=self.network_failed_per_day,
            network_wide_failed=self.network_wide_failed_per_day,
            network_widest_failed=self.network_widest_failed_per_day,
            total_failed=self.strangers_failed_per_day,
            new_networks_failed=int(self.strangers_failed_per_day * self.new_networks_share),
        )

    @property
    def gallery_folder(self) -> Path:
        """Directory of this process's gallery."""
        return self.gallery_dir or self.key_file.parent / "gallery"

    @property
    def erasure_file(self) -> Path:
        """File of the list of erasures."""
        return self.erasure_list or self.key_file.with_suffix(".erasures")

    @property
    def key_source(self) -> KeySource:
        """Where the template keys come from."""
        return KeySource(self.key_file, "THENAR_MOBILE_KEY", self.key, self.key_command)

    @property
    def alias_key_source(self) -> KeySource:
        """Where the provider's key of the aliases comes from."""
        return KeySource(
            self.alias_key_file or self.key_file.with_suffix(".aliases"),
            "THENAR_MOBILE_ALIAS_KEY",
            self.alias_key,
            self.alias_key_command,
        )

    @property
    def is_secure(self) -> bool:
        """Whether phones use https."""
        return self.public_url.startswith("https:")

    @property
    def is_on_loopback(self) -> bool:
        """Whether phones reach the service on this machine only."""
        return is_loopback(urlsplit(self.public_url).hostname or "")

    @property
    def origin(self) -> str:
        """Scheme and authority of ``public_url``, as browsers write it. RFC 6454 §6.2."""
        url = urlsplit(self.public_url)
        host = (url.netloc.rpartition(":")[0] if url.port else url.netloc).lower()
        is_usual = url.port in {None, {"http": 80, "https": 443}[url.scheme]}
        return f"{url.scheme}://{host}" + ("" if is_usual else f":{url.port}")

    @property
    def rp_id(self) -> str | None:
        """Host name for passkeys; None if they are off or the host is an IP address."""
        host = urlsplit(self.public_url).hostname
        return host if self.passkeys and host and not is_number(host) else None

    @property
    def passkey_origins(self) -> list[str]:
        """Origins that passkeys may sign: the page's (iOS apps sign it too) and Android's."""
        return [self.origin, *android_origins(self.android_apps)]

    @property
    def app_files(self) -> dict[str, str]:
        """Files that name the operator's apps, by path at the root of the host."""
        return app_files(self.android_apps, self.apple_apps, self.path + PAGE_PREFIX)

    @property
    def path(self) -> str:
        """Path of ``public_url`` without a trailing slash; empty at the root."""
        return urlsplit(self.public_url).path.rstrip("/")
