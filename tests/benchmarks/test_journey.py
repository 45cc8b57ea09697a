"""The tally of a journey, counted with a made-up login flow."""

from pathlib import Path
from typing import Any

import pytest

from benchmarks.datasets import Picture
from benchmarks.journey.login_flow import (
    Enrolment,
    LoginFlow,
    LoginOutcome,
    NotAcquired,
    NotMatched,
    SignedIn,
)
from benchmarks.journey.run import JourneyFault, JourneyPlan, PalmPlan, run_journey, summary
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

    def answer(self, picture: Path, *, phone: ReferencePhone | None = None) -> LoginOutcome:
        """Return the answer that the picture's name says."""
        match picture.stem.split("-")[1]:
            case "dark":
                return NotAcquired("quality_too_low: too_dark")
            case "miss":
                return NotMatched()
            case "wrong":
                return SignedIn("subject of another person")
            case _:
                return SignedIn(f"subject of {picture.parent}")


def walked(palms: dict[str, list[str]], unenrolled: list[str]) -> dict[str, Any]:
    """Walk a plan and return its summary."""
    plan = JourneyPlan(
        2,
        tuple(PalmPlan(name, pictures_of(name, kinds)) for name, kinds in palms.items()),
        pictures_of("unknown", unenrolled),
    )
    flow = FakeLoginFlow()
    counts = run_journey(flow, plan, probe_limit=None, seed=1)
    return summary(counts, flow.times_s)


def test_each_outcome_is_counted_once():
    """Identified, not matched, falsely matched and not acquired are four different things."""
    numbers = walked(
        {
            "a": ["ok", "ok", "ok", "miss", "dark"],
            "b": ["ok", "dark", "ok", "ok", "wrong"],
            "c": ["ok", "dark", "dark", "dark", "ok", "ok"],
        },
        ["miss", "ok", "dark"],
    )

    assert numbers["enrolment"]["failure_to_enrol"]["count"] == 1
    assert numbers["enrolment"]["failure_to_enrol_by_reason"] == {"too_few_samples": 1}
    assert numbers["enrolment"]["failure_to_acquire"]["count"] == 4
    logins = numbers["logins"]
    assert (logins["identified"]["count"], logins["identified"]["total"]) == (2, 4)
    assert logins["not_matched"]["count"] == 1
    assert logins["falsely_matched"]["count"] == 1
    assert (logins["failure_to_acquire"]["count"], logins["failure_to_acquire"]["total"]) == (
        1,
        5,
    )
    let_in = numbers["unenrolled"]["let_in"]
    assert (let_in["count"], let_in["total"]) == (1, 2)


def test_shared_subjects_stop_the_benchmark():
    """If two palms were one account, every number after that would be wrong."""
    with pytest.raises(JourneyFault, match="share a subject"):
        walked({"a": ["wrong", "ok", "ok"], "b": ["wrong", "ok", "ok"]}, [])
