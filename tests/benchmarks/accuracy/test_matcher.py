"""Another maker's matcher: its contract, and what ends a run."""

import shlex
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.accuracy.scoring.compare_all import ComparisonContext, compare_all
from benchmarks.accuracy.scoring.matcher import (
    CODE,
    NOT_COMPARED,
    Features,
    Matcher,
    parse_matcher,
    try_pictures,
)
from benchmarks.console import BenchmarkFault
from benchmarks.datasets import Picture
from tests.benchmarks.accuracy.test_compare_all import PENALTY, made_up

BY_LENGTH = """
import sys
from pathlib import Path
for line in sys.stdin:
    one, other = (len(Path(name).read_bytes()) for name in line.rstrip("\\n").split("\\t"))
    print("nan" if 13 in (one, other) else -abs(one - other), flush=True)
"""
"""Pictures of one length are of one palm; one of 13 octets cannot be used."""

ANSWERS = "import sys; [print({!r}, flush=True) for _ in sys.stdin]"

PATIENT_S = 120.0


def program(folder: Path, text: str) -> str:
    """Write a program; return the command that runs it."""
    path = folder / "mine.py"
    path.write_text(text)
    return shlex.join([sys.executable, str(path)])


def matcher(folder: Path, text: str, timeout_s: float = PATIENT_S) -> Matcher:
    """Return the matcher of a program."""
    return parse_matcher(program(folder, text), timeout_s)


def pictures(folder: Path, *lengths: int) -> list[Path]:
    """Write files of these lengths."""
    paths = [folder / f"{place}.jpg" for place in range(len(lengths))]
    for path, length in zip(paths, lengths, strict=True):
        path.write_bytes(b"x" * length)
    return paths


def test_a_program_answers_many_pairs(tmp_path: Path) -> None:
    """It is started once; higher is more similar, nan says that a picture cannot be used."""
    mine = matcher(tmp_path, BY_LENGTH)
    one, same, other, bad = pictures(tmp_path, 5, 5, 9, 13)

    assert mine.compare(one, same) == 0
    assert mine.compare(one, other) == -4
    assert mine.compare(one, bad) == NOT_COMPARED
    (tmp_path / "mine.py").write_text(ANSWERS.format("started again"))
    assert mine.compare(one, other) == -4


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("import sys; sys.exit('weights are missing')", "exit status 1; .*weights are missing"),
        (ANSWERS.format("similar"), "no number: 'similar'"),
        (ANSWERS.format("1e300"), "no number: '1e300'"),
        ("pass", "no score; exit status 0"),
        ("import time; time.sleep(60)", "no score; killed after 1 s"),
    ],
)
def test_what_is_no_score_ends_the_run_with_its_words(
    tmp_path: Path, text: str, reported: str
) -> None:
    """A made-up score would be measured as if it were one."""
    (one,) = pictures(tmp_path, 5)

    with pytest.raises(BenchmarkFault, match=f"(?s)mine.py: .*{reported}"):
        matcher(tmp_path, text, 1.0 if "sleep" in text else PATIENT_S).compare(one, one)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_picture_that_it_cannot_use_is_counted_and_matches_nothing(
    tmp_path: Path, workers: int
) -> None:
    """Leaving it out would flatter the matcher."""
    plan, known = made_up(palms=2, shots=2, unknown=1)
    mine = matcher(tmp_path, BY_LENGTH)
    lengths = [13, *(20 + 2 * palm for palm in plan.identities[1:])]
    shown = [Picture(path, "", "", "hand", "") for path in pictures(tmp_path, *lengths)]
    done: list[int] = []

    matched = try_pictures(mine, shown, workers=workers, advance=done.append)
    features = Features(known.codes, known.vectors, PENALTY, {mine.name: matched})
    context = ComparisonContext(plan, features, (mine.name, CODE))
    result = compare_all(context, workers=workers, advance=lambda _: None)

    assert sum(done) == len(plan.rows)
    assert matched.failed.tolist() == [True, False, False, False, False]
    with_it = (result.mated_pairs == 0).any(axis=1), (result.nonmated_pairs == 0).any(axis=1)
    lowest = min(result.mated[mine.name].min(), result.nonmated[mine.name].min())
    assert result.failed == {mine.name: int(with_it[0].sum() + with_it[1].sum())}
    assert np.all(result.mated[mine.name][with_it[0]] == lowest)
    assert np.all(result.nonmated[mine.name][with_it[1]] == lowest)
    assert lowest < 0
    assert np.all(result.mated[mine.name][~with_it[0]] == 0)
    assert result.times_s[mine.name] > 0
