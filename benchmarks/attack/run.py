"""Shows drawn sessions to the detector and counts; writes the JSON and the page."""

from collections.abc import Sequence
from pathlib import Path
from time import thread_time
from typing import Any, Final

from rich.progress import track

from benchmarks.attack.observed import ObservedSession, detector, observe_sessions
from benchmarks.attack.page import render_page
from benchmarks.attack.rates import Judged, matches, references_of, summary
from benchmarks.attack.sessions import described, read_sessions
from benchmarks.attack.single_pictures import first_frames, judge_pictures
from benchmarks.console import console, print_written
from benchmarks.measurement.rates import percentile
from benchmarks.measurement.result_files import result, write_result
from engine.decision.calibration import load_calibration
from engine.parameters import TRACE_LIMITS
from engine.pipeline import load_pipeline
from engine.settings import EngineSettings

NOTICE: Final = (
    "Drawn presentation attacks (synthetic). No physical artefact was before a camera:"
    " APCER against physical attacks is not measured."
)


def measure_sessions(
    data: Path, out: Path, kept: Path, pictures: Sequence[Path], jobs: int
) -> None:
    """Judge all sessions of a folder, and sets of pictures; write and print the rates."""
    sessions = read_sessions(data)
    observing = observe_sessions(sessions, kept, workers=jobs)
    observed = list(track(observing, "sessions", total=len(sessions), console=console))
    judged = judge_all(observed)
    numbers = {"notice": NOTICE, "sessions": len(judged), **_numbers(observed, judged)}
    numbers["single_pictures"]["sets"] = _judge_sets(pictures)
    settings = EngineSettings()
    content = result(
        protocol="attack-1",
        palms=described(data, sessions),
        parameters={
            "detector": settings.attack_detection,
            "target_fmr": settings.target_fmr,
        },
        numbers=numbers,
    )
    path = write_result(out, "attack", content)
    path.with_suffix(".html").write_text(render_page(content, judged), "utf-8")
    console.print(NOTICE)
    print_written(path.with_suffix(".html"))


def judge_all(observed: Sequence[ObservedSession]) -> list[Judged]:
    """Judge every session at the shipped thresholds."""
    calibration = load_calibration(load_pipeline(EngineSettings()).extractor.extractor_id)
    threshold = calibration.threshold_for_fmr(EngineSettings().target_fmr)
    references, judged = references_of(observed), []
    for seen in observed:
        began = thread_time()
        verdict = detector().judge(seen.drawn.challenge, seen.steps)
        cpu_s = seen.cpu_s + thread_time() - began
        judged.append(Judged(seen.drawn, verdict, matches(seen, references, threshold), cpu_s))
    return judged


def _numbers(observed: Sequence[ObservedSession], judged: Sequence[Judged]) -> dict[str, Any]:
    cpu_ms = [1e3 * one.cpu_s for one in judged]
    return {
        **summary(judged),
        "cpu_ms": {
            "p50": round(percentile(cpu_ms, 0.5)),
            "p95": round(percentile(cpu_ms, 0.95)),
        },
        "single_pictures": {
            "limits": dict(TRACE_LIMITS),
            "first_frames_flagged": first_frames(observed, dict(TRACE_LIMITS)),
        },
    }


def _judge_sets(places: Sequence[Path]) -> list[dict[str, Any]]:
    if not places:
        return []
    locator = load_pipeline(EngineSettings()).locator
    return [
        judge_pictures(place, locator, lambda shown: track(shown, "pictures", console=console))
        for place in places
    ]
