"""operations: what the commands do, on pictures that a fake pipeline reads."""

from __future__ import annotations

import pytest

from engine.errors import EngineError, GalleryFault
from engine.template_codec import encode_template
from engine.types import ExtractorId, Hand
from engine.workbench.inputs import InputFile, input_files
from engine.workbench.inspection import Inspection
from engine.workbench.operations import InspectedFile, compare_with, inspect_files
from engine.workbench.searching import enrolled, identify
from tests.support.palms.calibration import FAKE_CALIBRATION
from tests.support.palms.picture_files import encoded
from tests.support.palms.pipeline import fake_pipeline, palm_pixels
from tests.support.palms.templates import other_extractor, template_of


def code_of(fault: EngineError | None) -> str:
    """The fault's stable code."""
    return fault.code if fault else ""


@pytest.fixture
def seen(tmp_path):
    """What the fake pipeline sees in two pictures of one palm, one of another, and the rest."""
    contents = {
        "ann/1.png": encoded(palm_pixels(1), ".png"),
        "ann/2.jpg": encoded(palm_pixels(1), ".jpg"),
        "bob/1.png": encoded(palm_pixels(2), ".png"),
        "bob/dark.png": encoded(palm_pixels(2, brightness=0.1), ".png"),
        "cut/1.png": encoded(palm_pixels(3), ".png")[:-9],
        "right/1.template": encode_template(template_of(9, hand=Hand.RIGHT)),
    }
    for name, data in contents.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    files = [*input_files([tmp_path]), InputFile(tmp_path / "gone.jpg", "gone")]
    return {one.file.name: one for one in inspect_files(fake_pipeline(), files)}


def test_each_file_is_seen_as_far_as_it_goes(seen):
    """An engineer wants to know where the path ended, not only that it did."""
    whole, dark = seen["ann/1.png"].inspection, seen["bob/dark.png"].inspection

    assert whole.template is not None
    assert whole.fault is None
    assert dark.roi is not None
    assert dark.quality is not None
    assert code_of(dark.fault) == "quality_too_low"
    assert dark.template is None
    assert seen["cut/1.png"].inspection.sample is None
    assert seen["right/1.template"].template.hand is Hand.RIGHT
    gone = next(one for name, one in seen.items() if name.endswith("gone.jpg"))
    assert code_of(gone.inspection.fault) == "sample_unreadable"
    assert whole.sample is not None
    assert seen["ann/1.png"].time_ms > 0


def test_comparisons_say_score_rate_and_decision(seen):
    """Everything an engineer needs to judge one pair, or why there is no score."""
    probe = seen["ann/1.png"].template
    names = ["ann/2.jpg", "bob/1.png", "right/1.template", "cut/1.png"]

    same, other, side, cut = compare_with(
        probe, [seen[name] for name in names], FAKE_CALIBRATION, 0.8
    )

    assert same.is_match
    assert (same.score or 0) > 0.9 > 0.8 > (other.score or 1)
    assert same.fmr == FAKE_CALIBRATION.fmr_at(same.score or 0)
    assert not other.is_match
    assert (side.score, code_of(side.fault)) == (None, "extractor_mismatch")
    assert code_of(cut.fault) == "sample_unreadable"


def test_a_labelled_gallery_names_who_it_finds(seen):
    """Labels are the engineer's; the gallery itself sees opaque groups only."""
    people = enrolled(
        [one for name, one in seen.items() if name != "ann/2.jpg"], FAKE_CALIBRATION, 1e-3
    )

    found = identify(people, seen["ann/2.jpg"], count=2)

    assert len(people) == 3
    assert found.match == "ann"
    assert [label for label, _ in found.candidates] == ["ann", "bob"]
    assert found.threshold is not None


def test_a_stranger_is_nobody(seen):
    """The threshold decides, not the order."""
    people = enrolled([seen["bob/1.png"]], FAKE_CALIBRATION, 1e-3)

    found = identify(people, seen["ann/1.png"], count=2)
    other_side = identify(people, seen["right/1.template"], count=2)
    unread = identify(people, seen["cut/1.png"], count=2)

    assert found.match is None
    assert found.candidates[0][0] == "bob"
    assert other_side.candidates == ()
    assert (unread.threshold, unread.match) == (None, None)


def test_a_template_of_another_extractor_is_a_fault_of_its_file(seen):
    """One foreign file in a folder must not end the whole search."""
    people = enrolled([seen["bob/1.png"]], FAKE_CALIBRATION, 1e-3)
    template = other_extractor(template_of(1), ExtractorId("other-1"))
    foreign = InspectedFile(seen["bob/1.png"].file, Inspection(template=template), 1.0)

    found = identify(people, foreign, count=2)

    assert code_of(found.probe.inspection.fault) == "extractor_mismatch"
    assert found.threshold is None


def test_a_gallery_of_nothing_is_refused(seen):
    """Searching among nobody would answer "non-match" and look like a result."""
    with pytest.raises(GalleryFault):
        enrolled([seen["cut/1.png"]], FAKE_CALIBRATION, 1e-3)
