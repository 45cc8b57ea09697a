"""The engine as a library, for who embeds it."""

import re
import subprocess
import sys
import venv
from dataclasses import replace
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine import Engine
from engine.decode import decode_sample
from engine.errors import (
    ExtractorMismatch,
    GalleryFault,
    ModelFault,
    PalmNotFound,
    SampleUnreadable,
    TemplateRefused,
)
from engine.gallery.search.memory_gallery import MemoryGallery
from engine.library import Comparison, LabelledGallery
from engine.settings import RAREST_RATE, EngineSettings
from engine.types import ExtractorId, Hand, NonMatchReason, PalmTemplate
from tests.support.palms.calibration import FAKE_CALIBRATION
from tests.support.palms.drawn_palms import photo
from tests.support.palms.picture_files import encoded
from tests.support.palms.pipeline import palm_pixels
from tests.support.palms.templates import FAKE_DIMENSION, FAKE_EXTRACTOR, template_of

ROOT = Path(__file__).parents[2]


@pytest.fixture
def people() -> LabelledGallery:
    """Return an empty gallery."""
    gallery = MemoryGallery(FAKE_EXTRACTOR, FAKE_DIMENSION)
    return LabelledGallery(gallery, FAKE_CALIBRATION, EngineSettings())


def test_a_search_is_no_laxer_than_a_comparison(people: LabelledGallery) -> None:
    """However few people there are; and what did not match is false."""
    people.enrol("Ada", [template_of(1)])

    found = people.search(template_of(2))

    assert found.threshold >= FAKE_CALIBRATION.threshold_for_fmr(EngineSettings().target_fmr)
    assert not found
    assert people.search(template_of(1))
    assert not Comparison(0.5, 1.0, is_match=False)


def test_a_person_is_found_by_name_until_erased(people: LabelledGallery) -> None:
    """Names are the caller's; an erased person does not match, and may enrol again."""
    people.enrol("Ada", [template_of(1), template_of(1, noise=0.1, sample=2)])
    people.enrol("Bob", [template_of(2)])
    people.enrol("Ada", [template_of(1, noise=0.1, sample=3)])

    probes = [template_of(1, noise=0.1, sample=4), template_of(2)]
    found, other = people.search_many(probes)

    assert len(people) == 4
    assert (found.label, other.label) == ("Ada", "Bob")
    assert [label for label, _ in found.candidates] == ["Ada", "Bob"]
    assert found.candidates[0][1] >= found.threshold
    people.erase("Ada")
    assert people.search(template_of(1, noise=0.1, sample=4)).label is None
    with pytest.raises(GalleryFault, match="no person of this name"):
        people.erase("Ada")
    people.enrol("Ada", [template_of(1)])
    assert people.search(template_of(1, noise=0.1, sample=4)).label == "Ada"


def test_a_person_who_could_not_be_added_is_not_there(people: LabelledGallery) -> None:
    """All templates or none, and no name either."""
    foreign = replace(template_of(1), extractor=ExtractorId("other-1"))
    with pytest.raises(ExtractorMismatch):
        people.enrol("Ada", [template_of(1), foreign])
    with pytest.raises(GalleryFault):
        people.erase("Ada")
    assert len(people) == 0


def test_a_search_is_of_one_palm(people: LabelledGallery) -> None:
    """A left and a right hand are two, and nothing is none."""
    with pytest.raises(ExtractorMismatch):
        people.search(template_of(1), template_of(1, hand=Hand.RIGHT))
    with pytest.raises(GalleryFault):
        people.search()
    with pytest.raises(TypeError, match="a template is what"):
        people.search(b"")  # type: ignore[arg-type]


@pytest.mark.parametrize("count", [1, 2])
def test_two_people_with_one_palm_are_a_non_match(people: LabelledGallery, count: int) -> None:
    """However short the list is that the caller wants."""
    people.enrol("Ada", [template_of(1)])
    people.enrol("Bob", [template_of(1)])

    found = people.search(template_of(1), count=count)

    assert (found.label, found.reason) == (None, NonMatchReason.TOO_CLOSE)
    assert len(found.candidates) == count


def test_a_gallery_that_was_saved_finds_the_same(
    people: LabelledGallery, tmp_path: Path
) -> None:
    """Score by score; a truncated file enrols no palm."""
    for seed in range(12):
        people.enrol(f"palm “{seed}”", [template_of(seed, noise=0.1, sample=n) for n in (1, 2)])
    people.save(tmp_path / "people")
    saved = (tmp_path / "people").read_bytes()
    again, none = (
        LabelledGallery(
            MemoryGallery(FAKE_EXTRACTOR, FAKE_DIMENSION), FAKE_CALIBRATION, EngineSettings()
        )
        for _ in range(2)
    )

    again.load(saved)
    with pytest.raises(GalleryFault, match="damaged"):
        none.load(saved[:-1])

    probe = template_of(3, noise=0.1, sample=3)
    assert again.search(probe) == people.search(probe)
    assert (len(again), len(none)) == (24, 0)


def test_pictures_of_one_palm_match_and_others_do_not() -> None:
    """With the networks and thresholds that are served."""
    engine = Engine.open(EngineSettings())
    ada, again = (engine.extract(photo(1, shot=shot)) for shot in (1, 2))
    bob = engine.extract(photo(2))

    assert engine.compare(ada, again).is_match
    assert engine.compare(ada, again).fmr < 1e-4
    assert (engine.compare(ada, ada).fmr, engine.compare(ada, ada).score) == (RAREST_RATE, 1)
    with pytest.raises(ExtractorMismatch, match="open its engine"):
        engine.compare(template_of(1), template_of(1))
    assert not engine.compare(ada, bob).is_match
    both = np.hstack([decode_sample(photo(seed)).pixels for seed in (1, 2)])
    assert [engine.examine(each).palms for each in (photo(1), both)] == [1, 2]
    pictures: list[Any] = [b"", np.zeros((9, 9)), "none.jpg", photo(1)]
    made = [type(each) for each in engine.extract_many(pictures)]
    assert made == [SampleUnreadable, TypeError, FileNotFoundError, PalmTemplate]
    with pytest.raises(ModelFault, match="no detector 'foo'"):
        Engine.open(EngineSettings(attack_detection="foo"))
    with pytest.raises(PalmNotFound):
        engine.extract(encoded(palm_pixels(1) * 0, ".png"))


PROGRAM = """
import importlib.util
assert not any(map(importlib.util.find_spec, ("fastapi", "sqlalchemy", "authlib", "psycopg")))
"""


@pytest.mark.check("the wheel in a fresh environment")
def test_the_wheel_runs_the_example_without_web_and_database(tmp_path: Path) -> None:
    """README's example, in a folder with its three pictures, prints what it says."""
    wheels, home = tmp_path / "wheels", tmp_path / "fresh"
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    build = [
        "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(wheels), str(ROOT),
    ]  # fmt: skip
    subprocess.run([*pip, *build], check=True)  # noqa: S603 - our own interpreter
    pins = tmp_path / "pins.txt"
    pins.write_text("\n".join(f"{one.name}=={one.version}" for one in distributions()))
    venv.create(home)
    python = str(home / "bin" / "python")
    (wheel,) = wheels.glob("thenar-*.whl")
    install = ["--python", python, "install", "--no-compile", "--constraint", str(pins)]
    subprocess.run([*pip, *install, str(wheel)], check=True)  # noqa: S603 - our own interpreter
    for name, shot in (("ada-1", 1), ("ada-2", 2), ("probe", 3)):
        (tmp_path / f"{name}.jpg").write_bytes(photo(1, shot=shot))
    page = (ROOT / "engine" / "docs" / "embed.md").read_text("utf-8")
    (example,) = re.findall(r"```python\n(from thenar.*?)```", page, re.DOTALL)

    done = subprocess.run(  # noqa: S603 - our own interpreter
        [python, "-c", PROGRAM + example],
        cwd=tmp_path,
        env={},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stdout.split() == ["True", "Ada"], done.stderr


@pytest.mark.parametrize(
    "change",
    [
        {"vector": np.full(FAKE_DIMENSION, np.nan, np.float32)},
        {"code": np.zeros(512, np.int64)},
        {"hand": "up"},
    ],
)
def test_a_template_that_nothing_makes_is_refused(change: dict[str, Any]) -> None:
    """Before its numbers reach a score."""
    engine = Engine.open(EngineSettings())

    with pytest.raises(TemplateRefused):
        engine.compare(replace(template_of(1), **change), template_of(1))


@pytest.mark.parametrize(
    ("label", "templates", "fault"),
    [(7, [template_of(1)], TypeError), ("Ada", [], GalleryFault)],
)
def test_what_cannot_be_enrolled_is_said(
    people: LabelledGallery, label: str, templates: list[PalmTemplate], fault: type[Exception]
) -> None:
    """A label is text, and a person has a template."""
    with pytest.raises(fault):
        people.enrol(label, templates)

    assert people.labels == ()
