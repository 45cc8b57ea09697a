"""Walks a journey against a service; writes and prints the rates."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import httpx2
from rich.table import Table

from benchmarks.console import console, print_written
from benchmarks.datasets import read_palm_set
from benchmarks.journey.login_flow import LoginFlow
from benchmarks.journey.run import plan_journey, run_journey, summary
from benchmarks.measurement import result, write_result
from benchmarks.report.page import percent
from tests.support.service.process import Service
from tests.support.service.relying_party import Registration, RelyingParty

REDIRECT_URI = "http://127.0.0.1:9/callback"
"""Nothing listens there: the browser stops before it."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Numbers of people, samples and probes of a journey."""

    enrol: int
    samples: int
    seed: int
    limit_probes: int | None


@dataclass(frozen=True, slots=True)
class Running:
    """A service that runs already, and its client."""

    issuer: str
    api: str | None
    client_id: str
    client_secret: str = field(repr=False)


def measure_journey(
    data: Path, out: Path | None, counts: Counts, running: Running | None
) -> None:
    """Enrol palms, let them and others log in, and count who gets in."""
    palms = read_palm_set(data)
    plan = plan_journey(palms, enrol=counts.enrol, samples=counts.samples, seed=counts.seed)
    with _relying_party(running) as party, httpx2.Client(timeout=60) as http:
        api = running.api if running else None
        flow = LoginFlow(api or f"{party.issuer}/mobile/v1", party, http)
        counted = run_journey(flow, plan, probe_limit=counts.limit_probes, seed=counts.seed)
    numbers = summary(counted, flow.times_s)
    console.print(_table(numbers))
    if out is not None:
        content = result(
            protocol="journey-2",
            palms=palms,
            parameters=asdict(counts) | {"enrol": len(plan.palms)},
            numbers=numbers,
        )
        print_written(write_result(out, f"journey-{palms.name}", content))


@contextmanager
def _relying_party(running: Running | None) -> Iterator[RelyingParty]:
    if running is not None:
        client = Registration(running.client_id, running.client_secret, REDIRECT_URI)
        yield RelyingParty(running.issuer, client)
        return
    with tempfile.TemporaryDirectory(prefix="thenar-journey-") as folder:
        service = Service(Path(folder), settings={"THENAR_OIDC_PALM_ALONE": "allow"})
        service.run("migrate")
        registration = service.add_client("Journey", REDIRECT_URI, "--accept-palm-alone")
        with service.running():
            yield RelyingParty(service.issuer, registration)


def _table(numbers: dict[str, Any]) -> Table:
    table = Table("", "count", "of", "share", "95 % interval", box=None)
    rows = [
        ("failure to enrol", numbers["enrolment"]["failure_to_enrol"]),
        ("identified", numbers["logins"]["identified"]),
        ("not matched", numbers["logins"]["not_matched"]),
        ("falsely matched", numbers["logins"]["falsely_matched"]),
        ("failure to acquire", numbers["logins"]["failure_to_acquire"]),
        ("not enrolled, let in", numbers["unenrolled"]["let_in"]),
    ]
    for name, rate in rows:
        interval = " to ".join(map(percent, rate["interval_95"]))
        counts = str(rate["count"]), str(rate["total"])
        table.add_row(name, *counts, percent(rate["share"]), interval)
    for step, times in numbers["times_ms"].items():
        median, slow = f"p50 {times['p50']:.0f} ms", f"p95 {times['p95']:.0f} ms"
        table.add_row(step, str(times["count"]), "", median, slow)
    return table
