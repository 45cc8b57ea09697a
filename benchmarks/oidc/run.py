"""Measure several providers in turn, so that other load affects all alike.

CPU time is that of a process and its descendants, as are switches between threads, which other
load does not change much. Writes the JSON and the page, prints a table.
"""

import asyncio
import json
import os
import time
from collections import defaultdict
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from benchmarks.console import console
from benchmarks.measurement import made_by, percentile, write_result
from benchmarks.oidc.providers import Provider, missing, provider
from benchmarks.oidc.requests import Source, code_exchanges, refreshes, send, userinfo_requests
from benchmarks.report.page import write_page


def tree_cpu_s(pid: int) -> float:
    """Return user and system time of a process and its descendants, in seconds.

    Running processes by the kernel's clock (``clock_getcpuclockid``), ended ones in ticks of 10
    ms.
    """
    return sum(_cpu_s(each) + _ended_s(each) for each in tree(pid))


def tree_switches(pid: int) -> int:
    """Return how often threads of a process and its descendants gave their core away."""
    statuses = [
        status.read_text(encoding="utf-8")
        for each in tree(pid)
        for status in Path(f"/proc/{each}/task").glob("*/status")
    ]
    return sum(
        int(text.partition("\nvoluntary_ctxt_switches:")[2].split()[0]) for text in statuses
    )


def tree(pid: int) -> list[int]:
    """Return a process and its running descendants."""
    children: dict[int, list[int]] = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            # The name may hold spaces and brackets: the last bracket ends it.
            fields = status.read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append(int(status.parent.name))
    found = [pid]
    for each in found:
        found += children.get(each, [])
    return found


def _cpu_s(pid: int) -> float:
    # clock_getcpuclockid(3): the clock of another process is its inverted number and a 2.
    try:
        return time.clock_gettime((~pid << 3) | 2)
    except OSError:
        return 0.0


def _ended_s(pid: int) -> float:
    """Return the CPU time of ended children that were waited for: proc(5), 16 and 17."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2]
    except OSError:
        return 0.0
    user, system = status.split()[13:15]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


OPERATIONS: Final = ("code exchange", "refresh", "userinfo")


@dataclass(slots=True)
class Totals:
    """Totals of one provider and operation over all rounds."""

    wall_s: float = 0.0
    cpu_s: float = 0.0
    switches: int = 0
    database_cpu_s: float = 0.0
    latencies_s: list[float] = field(default_factory=list, repr=False)

    def numbers(self) -> dict[str, Any]:
        """Return the published numbers."""
        requests, all_cpu_s = len(self.latencies_s), self.cpu_s + self.database_cpu_s
        return {
            "requests": requests,
            "per_cpu_s": round(requests / self.cpu_s, 1),
            "per_cpu_s_with_database": round(requests / all_cpu_s, 1),
            "switches": round(self.switches / requests, 2),
            "per_wall_s": round(requests / self.wall_s, 1),
            "p50_ms": round(1000 * percentile(self.latencies_s, 0.5), 2),
            "p99_ms": round(1000 * percentile(self.latencies_s, 0.99), 2),
        }


def measure(
    providers: Sequence[Provider], *, requests: int, rounds: int, warm_up: int, connections: int
) -> dict[str, Any]:
    """Measure every provider and operation, after so many rounds that do not count."""
    sums: dict[tuple[str, str], Totals] = defaultdict(Totals)
    for number in range(-warm_up, rounds):
        if number == 0:
            sums.clear()
        # The first of one round is the last of another.
        turn = number % len(providers)
        for each in (*providers[turn:], *providers[:turn]):
            name = f"round {number + 1} of {rounds}" if number >= 0 else "warm-up"
            console.print(f"{name}: {each.name}")
            _round(each, requests, connections, sums)
    return {
        each.name: {kind: sums[each.name, kind].numbers() for kind in OPERATIONS}
        for each in providers
    }


def _round(
    measured: Provider, requests: int, connections: int, sums: dict[tuple[str, str], Totals]
) -> None:
    ends, answers = measured.endpoints, list[bytes]()
    codes = measured.issue_codes(max(requests, connections))
    sources = code_exchanges(ends, codes, connections, answers)
    _timed(measured, sources, sums[measured.name, "code exchange"])
    given = [json.loads(body) for body in answers]
    tokens = [each["refresh_token"] for each in given[:connections]]
    _timed(measured, refreshes(ends, tokens, requests), sums[measured.name, "refresh"])
    tokens = [each["access_token"] for each in given]
    sources = userinfo_requests(ends, tokens, requests, connections)
    _timed(measured, sources, sums[measured.name, "userinfo"])


def _timed(measured: Provider, sources: list[Source], total: Totals) -> None:
    before, switched = _cpu_s_of(measured), tree_switches(measured.pid)
    began = time.perf_counter()
    total.latencies_s += asyncio.run(send(measured.endpoints.port, sources))
    total.wall_s += time.perf_counter() - began
    after = _cpu_s_of(measured)
    total.cpu_s += after[0] - before[0]
    total.database_cpu_s += after[1] - before[1]
    total.switches += tree_switches(measured.pid) - switched


def _cpu_s_of(measured: Provider) -> tuple[float, float]:
    apart = 0.0 if measured.database_pid is None else tree_cpu_s(measured.database_pid)
    return tree_cpu_s(measured.pid), apart


def measure_providers(out: Path, wanted: list[str], parameters: dict[str, int]) -> None:
    """Measure the wanted providers, and write what came out.

    Args:
        out: a folder.
        wanted: names of providers.
        parameters: requests, rounds, warm_up and connections, as :func:`measure` takes them.
    """
    left_out = {name: reason for name in wanted if (reason := missing(name))}
    for reason in left_out.values():
        console.print(f"[yellow]skipped: {reason}[/]", soft_wrap=True)
    before = os.getloadavg()
    with ExitStack() as stack:
        names = [name for name in wanted if name not in left_out]
        running = [stack.enter_context(provider(name)) for name in names]
        found = measure(running, **parameters)
    content = made_by("oidc-1") | {
        "parameters": parameters,
        "load_average": {
            "before": [round(each, 2) for each in before],
            "after": [round(each, 2) for each in os.getloadavg()],
        },
        "left_out": left_out,
        "providers": found,
    }
    path = write_result(out, "oidc", content)
    write_page(path, "oidc.html", content=content, operations=OPERATIONS)
