"""What a service looks like after ill-treatment: what it printed, what its databases hold."""

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
"""A line of the log that tells of a fault of ours."""

_VARYING: Final = re.compile(r"[0-9a-f]{16,}|\d+")

_KEY_FILES: Final = frozenset({"protocol.key", "biometric.key"})
"""Where two of the planted secrets belong."""


def find_leaks(
    installation: Installation, planted: PlantedSecrets, canaries: PlantedSecrets
) -> list[Leak]:
    """Return every secret that was printed or stored in plain.

    Args:
        scene: where; its service may still run.
        planted: secrets that may be nowhere.
        canaries: strangers' secrets: databases may hold them, where somebody sent them as a
            state or a nonce, but they may not be printed.
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
    """Return the lines of the log that tell of faults, without what differs between them."""
    lines = installation.service.log.read_text("utf-8", "replace").splitlines()
    told = (each for each in lines if _FAULT.search(each))
    return sorted({_VARYING.sub("*", each) for each in told})


def is_ready(installation: Installation) -> bool:
    """Tell whether the service says that it is ready."""
    answer = httpx2.get(f"{installation.service.local_url}/readyz", timeout=60)
    return answer.status_code == httpx2.codes.OK


def numbers(
    counts: ResponseCounts, planted: PlantedSecrets, found: list[Leak], told: list[str]
) -> dict[str, Any]:
    """Return what came of it, for the result."""
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
