"""Curves of misses: who is compared with whom, what counts as a miss, and the command."""

import json

from typer.testing import CliRunner

from benchmarks.__main__ import app
from benchmarks.robustness.curves import Thresholds, point, score
from benchmarks.robustness.trials import Taken
from engine.types import Hand
from tests.support.palms.templates import template_of

THRESHOLDS = {"here": Thresholds(0.7, 0.7)}


def taken(palm, *, shows=None, is_reference=False, hand=Hand.LEFT, reason=""):
    """Return a picture of a made-up palm; refused if there is a reason."""
    template = None if reason else template_of(palm if shows is None else shows, hand=hand)
    return Taken(f"palm-{palm}", is_reference, "", 0.0, template, reason)


def test_a_refused_probe_and_a_mistaken_hand_count_as_misses():
    """Otherwise a gate that refuses everything would be the best recognition."""
    references = [taken(palm, is_reference=True) for palm in (1, 2)]
    probes = [taken(1), taken(1, reason="palm_not_found"), taken(2, hand=Hand.RIGHT)]

    numbers = point(score(probes, references), THRESHOLDS)

    assert numbers["fta"]["count"] == 1
    assert numbers["fta_by_reason"] == {"palm_not_found": 1}
    at = numbers["at"]["here"]
    assert (at["missed_or_refused"]["count"], at["missed_or_refused"]["total"]) == (2, 3)
    assert (at["fnmr"]["count"], at["fnmr"]["total"]) == (0, 1)
    assert at["fmr"]["total"] == 1


def test_probes_of_different_palms_are_compared_with_each_other():
    """The same thing on both is what lets one person in as another."""
    references = [taken(palm, is_reference=True) for palm in (1, 2, 3)]
    probes = [taken(palm, shows=9) for palm in (1, 2)] + [taken(3), taken(3, shows=8)]

    at = point(score(probes, references), THRESHOLDS)["at"]["here"]

    between = at["fmr_between_probes"]
    assert (between["count"], between["total"]) == (1, 5)
    missed = at["palms_missed_by_all_probes"]
    assert (missed["count"], missed["total"]) == (2, 3), "one probe of the third one matches"


def test_the_command_measures_crops(regions, tmp_path):
    """One condition of each kind; the page and the figures identify no person."""
    done = CliRunner().invoke(
        app,
        ["robustness", str(regions), "--out", str(tmp_path), "--workers", "1",
         "--condition", "shift", "--condition", "noise", "--condition", "cover: text"],
    )  # fmt: skip

    assert done.exit_code == 0, done.output
    assert "comparing: 1 of 3" in done.output, "a log shows no bar"
    written = tmp_path / f"robustness-{regions.name}.json"
    content = json.loads(written.read_text())
    assert [one["condition"] for one in content["curves"]] == ["shift", "noise", "cover: text"]
    for curve in content["curves"]:
        unharmed = curve["points"][0]["at"]["measured_fmr_1e-4"]
        assert (unharmed["missed_or_refused"]["count"], unharmed["fnmr"]["total"]) == (0, 16)
        assert unharmed["fmr"]["total"] == 8 * 6
    assert "palm0" not in written.read_text()
    assert written.with_suffix(".html").read_text().count("<svg") == 3
