"""Scores that another program made: three ways in, pyeer's way out."""

import json

import numpy as np
import pytest
from pyeer.eer_info import get_eer_stats
from typer.testing import CliRunner

from benchmarks.__main__ import app
from tests.benchmarks.accuracy.test_error_rates import drawn_scores


def test_scores_come_in_and_go_out(tmp_path):
    """The program pyeer computes the report's figures from the written files."""
    mated, nonmated = drawn_scores(1)
    labels = np.repeat([1, 0], [mated.size, nonmated.size])
    table = np.column_stack([np.concatenate([mated, nonmated]), labels])
    np.savetxt(tmp_path / "table.csv", table, "%.9g", delimiter=",")
    np.savetxt(tmp_path / "mated.txt", mated)
    np.savetxt(tmp_path / "others.txt", nonmated)
    np.savez(tmp_path / "scores.npz", mated=mated, nonmated=nonmated)

    for names in (["table.csv"], ["mated.txt", "others.txt"], ["scores.npz"]):
        out = tmp_path / names[0][:5]
        given = [str(tmp_path / name) for name in names]
        assert CliRunner().invoke(app, ["scores", *given, "--out", str(out)]).exit_code == 0
        report = json.loads((out / "report.json").read_text())
        stats = get_eer_stats(*(np.loadtxt(out / f"{n}.txt") for n in ("genuine", "impostor")))
        assert report["eer"] == pytest.approx(stats.eer, rel=1e-3)
        assert report["comparisons"] == {"mated": mated.size, "nonmated": nonmated.size}
        assert "</svg>" in (out / "det.svg").read_text()
