"""Shows drawn sessions to the detector and counts; writes the JSON and the page.

The page has tables, and frames of the worst session of each kind. Pictures of bona fide hands
are judged each by itself, too: who is refused?
"""

import base64
from collections.abc import Iterable, Sequence
from pathlib import Path
from time import thread_time
from typing import Any, Final

import cv2
import numpy as np
from rich.progress import track

from benchmarks.attack.observed import (
    BONA_FIDE,
    ObservedSession,
    described,
    detector,
    observe_sessions,
    read_sessions,
)
from benchmarks.attack.rates import Judged, matches, references_of, summary
from benchmarks.console import console
from benchmarks.datasets import read_palm_set, read_sample
from benchmarks.measurement import percentile, rate_numbers, result, write_result
from benchmarks.report.page import write_page
from engine.decision.calibration import load_calibration
from engine.errors import EngineError, PresentationAttack
from engine.hand.landmarks import LandmarkLocator
from engine.pipeline import load_pipeline
from engine.presentation_attack.parameters import TRACE_LIMITS
from engine.presentation_attack.traces import TRACES, require_no_traces
from engine.settings import EngineSettings

STRIP_HEIGHT_PX: Final = 150


def worst_of_each(judged: Sequence[Judged]) -> list[Judged]:
    """Return of each species the attack most like a palm, and the palm least like one."""
    worst: dict[str, Judged] = {}
    for one in judged:
        species = one.drawn.species
        if one.drawn.source is not None:
            continue
        sign = -1 if species == BONA_FIDE else 1
        if (
            species not in worst
            or sign * one.verdict.score > sign * worst[species].verdict.score
        ):
            worst[species] = one
    return [worst[name] for name in sorted(worst)]


def _strip(one: Judged) -> dict[str, str]:
    """Return frames of one session, side by side; ``picture``: a JPEG, base64."""
    frames = []
    for _, frame in one.drawn.read_frames():
        height, width = frame.sample.pixels.shape[:2]
        size = (width * STRIP_HEIGHT_PX // height, STRIP_HEIGHT_PX)
        frames.append(cv2.resize(frame.sample.pixels, size, interpolation=cv2.INTER_AREA))
    flags = [cv2.IMWRITE_JPEG_QUALITY, 80]
    encoded = cv2.imencode(".jpg", np.hstack(frames)[:, :, ::-1], flags)[1]
    answer = f"{one.verdict.outcome} {one.verdict.reason or ''}".strip()
    picture = base64.b64encode(encoded.tobytes()).decode()
    return {"species": one.drawn.species, "answer": answer, "picture": picture}


def judge_pictures(place: Path, locator: LandmarkLocator) -> dict[str, Any]:
    """Return the rates of a set of hands, ready for JSON."""
    palms, answers = read_palm_set(place), []
    hands = [one for one in palms.pictures if one.kind == "hand"]
    for picture in track(hands, "pictures", console=console):
        try:
            sample = read_sample(picture.path)
            require_no_traces(sample, locator.locate(sample))
            answers.append("passed")
        except PresentationAttack:
            answers.append("attack")
        except EngineError:
            answers.append("no_hand")
    return {
        "data": palms.name,
        "manifest_sha256": palms.digest,
        "bpcer": rate_numbers(answers.count("attack"), len(answers)),
        "bpnrr": rate_numbers(answers.count("no_hand"), len(answers)),
    }


def first_frames(
    sessions: Iterable[ObservedSession], limits: dict[str, float]
) -> dict[str, Any]:
    """Return of each species how many first open hands have traces above the limits."""
    flagged: dict[str, list[bool]] = {}
    for one in sessions:
        seen = one.steps[0][0]
        if seen.hand is None:
            continue
        above = [value > limits[name] for name, value in zip(TRACES, seen.traces, strict=True)]
        flagged.setdefault(one.drawn.species, []).append(any(above))
    return {name: rate_numbers(sum(ones), len(ones)) for name, ones in sorted(flagged.items())}


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
        parameters={"detector": settings.attack_detection, "target_fmr": settings.target_fmr},
        numbers=numbers,
    )
    path = write_result(out, "attack", content)
    console.print(NOTICE)
    strips = [_strip(one) for one in worst_of_each(judged)]
    write_page(path, "attack.html", content=content, strips=strips)


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
    return [judge_pictures(place, locator) for place in places]
