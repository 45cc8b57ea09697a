"""Another maker's matcher: its contract, and what ends a run."""

import shlex
import sys
from pathlib import Path

import pytest

from benchmarks.accuracy.scoring.matcher import NOT_COMPARED, Matcher, parse_matcher
from benchmarks.console import BenchmarkFault

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
