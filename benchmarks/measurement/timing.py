"""CPU and wall times that are valid on a busy machine.

CPU time of the calling thread is what the work costs; wall time is what a caller waits. Compare
times within one run only.
"""

import resource
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter, thread_time
from typing import Any

from benchmarks.measurement.rates import percentile


@dataclass(frozen=True, slots=True)
class Timing:
    """Times of repeated calls, milliseconds.

    Attributes:
        cpu_ms: median CPU time of the calling thread.
        p999_ms: 99.9th percentile; the longest of fewer than 1,000 runs.
    """

    runs: int
    cpu_ms: float
    p50_ms: float
    p99_ms: float
    p999_ms: float

    def as_json(self) -> dict[str, Any]:
        """Return the numbers, rounded."""
        return {
            name: round(value, 4) if isinstance(value, float) else value
            for name, value in asdict(self).items()
        }


def timing(cpu_s: Sequence[float], wall_s: Sequence[float]) -> Timing:
    """Summarise at least one run; seconds."""
    cpu, wall = [1e3 * s for s in cpu_s], [1e3 * s for s in wall_s]
    shares = (0.5, 0.99, 0.999)
    return Timing(len(wall), percentile(cpu, 0.5), *(percentile(wall, s) for s in shares))


def time_calls(work: Callable[[int], object], count: int) -> Timing:
    """Call ``work(0)`` to ``work(count - 1)`` and time each call."""
    cpu, wall = [], []
    for number in range(count):
        cpu_began, began = thread_time(), perf_counter()
        work(number)
        wall.append(perf_counter() - began)
        cpu.append(thread_time() - cpu_began)
    return timing(cpu, wall)


def resident_bytes() -> int:
    """Return the resident memory of this process."""
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * resource.getpagesize()
