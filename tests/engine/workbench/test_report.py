"""report: what is printed says why, and never more than is known."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.table import Table

from engine.errors import ExtractorMismatch, PalmNotFound, QualityTooLow
from engine.types import Hand, QualityReason
from engine.workbench import export, report
from engine.workbench.inputs import InputFile
from engine.workbench.inspection import Inspection
from engine.workbench.operations import Comparison, Identification, InspectedFile
from tests.support.palms.templates import template_of

FILE = InputFile(Path("people/ann/1.jpg"), "ann")
GOOD = InspectedFile(FILE, Inspection(template=template_of(1)), 12.0)
BLURRED = InspectedFile(FILE, Inspection(fault=QualityTooLow(QualityReason.TOO_BLURRED)), 12.0)
EMPTY = InspectedFile(FILE, Inspection(fault=PalmNotFound("no hand")), 12.0)
MATCH = Comparison(GOOD, 0.8, 1e-20, is_match=True)
NON_MATCH = Comparison(GOOD, 0.6, 0.25)
OTHER_SIDE = Comparison(GOOD, fault=ExtractorMismatch("two extractors"))


def printed(table: Table, width: int = 200) -> str:
    """What a terminal would show."""
    console = Console(width=width)
    with console.capture() as capture:
        console.print(table)
    return capture.get()


def test_a_fault_is_told_with_its_reason():
    """The code is what other programs and the phone know it by."""
    text = printed(report.inspection_table([GOOD, BLURRED, EMPTY]))

    assert "template" in text
    assert "quality_too_low: too_blurred" in text
    assert "palm_not_found: no hand" in text
    assert export.fault_json(BLURRED.inspection.fault) == {
        "code": "quality_too_low",
        "reason": "too_blurred",
        "message": "quality too low: too_blurred",
    }


def test_a_rate_nobody_can_know_is_only_bounded():
    """A calibration of millions of comparisons says nothing about one in 10^20."""
    text = printed(report.comparison_table(GOOD, [MATCH, NON_MATCH, OTHER_SIDE], 0.65))

    assert "< 1e-09" in text
    assert "e-20" not in text
    assert "2.5e-01" in text
    assert "extractor_mismatch: two extractors" in text


def test_the_picture_tells_the_decision_beside_the_score():
    """Whoever looks at two palms wants to know what the engine thought."""
    probe, match, non_match, other = report.comparison_rows(
        GOOD, [MATCH, NON_MATCH, OTHER_SIDE], 0.65
    )

    assert (probe.verdict, probe.is_good) == ("", True)
    assert (match.verdict, match.is_good) == ("match · 0.800 ≥ 0.650", True)
    assert (non_match.verdict, non_match.is_good) == ("non-match · 0.600 < 0.650", False)
    assert (other.verdict, other.is_good) == ("extractor_mismatch: two extractors", False)


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


def test_a_left_palm_against_a_right_one_is_told_as_that():
    """“extractor_mismatch” sends people looking for another version."""
    right = InspectedFile(FILE, Inspection(template=template_of(1, hand=Hand.RIGHT)), 12.0)
    other = Comparison(right, fault=ExtractorMismatch("two hands"))

    assert "not compared: left against right hand" in printed(
        report.comparison_table(GOOD, [other], 0.65)
    )


def test_a_pipe_cuts_nothing_off():
    """Whoever compares looks for the decision, and for a file's whole name."""
    path = Path("a-folder-with-a-long-name/a-picture-of-a-palm-with-a-name.jpg")
    seen = InspectedFile(InputFile(path, "ann"), Inspection(template=template_of(1)), 12.0)
    table = report.comparison_table(GOOD, [Comparison(seen, 0.6, 0.25)], 0.65)
    people = report.identification_table([Identification(seen, (("ann", 0.8),), 0.65, "ann")])

    text = printed(table, width=80) + printed(people, width=80)
    assert "…" not in text
    assert "non-match" in text
    assert "0.8000" in text


def test_every_pair_is_a_line_of_csv():
    """For a spreadsheet; the decision is a word, a missing score is empty."""
    text = export.csv_text(export.comparison_lines(GOOD, [MATCH, OTHER_SIDE], 0.65))
    found = Identification(GOOD, (("ann", 0.8), ("bob", 0.6)), 0.65, "ann")
    people = export.csv_text(
        line
        for one in (found, Identification(BLURRED))
        for line in export.identification_lines(one)
    )

    assert text.splitlines() == [
        "probe,reference,score,threshold,fmr_at_score,decision,error",
        "people/ann/1.jpg,people/ann/1.jpg,0.8,0.65,1e-20,match,",
        "people/ann/1.jpg,people/ann/1.jpg,,0.65,,,extractor_mismatch",
    ]
    assert people.splitlines()[1:] == [
        "people/ann/1.jpg,1,ann,0.8,0.65,match,",
        "people/ann/1.jpg,2,bob,0.6,0.65,non-match,",
        "people/ann/1.jpg,1,,,,,quality_too_low",
    ]
