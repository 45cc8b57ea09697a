"""Check the service afterwards: its log, its metrics and its files."""

from __future__ import annotations

import re
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

import httpx2

if TYPE_CHECKING:
    from benchmarks.hostile_requests.installation import Installation
    from benchmarks.hostile_requests.planted_secrets import Leak, PlantedSecrets
    from benchmarks.hostile_requests.run import ResponseCounts

_FAULT: Final = re.compile(
    r"^(\S+ )?(ERROR|CRITICAL)\b|^Traceback|\"level\": ?\"(error|critical)\"", re.IGNORECASE
)
"""A log line that reports a fault of the service."""

_VARYING: Final = re.compile(r"[0-9a-f]{16,}|\d+")

_KEY_FILES: Final = frozenset({"protocol.key", "biometric.key"})
"""The only files that may hold the planted keys."""


def find_leaks(
    installation: Installation, planted: PlantedSecrets, canaries: PlantedSecrets
) -> list[Leak]:
    """Return every secret that was printed or stored in plain text.

    Args:
        installation: may still be running.
        planted: secrets that must not appear anywhere.
        canaries: made-up secrets: databases may hold them if they were sent as a state or a
            nonce, but they must not be printed.
    """
    numbers = httpx2.get(
        f"http://127.0.0.1:{installation.metrics_port}/metrics", timeout=60
    ).content
    found = []
    for secrets in (planted, canaries):
        found += secrets.search_file(installation.service.log)
        found += secrets.search(numbers, "metrics")
    for path in sorted(installation.service.folder.rglob("*")):
        if path.is_file() and path != installation.service.log and path.name not in _KEY_FILES:
            found += planted.search_file(path)
    return found


def logged_faults(installation: Installation) -> list[str]:
    """Return the log lines that report faults, with varying parts replaced by ``*``."""
    lines = installation.service.log.read_text("utf-8", "replace").splitlines()
    told = (each for each in lines if _FAULT.search(each))
    return sorted({_VARYING.sub("*", each) for each in told})


def is_ready(installation: Installation) -> bool:
    """Tell whether /readyz answers 200."""
    answer = httpx2.get(f"{installation.service.local_url}/readyz", timeout=60)
    return answer.status_code == httpx2.codes.OK


def numbers(
    counts: ResponseCounts, planted: PlantedSecrets, found: list[Leak], told: list[str]
) -> dict[str, Any]:
    """Return the numbers of the result."""
    return {
        "requests": counts.statuses.total(),
        "server_errors": sum(each.status >= 500 for each in counts.bad),
        "hung": sum(each.status < 500 for each in counts.bad),
        "statuses": {str(status): n for status, n in sorted(counts.statuses.items())},
        "kinds": dict(sorted(counts.kinds.items())),
        "not_made": dict(counts.failures),
        "secrets_planted": planted.count,
        "secrets_found": [asdict(each) for each in found],
        "faults_in_log": told,
    }
