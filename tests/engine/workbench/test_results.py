"""results: what is printed says why, and never more than is known."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from engine.errors import ExtractorMismatch
from engine.library import Comparison
from engine.workbench import results
from engine.workbench.inputs import InputFile
from engine.workbench.inspection import Compared, Inspection
from tests.support.palms.templates import template_of

FILE = InputFile(Path("people/ann/1.jpg"), "ann")
GOOD = Inspection(FILE, template=template_of(1), time_ms=12.0)
MATCH = Compared(GOOD, Comparison(0.8, 1e-20, is_match=True))
NON_MATCH = Compared(GOOD, Comparison(0.6, 0.25, is_match=False))
OTHER_EXTRACTOR = Compared(GOOD, fault=ExtractorMismatch("two extractors"))


def printed(lines: list[results.Json], width: int = 200) -> str:
    """Return the text that a terminal shows."""
    console = Console(width=width)
    with console.capture() as capture:
        console.print(results.table(lines))
    return capture.get()


def compared(*ones: Compared) -> list[results.Json]:
    """The lines of comparisons with a good probe."""
    return [results.comparison_line(GOOD, one, 0.65) for one in ones]


def test_a_rate_beyond_the_calibration_is_only_bounded():
    """A calibration of millions of comparisons says nothing about one in 10^20."""
    text = printed(compared(MATCH, NON_MATCH, OTHER_EXTRACTOR))

    assert "≤ 1e-09" in text
    assert "e-20" not in text
    assert "2.5e-01" in text
    assert "extractor_mismatch" in text
