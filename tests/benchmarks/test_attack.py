"""bench attack: drawn sessions are judged, and every rate says of what."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchmarks.__main__ import app
from benchmarks.attack.observed import BONA_FIDE, DrawnSession
from benchmarks.attack.rates import Judged, summary
from engine.presentation_attack.challenge import Challenge
from engine.presentation_attack.session import Outcome, Reason, Verdict
from engine.types import Hand
from models.synthesis.presentations.command import PlannedSession, draw_sessions
from tests.support.palms.hand_models import locator

PERSON = 8


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    """A hand that follows its challenge, twice, and a print of it that does not."""
    locator()
    folder = tmp_path_factory.mktemp("sessions")
    plan = [
        PlannedSession(species, PERSON, session, Hand.LEFT)
        for species, session in ((BONA_FIDE, 1), (BONA_FIDE, 2), ("print_moved", 1))
    ]
    assert len(list(draw_sessions(plan, folder, jobs=1))) == 3
    return folder


def test_a_hand_passes_and_its_print_does_not(drawn, tmp_path, monkeypatch):
    """The copy would open the account without attack detection."""
    monkeypatch.setenv("THENAR_ENGINE_ATTACK_DETECTION", "challenge")
    command = ["attack", str(drawn), "--out", str(tmp_path), "--kept", str(tmp_path / "kept")]

    done = CliRunner().invoke(app, command)
    again = CliRunner().invoke(app, command)

    assert done.exit_code == again.exit_code == 0, done.output
    content = json.loads((tmp_path / "attack.json").read_text())
    (species,) = content["species"]
    assert content["notice"].startswith("Drawn")
    assert content["bona_fide"]["all"]["bpcer_and_bpnrr"]["count"] == 0
    assert species["apcer"]["count"] == 0
    assert species["iapar_without_detection"]["count"] == 1
    assert species["iapar"]["count"] == 0
    assert "data:image/jpeg" in (tmp_path / "attack.html").read_text()


def judged(
    person: int, outcome: Outcome, *, species: str = "print", matches: bool = True
) -> Judged:
    """A session as it was judged."""
    session = DrawnSession(
        folder=Path(str(person)),
        species=species,
        person=person,
        session=1,
        source=None,
        is_species_kept_out=False,
        is_scene_kept_out=person % 2 == 1,
        challenge=Challenge(()),
        frames=(),
    )
    reason = None if outcome is Outcome.BONA_FIDE else Reason.RIGID
    score = 0.9 if outcome is Outcome.BONA_FIDE else person / 100
    return Judged(session, Verdict(outcome, reason, score), matches, 0.2)


def test_the_worst_species_comes_first_and_no_answer_is_no_error():
    """APCER counts what passed; undecided sessions are counted beside it."""
    sessions = [
        *(judged(n, Outcome.ATTACK) for n in range(8)),
        judged(8, Outcome.CANNOT_TELL),
        *(judged(n, Outcome.BONA_FIDE, species="video", matches=n > 2) for n in range(6)),
        *(judged(n, Outcome.BONA_FIDE, species=BONA_FIDE) for n in range(9)),
        judged(9, Outcome.ATTACK, species=BONA_FIDE),
    ]

    rates = summary(sessions)

    video, prints = rates["species"]
    assert (video["species"], video["apcer"]["count"], video["apcer"]["total"]) == (
        "video",
        6,
        6,
    )
    assert (prints["apcer"]["count"], prints["apnrr"]["count"]) == (0, 1)
    assert prints["apcer"]["interval_95"][1] > 0.3
    assert (video["iapar"]["count"], video["iapar_without_detection"]["count"]) == (3, 3)
    assert rates["bona_fide"]["frr"] == 0.1
    assert video["riapar"] == 0.6
    assert rates["bona_fide"]["kept_out_scenes"]["bpcer"]["count"] == 1
