"""The detector's observations of each session, in a folder: an interrupted run continues.

Observations hold templates of drawn and copied palms: the folder stays with the sessions.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from time import thread_time

import cv2

from benchmarks.accuracy.processes import in_order
from benchmarks.attack.sessions import DrawnSession
from benchmarks.errors import BenchmarkFault
from engine.comparison.compare import prepare
from engine.pipeline import load_pipeline
from engine.presentation_attack.judging import load_detector
from engine.presentation_attack.session import Observation, SessionDetector
from engine.settings import EngineSettings


class NoDetector(BenchmarkFault):
    """The settings name no detector of sessions."""


@dataclass(frozen=True, slots=True)
class ObservedSession:
    """A session as the detector keeps it.

    Attributes:
        cpu_s: decoding and observing all frames.
    """

    drawn: DrawnSession
    steps: tuple[tuple[Observation, ...], ...] = field(repr=False)
    cpu_s: float


def observe_sessions(
    sessions: Sequence[DrawnSession], kept: Path, *, workers: int
) -> Iterator[ObservedSession]:
    """Yield what the detector sees of each session, from ``kept`` where it was observed."""
    jobs = ((session, kept) for session in sessions)
    return in_order(_observed, jobs, workers=workers, prepare=_prepare)


@cache
def detector() -> SessionDetector:
    """Return the detector that the settings name.

    Raises:
        NoDetector: ``none`` or ``passive``.
    """
    settings = EngineSettings()
    pipeline = load_pipeline(settings)
    found = load_detector(settings, pipeline.locator, [pipeline.extractor])
    if found is None:
        raise NoDetector("THENAR_ENGINE_ATTACK_DETECTION names no detector of sessions")
    return found


def _prepare() -> None:
    cv2.setNumThreads(1)
    prepare()


def _observed(job: tuple[DrawnSession, Path]) -> ObservedSession:
    session, kept = job
    file = kept / f"{session.name}.json"
    if file.exists():
        content = json.loads(file.read_text("ascii"))
        steps = (map(_seen, step) for step in content["steps"])
        return ObservedSession(session, tuple(map(tuple, steps)), content["cpu_s"])
    observed = observe(session, detector())
    file.parent.mkdir(parents=True, exist_ok=True)
    lines = [[seen.to_bytes().decode("ascii") for seen in step] for step in observed.steps]
    partial = file.with_suffix(".partial")
    partial.write_text(json.dumps({"steps": lines, "cpu_s": observed.cpu_s}), "ascii")
    partial.replace(file)
    return observed


def observe(session: DrawnSession, detector: SessionDetector) -> ObservedSession:
    """Show a session to the detector."""
    steps: list[list[Observation]] = [[] for _ in session.challenge.steps]
    began, seen = thread_time(), None
    for number, frame in session.read_frames():
        seen = detector.observe(frame, seen)
        steps[number].append(seen)
    return ObservedSession(session, tuple(map(tuple, steps)), thread_time() - began)


def _seen(text: str) -> Observation:
    return Observation.from_bytes(text.encode("ascii"))
