"""Scores that were made elsewhere: three ways in, pyeer's way out."""

from __future__ import annotations

import json

import numpy as np
import pytest
from pyeer.eer_info import get_eer_stats
from typer.testing import CliRunner

from benchmarks.__main__ import app
from tests.benchmarks.accuracy.test_error_rates import drawn_scores


@pytest.mark.parametrize("way", ["columns", "two files", "npz"])
def test_scores_come_in_and_go_out(tmp_path, way):
    """What pyeer makes of the written files is what the report says."""
    mated, nonmated = drawn_scores(1)
    paths = [tmp_path / name for name in ("one.csv", "two.txt", "scores.npz")]
    labels = np.repeat([1, 0], [mated.size, nonmated.size])
    if way == "columns":
        table = np.column_stack([np.concatenate([mated, nonmated]), labels])
        np.savetxt(paths[0], table, "%.9g", delimiter=",")
    elif way == "two files":
        np.savetxt(paths[0], mated)
        np.savetxt(paths[1], nonmated)
    else:
        np.savez(paths[2], mated=mated, nonmated=nonmated)
    out = tmp_path / "out"
    given = [str(path) for path in paths if path.exists()]

    done = CliRunner().invoke(app, ["scores", *given, "--out", str(out)])

    assert done.exit_code == 0, done.output
    report = json.loads((out / "report.json").read_text())
    stats = get_eer_stats(*(np.loadtxt(out / f"{n}.txt") for n in ("genuine", "impostor")))
    assert report["eer"] == pytest.approx(stats.eer, rel=1e-3)
    assert report["comparisons"] == {"mated": mated.size, "nonmated": nonmated.size}
    assert "</svg>" in (out / "det.svg").read_text()


@pytest.mark.parametrize("text", ["", "0.5,2", "0.5", "nan,1", "0.5,1,0", "high,1", "0.5,1"])
def test_what_is_no_table_of_scores_is_refused(tmp_path, text):
    """A rate of something else would look like one."""
    (tmp_path / "odd.csv").write_text(text)

    done = CliRunner().invoke(
        app, ["scores", str(tmp_path / "odd.csv"), "--out", str(tmp_path)]
    )

    assert (done.exit_code, len(list(tmp_path.iterdir()))) == (1, 1)
    assert "Traceback" not in done.output
