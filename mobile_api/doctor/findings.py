"""Findings of ``thenar doctor``: pure judgements of what the checks read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import IntEnum
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import TYPE_CHECKING, Final

from oidc.plumbing.audit_entry import AuditEntry

if TYPE_CHECKING:
    from mobile_api.server.configuration import Settings

SKEW_WARNING: Final = timedelta(seconds=2)
"""Difference between database and machine clock that is reported."""

SKEW_FAILURE: Final = timedelta(seconds=30)
"""Difference at which logins start to fail: a login waits 30 s for its browser."""

DISK_WARNING_BYTES: Final = 2 << 30
DISK_FAILURE_BYTES: Final = 100 << 20

WIDEST_PROXIES: Final = {4: 16, 6: 32}
"""Prefix length below which a proxy network is reported, by IP version."""


_OF_PHONES: Final = {"two databases", "passkeys", "consent version", "challenges"}
"""Choices that matter where phones are served."""

_WEAK_DETECTION: Final = {
    "none": "off: a photo of a palm, on paper or on a screen, passes for the palm",
    "passive": "single pictures only: a good print or a recorded video passes for the palm",
}
"""Attacks that pass at weaker settings of attack detection."""


class Level(IntEnum):
    """Severity."""

    OK = 0
    WARN = 1
    FAIL = 2


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report.

    Attributes:
        level: severity.
        name: of the check.
        message: what was found; never the value of a secret setting.
        advice: what to do; may be empty.
    """

    level: Level
    name: str
    message: str = ""
    advice: str = ""


def _judged(level: int, name: str, message: str, advice: str) -> Finding:
    """Return a finding that says something unless all is well."""
    return Finding(Level(level), name, message, advice) if level else Finding(Level.OK, name)


def _of_skew(skew: timedelta) -> int:
    return (skew >= SKEW_WARNING) + (skew >= SKEW_FAILURE)


def judge_skew(name: str, skew: timedelta) -> Finding:
    """Judge how far a database's clock is ahead of ours (negative: behind)."""
    seconds = abs(skew).total_seconds()
    message = f"the database's clock differs by {seconds:.1f} s from this machine's"
    return _judged(_of_skew(abs(skew)), name, message, "run an NTP client on both machines")


def judge_past(name: str, newest: AuditEntry | None, ahead: timedelta) -> Finding:
    """Judge whether the newest audit entry is ``ahead`` of now: then our clock went back."""
    message = f"the newest audit entry is {ahead.total_seconds():.0f} s in the future"
    advice = "set the clock of this machine, or of the one that wrote it, before serving"
    return _judged(_of_skew(ahead) if newest else Level.OK, name, message, advice)


def judge_attack_detection(name: str) -> Finding:
    """Judge the engine's ``ATTACK_DETECTION``."""
    if name not in _WEAK_DETECTION:
        return Finding(Level.OK, "attack detection", name)
    advice = "set THENAR_ENGINE_ATTACK_DETECTION=challenge"
    return Finding(Level.WARN, "attack detection", _WEAK_DETECTION[name], advice)


def judge_palm_alone(name: str, client_id: str, *, is_allowed: bool) -> Finding:
    """Judge a client that accepts a palm alone."""
    effect = "a picture of a palm may sign in there" if is_allowed else "PALM_ALONE refuses it"
    advice = f"run `thenar client update {client_id} --no-accept-palm-alone`"
    return Finding(
        Level.WARN, "palm alone", f"{name} ({client_id}) accepts it: {effect}", advice
    )


def judge_steps(name: str, steps: Sequence[float]) -> Finding:
    """Judge a clock by differences between successive readings, in seconds."""
    level = Level.OK if all(step >= 0 for step in steps) else Level.FAIL
    advice = "adjust the clock gradually (chrony; ntpd -g at boot only)"
    return _judged(level, name, "this machine's clock runs backwards", advice)


def judge_disk(name: str, free_bytes: int, *, is_cache: bool = False) -> Finding:
    """Judge the free space; a cache is done without."""
    is_full = free_bytes < DISK_FAILURE_BYTES and not is_cache
    advice = "free some space: on a full disk, enrolment, sign-in and deletion of accounts fail"
    if is_cache:
        advice = "free some space: each start builds the gallery again if it cannot be stored"
    level = (free_bytes < DISK_WARNING_BYTES) + is_full
    return _judged(level, name, f"{free_bytes / (1 << 20):.0f} MiB free", advice)


def judge_mode(name: str, mode: int, kept_from: int = 0o077) -> Finding:
    """Judge who may read a file; ``kept_from`` are the bits of those who may not."""
    message = f"mode {mode & 0o777:04o}: other users may read it"
    advice = f"chmod {0o666 & ~kept_from & ~0o022:o}"
    return _judged(Level.FAIL if mode & kept_from else Level.OK, name, message, advice)


def judge_folder(folder: Path, mode: int) -> Finding:
    """Judge who may replace what is in a folder."""
    name, level = f"permissions of {folder.name}", Level.FAIL if mode & 0o002 else Level.OK
    message = f"mode {mode & 0o7777:04o}: any user may replace what is in it"
    return _judged(level, name, message, f"chmod o-w {folder}")


def judge_limits_disk(spare_bytes: int) -> Finding:
    """Judge the space that the tables of limits leave on their disk; negative: too little."""
    advice = "free some space, or name another directory in THENAR_OIDC_LIMITS_DIR"
    message = "no space for the tables: each process counts alone"
    return _judged(Level.WARN if spare_bytes < 0 else Level.OK, "limits", message, advice)


def judge_addresses(*, is_secure: bool, hosts: Sequence[str]) -> Finding:
    """Judge the public addresses."""
    name = "addresses"
    if not is_secure:
        return Finding(
            Level.WARN,
            name,
            "plain HTTP on loopback: people can sign in on this machine only",
            "set THENAR_OIDC_ISSUER to an https address to serve others",
        )
    return Finding(Level.OK, name, ", ".join(dict.fromkeys(hosts)))


def judge_proxies(trusted: str, *, is_secure: bool) -> Finding:
    """Judge whose X-Forwarded-For is trusted."""
    advice = "name the proxy, and nothing else, in THENAR_MOBILE_TRUSTED_PROXIES"
    wide = [each for each in trusted.split(",") if each and _is_wide(each)]
    message = f"{', '.join(wide)} is a large network: any host in it can fake client addresses"
    if not trusted:
        message = "no proxy is trusted: everybody seems to come from the proxy's address"
    level = Level.WARN if wide or (is_secure and not trusted) else Level.OK
    return _judged(level, "trusted proxies", message, advice)


def _is_wide(proxies: str) -> bool:
    network = ip_network(proxies, strict=False)
    return network.prefixlen < WIDEST_PROXIES[network.version]


def judge_connections(name: str, limit: int, most: int) -> Finding:
    """Judge how many connections a database allows us; ``most``: all that we may open."""
    message = f"the database allows {limit}, the processes that are known open up to {most}"
    advice = "raise max_connections, or lower THENAR_OIDC_CONNECTIONS"
    return _judged(Level.WARN if limit < most else Level.OK, name, message, advice)


def judge_server(name: str, host: str, mode: str) -> Finding:
    """Judge whether a database server proves who it is; ``host``: a name, address or socket."""
    is_here = host.startswith(("/", "127.")) or host in {"localhost", "::1"}
    message = f"sslmode={mode}: who takes its place on the network reads and changes everything"
    advice = "set sslmode=verify-full and sslrootcert in the database's address"
    is_proved = is_here or mode == "verify-full"
    return _judged(Level.OK if is_proved else Level.WARN, name, message, advice)


def _is_private(host: str) -> bool:
    try:
        address = ip_address(host)
    except ValueError:
        return True  # a name: who knows what it means here
    return address.is_private and not address.is_unspecified


def judge_choices(settings: Settings, only: str | None = None) -> list[Finding]:
    """Judge settings that should differ in production."""
    oidc, mobile = settings.oidc, settings.mobile
    contacts = {"oidc": oidc.support_email, "mobile": mobile.support_email}
    if only:
        contacts = {only: contacts[only]}
    names = (f"THENAR_{each.upper()}_SUPPORT_EMAIL" for each in contacts)
    found = [
        (
            oidc.demo_command_template is not None,
            "demo mode",
            "the consent page shows a command",
            "unset THENAR_OIDC_DEMO_COMMAND_TEMPLATE",
        ),
        (
            any(each.endswith("@localhost") for each in contacts.values()),
            "support address",
            "people read that they should write to localhost",
            f"set {' and '.join(names)}",
        ),
        (
            bool(mobile.metrics_port) and not _is_private(mobile.metrics_host),
            "metrics",
            "metrics are served to the internet",
            "keep THENAR_MOBILE_METRICS_HOST on loopback or a private network",
        ),
        (
            oidc.database_url == mobile.database_url,
            "two databases",
            "palms and pseudonyms are in one database",
            "use two databases, each with its own user",
        ),
        (
            mobile.passkeys and mobile.rp_id is None,
            "passkeys",
            "the address of the phone's page is a number: no phone can have a passkey",
            "use a host name, or set THENAR_MOBILE_PASSKEYS=false",
        ),
        (
            bool(mobile.app_files) and mobile.origin != f"https://{mobile.rp_id}",
            "native apps",
            "phones read https://HOST/.well-known on port 443 alone; passkeys need a host name",
            "give THENAR_MOBILE_PUBLIC_URL https, a host name and no port; leave PASSKEYS on",
        ),
        (
            mobile.consent_file is not None
            and "consent_version" not in mobile.model_fields_set,
            "consent version",
            "the text is yours, its version is ours: a changed text asks no account again",
            "set THENAR_MOBILE_CONSENT_VERSION",
        ),
        (
            mobile.challenge_share > 0 and settings.engine.attack_detection in _WEAK_DETECTION,
            "challenges",
            "THENAR_MOBILE_CHALLENGE_SHARE has no effect: no challenge is ever demanded",
            "set THENAR_ENGINE_ATTACK_DETECTION=challenge",
        ),
    ]
    return [
        Finding(Level.WARN, name, message, advice)
        for is_so, name, message, advice in found
        if is_so and not (only == "oidc" and name in _OF_PHONES)
    ]
