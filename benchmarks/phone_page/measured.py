"""All times of the phone's page: a visit, sign-ins without and with a challenge, templates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from playwright.sync_api import Error as BrowserFault
from rich.console import Console
from rich.progress import Progress

from benchmarks.harness.service import ServiceFault
from benchmarks.phone_page import run
from benchmarks.phone_page.judged import measure_judged

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.datasets.manifest import PalmSet

PEOPLE: Final = 4
"""People who sign in, in turn, each with their own phone and pictures."""

_console = Console(stderr=True, highlight=False)


def measure(
    palms: PalmSet, chromium: Path, logins: int, frames: int, judged: int
) -> dict[str, Any]:
    """Time everything.

    Raises:
        DatasetFault: the set is too small.
        EngineError: a picture of it has no usable palm.
        ServiceFault: service or browser failed, or no challenge was passed.
    """
    try:
        return _measured(palms, chromium, logins, frames, judged)
    except BrowserFault as fault:
        raise ServiceFault(f"the browser: {fault.message}") from fault


def _measured(
    palms: PalmSet, chromium: Path, logins: int, frames: int, judged: int
) -> dict[str, Any]:
    numbers = _measured_unjudged(palms, chromium, logins, frames)
    answered = numbers["answer_ms"]["answered"]["p50"]
    with Progress(console=_console) as progress:
        timed = progress.add_task("sign-ins by a challenge", total=judged)
        times = measure_judged(chromium, judged, answered, lambda: progress.advance(timed))
    return {**numbers, "judged_ms": times}


def _measured_unjudged(
    palms: PalmSet, chromium: Path, logins: int, frames: int
) -> dict[str, Any]:
    with run.running_setup(chromium) as setup, Progress(console=_console) as progress:
        visit = run.measure_visit(setup)
        timed = progress.add_task("sign-ins", total=logins)
        people = run.read_people(palms, PEOPLE)
        answers = run.measure_answers(setup, people, logins, lambda: progress.advance(timed))
        compared = progress.add_task("templates", total=frames)
        templates = run.measure_templates(
            setup, palms, frames, lambda: progress.advance(compared)
        )
        version = setup.browser.version
    return {
        "browser": f"Chromium {version}",
        "answer_ms": answers,
        "first_visit_octets": visit,
        "templates": templates,
    }
