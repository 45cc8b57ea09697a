"""The detector's observations of each session, in a folder: an interrupted run continues.

Observations hold templates of drawn and copied palms: the folder stays with the sessions.

A folder of drawn sessions is as ``thenar models present`` writes it.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from time import thread_time
from typing import Any, Final

import cv2

from benchmarks.accuracy.processes import in_order
from benchmarks.console import BenchmarkFault
from benchmarks.datasets import DatasetFault, PalmSet
from engine.comparison.compare import prepare
from engine.decode import decode_sample
from engine.pipeline import load_pipeline
from engine.presentation_attack.challenge import Challenge
from engine.presentation_attack.judging import load_detector
from engine.presentation_attack.session import Frame, Observation, Phase, SessionDetector
from engine.settings import EngineSettings

SESSION: Final = "session.json"
BONA_FIDE: Final = "bona_fide"


@dataclass(frozen=True, slots=True)
class DrawnSession:
    """One session: who, what, and the frames' files.

    Attributes:
        person: whose palm it is, or is copied.
        source: name of the real picture that was copied; None: a drawn one.
        is_species_kept_out: from everything that was tuned; of the scene, lamp and camera.
        frames: of each frame its file, step, phase and time, as JSON.
    """

    folder: Path = field(repr=False)
    species: str
    person: int
    session: int
    source: str | None
    is_species_kept_out: bool
    is_scene_kept_out: bool
    challenge: Challenge
    frames: Sequence[dict[str, Any]] = field(repr=False)

    @property
    def name(self) -> str:
        """Species, person and session: one name for one session."""
        return f"{self.species}/{self.folder.name}"

    def read_frames(self) -> Iterator[tuple[int, Frame]]:
        """Yield step and frame, decoded as the service does."""
        for one in self.frames:
            sample = decode_sample((self.folder / one["file"]).read_bytes())
            yield one["step"], Frame(sample, one["at_s"], Phase(one["phase"]))


def read_sessions(place: Path) -> list[DrawnSession]:
    """Read all sessions of a folder. Raises ``DatasetFault`` if there is none."""
    files = sorted(place.glob(f"*/*/{SESSION}"))
    if not files:
        raise DatasetFault(f"no sessions in {place}: run thenar models present")
    return [_read_session(file) for file in files]


def described(place: Path, sessions: Sequence[DrawnSession]) -> PalmSet:
    """Return name and digest of the sessions, as results want them."""
    digest = hashlib.sha256()
    for session in sessions:
        digest.update((session.folder / SESSION).read_bytes())
    return PalmSet(place.resolve().name, digest.hexdigest(), ())


def _read_session(file: Path) -> DrawnSession:
    content = json.loads(file.read_text("utf-8"))
    challenge = Challenge.from_json(json.dumps(content.pop("challenge")))
    names = {one.name for one in fields(DrawnSession)}
    known = {name: value for name, value in content.items() if name in names}
    return DrawnSession(file.parent, challenge=challenge, **known)


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
        BenchmarkFault: ``none`` or ``passive``.
    """
    settings = EngineSettings()
    pipeline = load_pipeline(settings)
    found = load_detector(settings, pipeline.locator, [pipeline.extractor])
    if found is None:
        raise BenchmarkFault("THENAR_ENGINE_ATTACK_DETECTION names no detector of sessions")
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
