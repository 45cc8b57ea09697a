"""Walks a journey against a service; writes and prints the rates."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
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
from tests.support.service.relying_party import RelyingParty

REDIRECT_URI = "http://127.0.0.1:9/callback"
"""Nothing listens there: the browser stops before it."""

SETTINGS = {"THENAR_OIDC_PALM_ALONE": "allow"} | {
    f"THENAR_MOBILE_NETWORK_{budget}_PER_DAY": "1000000"
    for budget in ("SUBMISSIONS", "FAILED", "WIDE_FAILED", "WIDEST_FAILED")
}
"""Of the service that is started: all phones come from one network."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Numbers of people, samples, probes, and frames of an attempt."""

    enrol: int
    samples: int
    seed: int
    limit_probes: int | None
    frames: list[int]


def measure_journey(data: Path, others: Path | None, out: Path | None, counts: Counts) -> None:
    """Enrol palms, let them and others sign in, and count who gets in; written step by step."""
    palms, strange = read_palm_set(data), read_palm_set(others) if others else None
    plan = plan_journey(
        palms, enrol=counts.enrol, samples=counts.samples, seed=counts.seed, others=strange
    )
    parameters = asdict(counts) | {
        "enrol": len(plan.palms),
        "others": strange.name if strange else None,
    }
    head = result(protocol="journey-3", palms=palms, parameters=parameters, numbers={})
    numbers: dict[str, Any] = {}
    with _relying_party() as party, httpx2.Client(timeout=60) as http:
        flow = LoginFlow(f"{party.issuer}/mobile/v1", party, http)
        for counted in run_journey(
            flow, plan, frames=counts.frames, probe_limit=counts.limit_probes, seed=counts.seed
        ):
            numbers = summary(counted, flow.times_s)
            if out is not None:
                write_result(
                    out, f"journey-{palms.name}", head | {"is_complete": False} | numbers
                )
    console.print(_table(numbers))
    if out is not None:
        content = head | {"is_complete": True} | numbers
        print_written(write_result(out, f"journey-{palms.name}", content))


@contextmanager
def _relying_party() -> Iterator[RelyingParty]:
    with tempfile.TemporaryDirectory(prefix="thenar-journey-") as folder:
        service = Service(Path(folder), settings=SETTINGS)
        service.run("migrate")
        registration = service.add_client("Journey", REDIRECT_URI, "--accept-palm-alone")
        with service.running():
            yield RelyingParty(service.issuer, registration)


def _table(numbers: dict[str, Any]) -> Table:
    table = Table("", "count", "of", "share", "95 % interval", box=None)
    rows = [("failure to enrol", numbers["enrolment"]["failure_to_enrol"])]
    rows += [
        (f"frames: {size}, {who}, {kind}: {name}".replace("_", " "), rate)
        for size, people in numbers["by_frames"].items()
        for who, kinds in people.items()
        for kind, rates in kinds.items()
        for name, rate in rates.items()
        if "total" in rate
    ]
    for name, rate in rows:
        interval = " to ".join(map(percent, rate["interval_95"]))
        counts = str(rate["count"]), str(rate["total"])
        table.add_row(name, *counts, percent(rate["share"]), interval)
    for step, times in numbers["times_ms"].items():
        median, slow = f"p50 {times['p50']:.0f} ms", f"p95 {times['p95']:.0f} ms"
        table.add_row(step, str(times["count"]), "", median, slow)
    return table
