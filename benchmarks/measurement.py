"""Rates with confidence intervals, and percentiles. Pure functions.

CPU and wall times that are valid on a busy machine.

CPU time of the calling thread is what the work costs; wall time is what a caller waits. Compare
times within one run only.

Result files: numbers with the data, weights, code, machine and protocol behind them.

Aggregates only: no file name, score or identity.
"""

import hashlib
import json
import math
import os
import platform
import resource
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter, thread_time
from typing import Any, Final

import numpy as np

from benchmarks.datasets import PalmSet

CONFIDENCE: Final = 0.95
"""Of every interval."""

MANY: Final = 1000
"""Errors and successes from which Wilson's interval is exact enough and much faster."""

Z: Final = 1.959964
"""Standard deviations around the mean that hold 95 % of a normal distribution."""

SUPPORTING_ERRORS: Final = 10
"""Fewer errors do not support a rate."""

DRAWS: Final = 1000
"""Of a bootstrap over people."""

BISECTIONS: Final = 60
"""Halvings of the unit interval: more than a double resolves."""


@dataclass(frozen=True, slots=True)
class Rate:
    """A count with its rate and confidence interval.

    Attributes:
        low: lower end of the 95 % interval, 0 to 1.
    """

    count: int
    total: int
    low: float
    high: float

    @property
    def share(self) -> float:
        """Observed rate, 0 to 1; NaN if the total is 0."""
        return self.count / self.total if self.total else math.nan


def rate(count: int, total: int) -> Rate:
    """Return a rate with its exact interval. Clopper and Pearson 1934; Wilson 1927 for many.

    Assumes independent trials, which several pictures of one palm are not quite.
    """
    if not 0 <= count <= total:
        raise ValueError("a count lies between 0 and its total")
    if total == 0:
        return Rate(0, 0, 0.0, 1.0)
    if min(count, total - count) >= MANY:
        return Rate(count, total, *_wilson(count, total))
    tail = (1 - CONFIDENCE) / 2
    if 2 * count > total:
        # Sum over the rarer outcome.
        other = rate(total - count, total)
        return Rate(count, total, 1 - other.high, 1 - other.low)
    low = 0.0 if count == 0 else _root(lambda p: 1 - _at_most(count - 1, total, p) - tail)
    high = 1.0 if count == total else _root(lambda p: tail - _at_most(count, total, p))
    return Rate(count, total, low, high)


def _wilson(count: int, total: int) -> tuple[float, float]:
    share, spread = count / total, Z * Z / total
    middle = (share + spread / 2) / (1 + spread)
    half = Z / (1 + spread) * math.sqrt(share * (1 - share) / total + spread / (4 * total))
    return middle - half, middle + half


def _at_most(count: int, total: int, share: float) -> float:
    if share <= 0:
        return 1.0
    if share >= 1:
        return float(count >= total)
    terms = (
        math.lgamma(total + 1)
        - math.lgamma(k + 1)
        - math.lgamma(total - k + 1)
        + k * math.log(share)
        + (total - k) * math.log1p(-share)
        for k in range(count + 1)
    )
    return min(1.0, math.fsum(map(math.exp, terms)))


def _root(rising: Callable[[float], float]) -> float:
    low, high = 0.0, 1.0
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        low, high = (low, middle) if rising(middle) > 0 else (middle, high)
    return (low + high) / 2


def rate_numbers(
    count: int, total: int, also: tuple[float, float] | None = None
) -> dict[str, Any]:
    """Return a rate with its interval, ready for JSON."""
    exact = rate(count, total)
    low, high = also or (exact.low, exact.high)
    return {
        "count": count,
        "total": total,
        "share": rounded(exact.share) if total else None,
        "interval_95": [rounded(min(low, exact.low)), rounded(max(high, exact.high))],
        "supported": count >= SUPPORTING_ERRORS,
    }


def rounded(value: float) -> float:
    """Round to four significant figures."""
    return float(f"{value:.4g}")


def interval_over(hits: Mapping[int, Sequence[bool]]) -> tuple[float, float] | None:
    """Return the interval of a share if other people had been drawn; None without any.

    Args:
        hits: what happened in each trial, by person or palm.
    """
    if not hits:
        return None
    counts = np.array([(sum(happened), len(happened)) for happened in hits.values()])
    people = len(counts)
    weights = np.random.default_rng(1).multinomial(people, np.full(people, 1 / people), DRAWS)
    events, totals = (weights @ counts).T
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(events / totals, (tail, 1 - tail))
    return float(low), float(high)


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value below which a share of the values lies (nearest rank)."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def time_calls(work: Callable[[int], object], count: int) -> dict[str, float]:
    """Call ``work(0)`` to ``work(count - 1)`` and time each call, milliseconds.

    Returns:
        The median CPU time of the calling thread, and percentiles of the wall time; the last
        is the longest of fewer than 1,000 runs.
    """
    cpu, wall = [], []
    for number in range(count):
        cpu_began, began = thread_time(), perf_counter()
        work(number)
        wall.append(1e3 * (perf_counter() - began))
        cpu.append(1e3 * (thread_time() - cpu_began))
    shares = {"p50_ms": 0.5, "p99_ms": 0.99, "p999_ms": 0.999}
    found = {"cpu_ms": percentile(cpu, 0.5)}
    found |= {name: percentile(wall, share) for name, share in shares.items()}
    return {"runs": count, **{name: round(value, 4) for name, value in found.items()}}


def resident_bytes() -> int:
    """Return the resident memory of this process."""
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * resource.getpagesize()


ROOT = Path(__file__).parents[1]


def made_by(protocol: str) -> dict[str, Any]:
    """Return which protocol, code and machine make a result, and when."""
    return {
        "protocol": protocol,
        "date": f"{datetime.now(UTC):%Y-%m-%d}",  # noqa: TID251 -- the date of a result
        "code": revision(),
        "machine": machine(),
    }


def result(
    *, protocol: str, palms: PalmSet, parameters: dict[str, Any], numbers: dict[str, Any]
) -> dict[str, Any]:
    """Return a result, ready for JSON."""
    return {
        **made_by(protocol),
        "data": {"name": palms.name, "manifest_sha256": palms.digest},
        "parameters": parameters,
        "models": digest_of(ROOT / "engine" / "networks" / "manifest.toml"),
        **numbers,
    }


def write_result(folder: Path, name: str, content: dict[str, Any]) -> Path:
    """Write a result; return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.json"
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    return path


def revision() -> str:
    """Return the code revision; ``unknown`` outside a checkout."""
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=12"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    return done.stdout.strip() or "unknown"


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file, hexadecimal."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def machine() -> dict[str, Any]:
    """Return what speed depends on, without naming the machine."""
    return {
        "cores": os.cpu_count(),
        "architecture": platform.machine(),
        "system": platform.system(),
        "python": platform.python_version(),
    }
