"""Pictures of bona fide hands, each judged by itself: who is refused?"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.attack.observed import ObservedSession
from benchmarks.datasets.manifest import Picture, read_palm_set
from benchmarks.datasets.samples import read_sample
from benchmarks.measurement.rates import rate_numbers
from engine.errors import EngineError, PresentationAttack
from engine.hand.landmarks import LandmarkLocator
from engine.presentation_attack.traces import TRACES, require_no_traces


def judge_pictures(
    place: Path,
    locator: LandmarkLocator,
    track: Callable[[Sequence[Picture]], Iterable[Picture]],
) -> dict[str, Any]:
    """Return the rates of a set of hands, ready for JSON."""
    palms = read_palm_set(place)
    answers = []
    for picture in track([one for one in palms.pictures if one.kind == "hand"]):
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
