"""Two results held against each other: what is worse, and what cannot be compared."""

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from benchmarks.__main__ import app
from benchmarks.diff.judge import Quantity, Verdict, change
from benchmarks.diff.quantities import read_quantities

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results"
EXTRACT = {"protocol": "extract-1", "stages": {"photo_to_template": {"cpu_ms": 50.0}}}


def committed(name: str) -> dict[str, Any]:
    """Read a result that is kept."""
    content: dict[str, Any] = json.loads((RESULTS / name).read_text("utf-8"))
    return content


def compare(folder: Path, old: object, new: object, *options: str) -> tuple[int, str]:
    """Compare two contents; return the exit status and what was said, on one line."""
    files = [folder / "old.json", folder / "new.json"]
    for file, content in zip(files, (old, new), strict=True):
        file.write_text(content if isinstance(content, str) else json.dumps(content))
    done = CliRunner().invoke(app, ["diff", *map(str, files), *options])
    return done.exit_code, " ".join(done.output.split())


def share(value: float, half: float, *, is_floor: bool = False) -> Quantity:
    """Return a share with an even interval."""
    return Quantity("x", value, value - half, value + half, "%", is_floor)


@pytest.mark.parametrize(
    ("old", "new", "is_floor", "verdict"),
    [
        (0.10, 0.20, False, Verdict.WORSE),
        (0.10, 0.20, True, Verdict.BETTER),
        (0.20, 0.10, False, Verdict.BETTER),
        (0.20, 0.10, True, Verdict.WORSE),
        (0.10, 0.14, False, Verdict.UNDECIDED),
    ],
)
def test_a_change_is_shown_when_its_interval_leaves_out_zero(
    old: float,
    new: float,
    is_floor: bool,  # noqa: FBT001 - a parameter of the test
    verdict: Verdict,
) -> None:
    """Two halves of 0.03 make one of 0.042: less than the sum, more than either."""
    changed = change(share(old, 0.03, is_floor=is_floor), share(new, 0.03, is_floor=is_floor))

    assert changed.verdict is verdict
    difference = changed.new.value - changed.old.value
    assert changed.high - difference == pytest.approx(0.03 * 2**0.5)
    assert difference - changed.low == pytest.approx(0.03 * 2**0.5)


@pytest.mark.parametrize(
    ("name", "quantity"),
    [
        ("accuracy-tongji-dev.json", "FNMR, calibrated for FMR 0.0001"),
        ("search-palmnet-2-200000-1000000.json", "1,000,000 rows: mates not compared"),
        ("oidc.json", "sqlite: refresh against the peer"),
    ],
)
def test_a_kept_result_is_as_good_as_itself(tmp_path: Path, name: str, quantity: str) -> None:
    """Whoever changes something holds a new result against the one that is kept."""
    content = committed(name)
    status, said = compare(tmp_path, content, content)

    assert status == 0, said
    measured = read_quantities(content, 0.1)
    assert said.endswith(f"0 of {len(measured)} got worse beyond their interval")
    assert quantity in measured


def test_more_misses_than_chance_makes_end_with_status_1(tmp_path: Path) -> None:
    """And the line says which rate it was."""
    old = committed("accuracy-tongji-dev.json")
    new = deepcopy(old)
    missed = new["methods"]["fused"]["operating_points"][2]["fnmr"]
    missed |= {"count": 300, "share": 0.02, "interval_95": [0.016, 0.025]}

    assert compare(tmp_path, old, new)[0] == 1
    assert "WORSE" in compare(tmp_path, old, new)[1]
    assert compare(tmp_path, new, old)[0] == 0
    several = {"tongji-dev": old}, {"tongji-dev": new}
    assert compare(tmp_path, *several)[0] == 1


def test_a_time_is_worse_beyond_its_tolerance(tmp_path: Path) -> None:
    """It has no interval of its own; several runs tell which one to give."""
    slower = deepcopy(EXTRACT)
    slower["stages"]["photo_to_template"]["cpu_ms"] = 60.0  # type: ignore[index]

    assert compare(tmp_path, EXTRACT, slower)[0] == 1
    assert compare(tmp_path, EXTRACT, slower, "--tolerance", "0.2")[0] == 0


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (EXTRACT, "no JSON", "new.json is no JSON"),
        ([1], EXTRACT, "old.json is no result"),
        ({"x": 1}, {"x": 1}, "no result of thenar bench"),
        ({"protocol": "soak-1"}, {"protocol": "soak-1"}, "soak-1 cannot be compared"),
        ({"protocol": "extract-1"}, EXTRACT, "not a result of extract-1"),
        ({"protocol": "search"}, EXTRACT, "two benchmarks"),
        ({**EXTRACT, "data": {"manifest_sha256": "0"}}, EXTRACT, "different data"),
        ({"one": EXTRACT}, {"two": EXTRACT}, "no quantity in common"),
    ],
)
def test_what_cannot_be_compared_is_status_2(
    tmp_path: Path, old: object, new: object, said: str
) -> None:
    """Status 1 means that something got worse, and nothing else."""
    status, told = compare(tmp_path, old, new)

    assert status == 2
    assert said in told
