"""inspection: what the commands do, on pictures that a fake pipeline reads."""

from dataclasses import replace

import pytest

from engine.errors import EngineError
from engine.library import Engine
from engine.settings import EngineSettings
from engine.template_codec import encode_template
from engine.types import ExtractorId, Hand
from engine.workbench.inputs import InputFile, input_files
from engine.workbench.inspection import compare_with, enrolled, identify, inspect
from tests.support.palms.calibration import FAKE_CALIBRATION
from tests.support.palms.picture_files import encoded
from tests.support.palms.pipeline import fake_pipeline, palm_pixels
from tests.support.palms.templates import other_extractor, template_of


def code_of(fault: EngineError | None) -> str:
    """The fault's stable code."""
    return fault.code if fault else ""


@pytest.fixture
def engine(monkeypatch):
    """The engine as a library, with a fake pipeline and its calibration."""
    monkeypatch.setattr("engine.library.load_calibration", lambda *_, **__: FAKE_CALIBRATION)
    return Engine(fake_pipeline(), EngineSettings())


@pytest.fixture
def seen(tmp_path):
    """Return inspections of two pictures of one palm, one of another, and the rest."""
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
    pipeline = fake_pipeline()
    return {one.name: inspect(pipeline, one) for one in files}


def test_each_file_is_seen_as_far_as_it_goes(seen):
    """An engineer wants to know where the path ended, not only that it did."""
    whole, dark = seen["ann/1.png"], seen["bob/dark.png"]

    assert whole.template is not None
    assert whole.fault is None
    assert dark.roi is not None
    assert dark.quality is not None
    assert code_of(dark.fault) == "quality_too_low"
    assert dark.template is None
    assert seen["cut/1.png"].sample is None
    assert seen["right/1.template"].template.hand is Hand.RIGHT
    gone = next(one for name, one in seen.items() if name.endswith("gone.jpg"))
    assert code_of(gone.fault) == "sample_unreadable"
    assert whole.sample is not None
    assert seen["ann/1.png"].time_ms > 0


def test_comparisons_say_score_rate_and_decision(engine, seen):
    """Everything an engineer needs to judge one pair, or why there is no score."""
    probe = seen["ann/1.png"].template
    names = ["ann/2.jpg", "bob/1.png", "right/1.template", "cut/1.png"]

    same, other, side, cut = (compare_with(engine, probe, seen[name]) for name in names)

    assert same.found is not None
    assert other.found is not None
    assert same.found.is_match
    assert same.found.score >= engine.match_threshold > other.found.score
    assert other.found.fmr == FAKE_CALIBRATION.fmr_at(other.found.score)
    assert not other.found.is_match
    assert (side.found, code_of(side.fault)) == (None, "extractor_mismatch")
    assert code_of(cut.fault) == "sample_unreadable"


def test_a_palm_that_is_not_enrolled_is_a_non_match(engine, seen):
    """The threshold decides, not the order."""
    people = enrolled(engine, [seen["bob/1.png"]])

    found = identify(people, seen["ann/1.png"], count=2).found
    other_side = identify(people, seen["right/1.template"], count=2).found

    assert found is not None
    assert found.label is None
    assert found.candidates[0][0] == "bob"
    assert other_side is not None
    assert other_side.candidates == ()
    assert identify(people, seen["cut/1.png"], count=2).found is None


def test_a_template_of_another_extractor_is_a_fault_of_its_file(engine, seen):
    """One foreign file in a folder must not end the whole search."""
    people = enrolled(engine, [seen["bob/1.png"]])
    template = other_extractor(template_of(1), ExtractorId("other-1"))

    found = identify(people, replace(seen["bob/1.png"], template=template), count=2)

    assert code_of(found.probe.fault) == "extractor_mismatch"
    assert found.found is None
