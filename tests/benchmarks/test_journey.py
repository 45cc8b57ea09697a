"""The tally of a journey, counted with a made-up login flow."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from benchmarks.console import BenchmarkFault
from benchmarks.datasets import Picture
from benchmarks.journey.login_flow import (
    Disputed,
    Enrolment,
    LoginFlow,
    LoginOutcome,
    NotAcquired,
    NotMatched,
    SignedIn,
)
from benchmarks.journey.run import JourneyCounts, JourneyPlan, PalmPlan, run_journey, summary
from mobile_api.reference_phone.client import ReferencePhone


def pictures_of(identity: str, kinds: list[str]) -> tuple[Picture, ...]:
    """Return pictures whose names say what the made-up login flow answers."""
    return tuple(
        Picture(Path(f"{identity}/{number}-{kind}.jpg"), identity, "L", "hand", identity)
        for number, kind in enumerate(kinds)
    )


class FakeLoginFlow(LoginFlow):
    """Lets in by the file's name: its folder is the person, its stem what happens."""

    def __init__(self) -> None:
        self.times_s = {"palm": [0.1, 0.2, 0.3]}
        self.sent: list[list[str]] = []

    def enrol(self, pictures: list[Path], *, samples: int, spare: int) -> Enrolment:
        """Accept the pictures that are not called ``dark``."""
        done = Enrolment()
        for picture in pictures[: samples + spare]:
            if len(done.samples) == samples:
                break
            if picture.stem.endswith("dark"):
                done.refused.append("quality_too_low: too_dark")
            else:
                done.samples.append(picture)
        done.fault = None if len(done.samples) >= 2 else "too_few_samples"
        return done

    def answer(
        self, attempts: Iterable[Sequence[Path]], *, phone: ReferencePhone | None = None
    ) -> list[LoginOutcome]:
        """Return the answers that the names of the first frames say, up to a match."""
        answers: list[LoginOutcome] = []
        for frames in attempts:
            self.sent.append([frame.stem for frame in frames])
            answers.append(answer_of(frames[0]))
            if isinstance(answers[-1], SignedIn):
                break
        return answers


def answer_of(picture: Path) -> LoginOutcome:
    """Return the answer that a picture's name says."""
    match picture.stem.split("-")[1]:
        case "dark":
            return NotAcquired("quality_too_low: too_dark")
        case "miss":
            return NotMatched()
        case "claimed":
            return Disputed()
        case "wrong":
            return SignedIn("subject of another person")
        case _:
            return SignedIn(f"subject of {picture.parent}")


def walked(
    palms: dict[str, list[str]], unenrolled: list[str], frames: Sequence[int] = (1,)
) -> Iterator[JourneyCounts]:
    """Walk a plan; yield the counts of each step."""
    plan = JourneyPlan(
        2,
        tuple(PalmPlan(name, pictures_of(name, kinds)) for name, kinds in palms.items()),
        pictures_of("unknown", unenrolled),
    )
    return run_journey(FakeLoginFlow(), plan, frames=frames, probe_limit=None, seed=1)


def counted(tally: dict[str, Any]) -> dict[str, tuple[int, int]]:
    """Return the count and total of each outcome that happened."""
    return {
        name: (rate["count"], rate["total"])
        for name, rate in tally.items()
        if rate.get("count")
    }


def test_each_outcome_is_counted_once():
    """A failure to acquire is in the total; within three attempts fewer are missed."""
    *_, last = walked(
        {
            "a": ["ok", "ok", "ok", "miss", "dark"],
            "b": ["ok", "dark", "ok", "claimed", "wrong"],
            "c": ["ok", "dark", "dark", "dark", "ok", "ok"],
        },
        ["miss", "ok", "dark"],
    )
    numbers = summary(last, {"palm": [0.1]})

    assert numbers["enrolment"]["failure_to_enrol"]["count"] == 1
    assert numbers["enrolment"]["failure_to_enrol_by_reason"] == {"too_few_samples": 1}
    assert numbers["enrolment"]["failure_to_acquire"]["count"] == 4
    of_one = numbers["by_frames"]["1"]
    assert counted(of_one["enrolled"]["attempts"]) == {
        "identified": (1, 5),
        "not_matched": (1, 5),
        "falsely_matched": (1, 5),
        "disputed": (1, 5),
        "failure_to_acquire": (1, 5),
    }
    assert counted(of_one["enrolled"]["sign_ins"]) == {
        "identified": (3, 5),
        "falsely_matched": (2, 5),
    }
    assert counted(of_one["others"]["attempts"])["falsely_matched"] == (1, 3)


def test_shared_subjects_stop_the_benchmark():
    """If two palms were one account, every number after that would be wrong."""
    with pytest.raises(BenchmarkFault, match="share a subject"):
        list(walked({"a": ["wrong", "ok", "ok"], "b": ["wrong", "ok", "ok"]}, []))
