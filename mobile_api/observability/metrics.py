"""Prometheus metrics: no scores, identifiers or addresses.

Served on its own port (``METRICS_PORT``), never on the public one. Each process has its
own numbers and port; Prometheus adds them up.
"""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from resource import getpagesize
from typing import Any, Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from engine import __version__
from oidc.plumbing.database import Database

BUCKETS_S: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
"""Bounds of the latency histogram."""


class Metrics:
    """The metrics of one process."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.add_gauge("thenar_memory_bytes", "Memory of this process", _resident_bytes)
        self._set_info("version", "The program that runs", "version", __version__)
        labels = ("method", "route")
        self._requests = Counter(
            "thenar_requests", "Requests answered", (*labels, "status"), registry=self.registry
        )
        self._latency = Histogram(
            "thenar_request_seconds",
            "Time until the first byte of the answer",
            labels,
            buckets=BUCKETS_S,
            registry=self.registry,
        )
        self._steps = Counter(
            "thenar_login_steps",
            "Steps of logins made by phones, and what they led to",
            ("step", "hint"),
            registry=self.registry,
        )
        self._of = cache(self._series)
        self._challenges = Counter(
            "thenar_challenges",
            "Challenges judged, and why they were not passed",
            ("outcome", "reason"),
            registry=self.registry,
        )

    def count_response(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a response."""
        counter, latency = self._of(method, route, status)
        counter.inc()
        latency.observe(seconds)

    def _series(self, method: str, route: str, status: int) -> tuple[Counter, Histogram]:
        """Return what counts such responses: there are few kinds, and finding one is slow."""
        counter = self._requests.labels(method, route, str(status))
        return counter, self._latency.labels(method, route)

    def count_login_step(self, step: str, hint: str) -> None:
        """Count a step of a login."""
        self._steps.labels(step, hint).inc()

    def count_challenge(self, outcome: str, reason: str) -> None:
        """Count a judged challenge; the reason is empty if it was passed."""
        self._challenges.labels(outcome, reason).inc()

    def add_gauge(self, name: str, description: str, measure: Callable[[], float]) -> None:
        """Add a gauge that is measured on each scrape; left out while measuring fails."""
        self.registry.register(_Measured(name, description, measure))

    def add_pool(self, name: str, database: Database[Any]) -> None:
        """Add the gauge of a database's connections."""
        description = f"Connections of this process to the {name} database that are in use"
        self.add_gauge(f"thenar_{name}_connections", description, database.connections_in_use)

    def set_extractor(self, extractor: str) -> None:
        """Set the extractor that this process runs."""
        self._set_info("extractor", "The extractor that is run", "name", extractor)

    def _set_info(self, name: str, description: str, label: str, value: str) -> None:
        info = Gauge(f"thenar_{name}", description, (label,), registry=self.registry)
        info.labels(value).set(1)


def _resident_bytes() -> int:
    # prometheus_client itself reads /proc/stat, which containers may hide.
    return int(Path("/proc/self/statm").read_text().split()[1]) * getpagesize()


class _Measured(Collector):
    def __init__(self, name: str, description: str, measure: Callable[[], float]) -> None:
        self._name, self._description, self._measure = name, description, measure

    def describe(self) -> Iterator[Metric]:
        """Name the gauge without measuring."""
        yield GaugeMetricFamily(self._name, self._description)

    def collect(self) -> Iterator[Metric]:
        """Measure."""
        family = GaugeMetricFamily(self._name, self._description)
        try:
            family.add_metric((), self._measure())
        except Exception:
            return
        yield family
