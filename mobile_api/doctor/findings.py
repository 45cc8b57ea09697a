"""What ``thenar doctor`` says: one line for each thing it looked at, and what to do about it.

Pure judgements: numbers and answers in, findings out. Looking is done by the composition root
and by ``probe``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import IntEnum
from ipaddress import ip_network
from typing import Final

from oidc.types import AuditEntry

SKEW_WARNING: Final = timedelta(seconds=2)
"""How far database and machine may be apart before it is told."""

SKEW_FAILURE: Final = timedelta(seconds=30)
"""How far they may be apart before logins begin to fail: a login waits 30 s for its browser."""

DISK_WARNING_BYTES: Final = 2 << 30
DISK_FAILURE_BYTES: Final = 100 << 20

WIDEST_PROXIES: Final = {4: 16, 6: 32}
"""Bits of the widest network of proxies that is not asked about, by version of IP."""


class Level(IntEnum):
    """How bad it is."""

    OK = 0
    WARN = 1
    FAIL = 2


@dataclass(frozen=True, slots=True)
class Finding:
    """One line.

    Attributes:
        level: how bad it is.
        name: what was looked at.
        said: what was found; never a value of a setting that may be secret.
        advice: what to do; empty if nothing.
    """

    level: Level
    name: str
    message: str = ""
    advice: str = ""


def exit_code(findings: Sequence[Finding]) -> int:
    """Return 1 if anything failed, 0 otherwise."""
    return int(any(each.level is Level.FAIL for each in findings))


def judge_skew(name: str, skew: timedelta) -> Finding:
    """Judge how far the clock of a database is before (positive) or behind ours."""
    apart = abs(skew)
    message = f"the database's clock is {apart.total_seconds():.1f} s from this machine's"
    advice = "run an NTP client on both machines"
    if apart >= SKEW_FAILURE:
        return Finding(Level.FAIL, name, message, advice)
    if apart >= SKEW_WARNING:
        return Finding(Level.WARN, name, message, advice)
    return Finding(Level.OK, name)


def judge_past(name: str, newest: AuditEntry | None, ahead: timedelta) -> Finding:
    """Judge whether something was written in the future: then our clock went back.

    Args:
        name: of the line.
        newest: last entry of an audit log.
        ahead: how much later than now it says to be.
    """
    if newest is None or ahead < SKEW_WARNING:
        return Finding(Level.OK, name)
    return Finding(
        Level.FAIL if ahead >= SKEW_FAILURE else Level.WARN,
        name,
        f"the newest audit entry is {ahead.total_seconds():.0f} s in the future",
        "this machine's clock went back, or another one's is wrong: set it before serving",
    )


def judge_steps(name: str, steps: Sequence[float]) -> Finding:
    """Judge a clock by differences of readings that followed each other, in seconds."""
    if all(step >= 0 for step in steps):
        return Finding(Level.OK, name)
    return Finding(
        Level.FAIL,
        name,
        "this machine's clock runs backwards",
        "let the clock be slewed, not stepped (chrony, ntpd -g at boot only)",
    )


def judge_disk(name: str, free_bytes: int) -> Finding:
    """Judge how much room is left."""
    message = f"{free_bytes / (1 << 20):.0f} MiB are free"
    advice = "make room: without any, nobody can enrol, sign in or be deleted"
    if free_bytes < DISK_FAILURE_BYTES:
        return Finding(Level.FAIL, name, message, advice)
    if free_bytes < DISK_WARNING_BYTES:
        return Finding(Level.WARN, name, message, advice)
    return Finding(Level.OK, name)


def judge_mode(name: str, mode: int) -> Finding:
    """Judge who may read a file that holds a key or a database."""
    if mode & 0o077:
        return Finding(
            Level.FAIL, name, f"its mode is {mode & 0o777:04o}: others may read it", "chmod 600"
        )
    return Finding(Level.OK, name)


def judge_addresses(*, is_secure: bool, hosts: Sequence[str]) -> Finding:
    """Judge the public addresses."""
    name = "addresses"
    if not is_secure:
        return Finding(
            Level.WARN,
            name,
            "plain http on loopback: only this machine can sign in",
            "for everybody else set THENAR_OIDC_ISSUER to an https address",
        )
    return Finding(Level.OK, name, ", ".join(dict.fromkeys(hosts)))


def judge_proxies(trusted: str, *, is_secure: bool) -> Finding:
    """Judge whose X-Forwarded-For is believed."""
    name, setting = "trusted proxies", "THENAR_MOBILE_TRUSTED_PROXIES"
    if is_secure and not trusted:
        return Finding(
            Level.WARN,
            name,
            "nobody is trusted: all people seem to come from the proxy's network",
            f"name the proxy in {setting}",
        )
    wide = [each for each in trusted.split(",") if each and _is_wide(each)]
    if wide:
        return Finding(
            Level.WARN,
            name,
            f"{', '.join(wide)} is a whole network: whoever is in it names any address",
            f"name the proxies alone in {setting}",
        )
    return Finding(Level.OK, name)


def _is_wide(proxies: str) -> bool:
    network = ip_network(proxies, strict=False)
    return network.prefixlen < WIDEST_PROXIES[network.version]


def judge_choices(
    *, demo: bool, support: Sequence[str], one_database: bool, metrics_public: bool
) -> list[Finding]:
    """Judge what may be set and should not be, where people sign in.

    Args:
        demo: whether the consent page shows a command.
        support: the addresses people are told to write to.
        one_database: whether both databases are one.
        metrics_public: whether the numbers are told beyond this machine.
    """
    found = [
        (demo, "demo mode", "pages show a command", "unset THENAR_OIDC_DEMO_COMMAND_TEMPLATE"),
        (
            any(each.endswith("@localhost") for each in support),
            "support address",
            "people are told to write to localhost",
            "set THENAR_OIDC_SUPPORT_EMAIL and THENAR_MOBILE_SUPPORT_EMAIL",
        ),
        (
            one_database,
            "two databases",
            "palms and pseudonyms lie in one database",
            "give each its own, with a user of its own",
        ),
        (
            metrics_public,
            "metrics",
            "the numbers are told beyond this machine",
            "keep THENAR_MOBILE_METRICS_HOST on loopback or a private network",
        ),
    ]
    return [
        Finding(Level.WARN, name, message, advice)
        for is_so, name, message, advice in found
        if is_so
    ]
