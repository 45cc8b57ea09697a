"""Measure several providers in turn, so that other load affects all alike."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from benchmarks.console import console
from benchmarks.measurement.rates import percentile
from benchmarks.oidc.load import LoadResult, Source, send
from benchmarks.oidc.process_usage import tree_cpu_s
from benchmarks.oidc.providers import Provider
from benchmarks.oidc.requests import (
    TokenResponses,
    code_exchanges,
    refreshes,
    userinfo_requests,
)

OPERATIONS: Final = ("code exchange", "refresh", "userinfo")

PEER: Final = "node-oidc-provider"


@dataclass(slots=True)
class Totals:
    """Totals of one provider and operation over all rounds."""

    requests: int = 0
    wall_s: float = 0.0
    cpu_s: float = 0.0
    database_cpu_s: float = 0.0
    latencies_s: list[float] = field(default_factory=list, repr=False)

    def add(self, load: LoadResult, cpu_s: float, database_cpu_s: float) -> None:
        """Add one round."""
        self.requests += len(load.latencies_s)
        self.wall_s += load.wall_s
        self.cpu_s += cpu_s
        self.database_cpu_s += database_cpu_s
        self.latencies_s += load.latencies_s

    def numbers(self) -> dict[str, Any]:
        """Return the published numbers."""
        return {
            "requests": self.requests,
            "per_cpu_s": round(self.requests / self.cpu_s, 1),
            "per_cpu_s_with_database": round(
                self.requests / (self.cpu_s + self.database_cpu_s), 1
            ),
            "per_wall_s": round(self.requests / self.wall_s, 1),
            "p50_ms": round(1000 * percentile(self.latencies_s, 0.5), 2),
            "p99_ms": round(1000 * percentile(self.latencies_s, 0.99), 2),
        }


def measure(
    providers: Sequence[Provider],
    *,
    requests: int,
    rounds: int,
    warm_up: int,
    connections: int,
) -> dict[str, Any]:
    """Measure every provider and operation, after so many rounds that do not count."""
    sums: dict[tuple[str, str], Totals] = defaultdict(Totals)
    for number in range(-warm_up, rounds):
        if number == 0:
            sums.clear()
        # The first of one round is the last of another.
        turn = number % len(providers)
        for provider in (*providers[turn:], *providers[:turn]):
            name = f"round {number + 1} of {rounds}" if number >= 0 else "warm-up"
            console.print(f"{name}: {provider.name}")
            _round(provider, requests, connections, sums)
    return {
        each.name: {kind: sums[each.name, kind].numbers() for kind in OPERATIONS}
        for each in providers
    }


def _round(
    provider: Provider, requests: int, connections: int, sums: dict[tuple[str, str], Totals]
) -> None:
    ends, given, rotated = provider.endpoints, TokenResponses(), TokenResponses()
    codes = provider.issue_codes(max(requests, connections))
    sources = code_exchanges(ends, codes, connections, given)
    _timed(provider, sources, sums[provider.name, "code exchange"])
    tokens = given.tokens("refresh_token")[:connections]
    sources = refreshes(ends, tokens, requests, rotated)
    _timed(provider, sources, sums[provider.name, "refresh"])
    sources = userinfo_requests(ends, given.tokens("access_token"), requests, connections)
    _timed(provider, sources, sums[provider.name, "userinfo"])


def _timed(provider: Provider, sources: list[Source], total: Totals) -> None:
    before = _cpu_s(provider)
    load = send(provider.endpoints.port, sources)
    cpu_s, database_cpu_s = (
        after - first for after, first in zip(_cpu_s(provider), before, strict=True)
    )
    total.add(load, cpu_s, database_cpu_s)


def _cpu_s(provider: Provider) -> tuple[float, float]:
    apart = 0.0 if provider.database_pid is None else tree_cpu_s(provider.database_pid)
    return tree_cpu_s(provider.pid), apart


def compare_with_peer(found: dict[str, Any]) -> dict[str, Any]:
    """Return ours as multiples of the peer, per CPU second.

    On PostgreSQL with and without the database's CPU time; on SQLite they are the same.
    """
    ours = [name for name in ("sqlite", "postgresql") if name in found]
    times: dict[str, Any] = {}
    for name in ours if PEER in found else []:
        times[name] = {
            kind: {
                "times_peer": round(_ratio(found, name, kind, "per_cpu_s"), 3),
                "times_peer_with_database": round(
                    _ratio(found, name, kind, "per_cpu_s_with_database"), 3
                ),
            }
            for kind in OPERATIONS
        }
    return {"times_peer": times}


def _ratio(found: dict[str, Any], name: str, kind: str, figure: str) -> float:
    return float(found[name][kind][figure]) / float(found[PEER][kind]["per_cpu_s"])
