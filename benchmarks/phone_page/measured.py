"""All times of the phone's page: a visit, sign-ins without and with a challenge."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Error as BrowserFault
from rich.progress import Progress

from benchmarks.console import console, print_written
from benchmarks.datasets.manifest import PalmSet, read_palm_set
from benchmarks.harness.service import ServiceFault
from benchmarks.measurement.result_files import result, write_result
from benchmarks.phone_page import run
from benchmarks.phone_page.judged import measure_judged
from benchmarks.report.page import render

PEOPLE: Final = 4
"""People who sign in, in turn, each with their own phone and pictures."""


@dataclass(frozen=True, slots=True)
class Counts:
    """How much is measured.

    Attributes:
        judged: sign-ins by a challenge.
        cores: that service and browsers share; 0: all.
    """

    logins: int
    judged: int
    cores: int = 0


def measure_page(data: Path, out: Path, chromium: Path, counts: Counts) -> bool:
    """Time everything, write and print it; tell whether all targets are met.

    Raises:
        DatasetFault: the set is too small.
        EngineError: a picture of it has no usable palm.
        ServiceFault: service or browser failed, or no challenge was passed.
    """
    before, palms = os.getloadavg(), read_palm_set(data)
    try:
        numbers = measure(palms, chromium, counts)
    except BrowserFault as fault:
        raise ServiceFault(f"the browser: {fault.message}") from fault
    content = result(
        protocol="page-1",
        palms=palms,
        parameters={
            "logins": counts.logins,
            "people": PEOPLE,
            "judged": counts.judged,
            "cores": counts.cores,
        },
        numbers={
            **numbers,
            "bars": run.targets_met(numbers),
            "load_average": {"before": before, "after": os.getloadavg()},
        },
    )
    path = write_result(out, "page", content)
    path.with_suffix(".html").write_text(render("phone_page.html", content=content), "utf-8")
    print_written(path.with_suffix(".html"))
    return all(content["bars"].values())


def measure(palms: PalmSet, chromium: Path, counts: Counts) -> dict[str, Any]:
    """Time everything; return numbers, ready for JSON."""
    numbers = _measured_unjudged(palms, chromium, counts)
    answered = numbers["answer_ms"]["answered"]["p50"]
    with Progress(console=console) as progress:
        timed = progress.add_task("sign-ins by a challenge", total=counts.judged)
        times = measure_judged(
            chromium, counts.judged, answered, lambda: progress.advance(timed)
        )
    return {**numbers, "judged_ms": times}


def _measured_unjudged(palms: PalmSet, chromium: Path, counts: Counts) -> dict[str, Any]:
    logins = counts.logins
    with run.running_setup(chromium) as setup, Progress(console=console) as progress:
        visit = run.measure_visit(setup)
        timed = progress.add_task("sign-ins", total=logins)
        people = run.read_people(palms, PEOPLE)
        answers = run.measure_answers(setup, people, logins, lambda: progress.advance(timed))
        version = setup.browser.version
    return {
        "browser": f"Chromium {version}",
        "answer_ms": answers,
        "first_visit_octets": visit,
    }
