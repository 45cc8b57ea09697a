"""report: what is printed says why, and never more than is known."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.table import Table

from engine.errors import ExtractorMismatch, PalmNotFound, QualityTooLow
from engine.types import QualityReason
from engine.workbench import report
from engine.workbench.inputs import InputFile
from engine.workbench.inspection import Inspection
from engine.workbench.operations import Comparison, Identification, InspectedFile
from tests.fakes.engine.templates import template_of

FILE = InputFile(Path("people/ann/1.jpg"), "ann")
GOOD = InspectedFile(FILE, Inspection(template=template_of(1)), 12.0)
BLURRED = InspectedFile(FILE, Inspection(fault=QualityTooLow(QualityReason.TOO_BLURRED)), 12.0)
EMPTY = InspectedFile(FILE, Inspection(fault=PalmNotFound("no hand")), 12.0)
MATCH = Comparison(GOOD, 0.8, 1e-20, is_match=True)
NON_MATCH = Comparison(GOOD, 0.6, 0.25)
OTHER_SIDE = Comparison(GOOD, fault=ExtractorMismatch("two sides"))


def printed(table: Table) -> str:
    """What a wide terminal would show."""
    console = Console(width=200)
    with console.capture() as capture:
        console.print(table)
    return capture.get()


def test_a_fault_is_told_with_its_reason():
    """The code is what other programs and the phone know it by."""
    text = printed(report.inspection_table([GOOD, BLURRED, EMPTY]))

    assert "template" in text
    assert "quality_too_low: too_blurred" in text
    assert "palm_not_found: no hand" in text
    assert report.fault_json(BLURRED.inspection.fault) == {
        "code": "quality_too_low",
        "reason": "too_blurred",
        "message": "quality too low: too_blurred",
    }


def test_a_rate_nobody_can_know_is_only_bounded():
    """A calibration of millions of comparisons says nothing about one in 10^20."""
    text = printed(report.comparison_table([MATCH, NON_MATCH, OTHER_SIDE], 0.65))

    assert "< 1e-09" in text
    assert "e-20" not in text
    assert "2.5e-01" in text
    assert "extractor_mismatch: two sides" in text


def test_the_picture_tells_the_decision_beside_the_score():
    """Whoever looks at two palms wants to know what the engine thought."""
    probe, match, non_match, other = report.comparison_rows(
        GOOD, [MATCH, NON_MATCH, OTHER_SIDE], 0.65
    )

    assert (probe.verdict, probe.is_good) == ("", True)
    assert (match.verdict, match.is_good) == ("match · 0.800 ≥ 0.650", True)
    assert (non_match.verdict, non_match.is_good) == ("non-match · 0.600 < 0.650", False)
    assert (other.verdict, other.is_good) == ("extractor mismatch", False)


def test_the_picture_names_who_was_found():
    """And says nothing where nothing was searched."""
    found = Identification(GOOD, (("ann", 0.8), ("bob", 0.6)), 0.65, "ann")
    nobody = Identification(GOOD, (("bob", 0.6),), 0.65)
    alone = Identification(GOOD, (), 0.65)

    assert report.identification_row(found).verdict == "ann · 0.800 ≥ 0.650"
    assert report.identification_row(nobody).verdict == "non-match · 0.600 < 0.650"
    assert report.identification_row(alone).verdict == "non-match"
    assert report.identification_row(Identification(BLURRED)).verdict == ""
    assert "quality_too_low" in printed(
        report.identification_table([found, Identification(BLURRED)])
    )
