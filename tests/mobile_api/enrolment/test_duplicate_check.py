"""Duplicates are searched for before the last transaction, which compares the changes since."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from engine.gallery.search.memory_gallery import MemoryGallery
from engine.template_codec import encode_template
from engine.types import Hand
from mobile_api.enrolment import duplicate_check
from mobile_api.recognition.matcher import mirrored
from mobile_api.storage.stores.references import GalleryHistory
from tests.support.palms.fake_engine import picture, shots, template
from tests.support.phone.reference import Phone, refusal
from tests.support.service.mobile_api import MobileWorld

MAYA, OMAR, NOA = 1, 2, 3


@dataclass
class Steps:
    """The searches and locks that are made; ``meanwhile`` happens once, at the next search."""

    made: list[str] = field(default_factory=list)
    meanwhile: Callable[[], object] | None = None

    def note(self, step: str) -> None:
        """Note a step, after what happens meanwhile."""
        act, self.meanwhile = self.meanwhile, None
        if act is not None:
            act()
            self.made.clear()
        self.made.append(step)


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> Steps:
    """Give the steps of what is done."""
    steps = Steps()
    search, lock = MemoryGallery.search, GalleryHistory.lock

    def searching(self, probes, **options):
        steps.note("search")
        return search(self, probes, **options)

    def locking(self):
        steps.made.append("lock")
        return lock(self)

    monkeypatch.setattr(MemoryGallery, "search", searching)
    monkeypatch.setattr(GalleryHistory, "lock", locking)
    return steps


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MobileWorld]:
    """Give a mobile API that searches and syncs nothing in the background."""
    monkeypatch.setattr("mobile_api.server.jobs.SYNC_INTERVAL_S", 3600.0)
    with MobileWorld(tmp_path, shadow_share=0) as world:
        yield world


def begun(phone: Phone, person: int, hand: Hand = Hand.RIGHT) -> Callable[[], object]:
    """Show two samples of a palm; return what finishes."""
    enrolment = phone.begin_enrolment(shots(person, hand, first=3))
    return lambda: phone.finish_enrolment(enrolment)


def begun_flipped(phone: Phone, person: int, hand: Hand) -> Callable[[], object]:
    """Show two samples of a flipped palm; return what finishes."""
    enrolment = phone.begin_enrolment()
    for shot in (3, 4):
        phone.add_template(enrolment, encode_template(mirrored(template(person, hand, shot))))
    return lambda: phone.finish_enrolment(enrolment)


def test_no_sample_is_searched_when_it_comes_and_none_under_the_lock(
    world: MobileWorld, steps: Steps
) -> None:
    """Its time must not tell who is enrolled, and other writers do not wait for searches."""
    world.enrolled(shots(MAYA))
    world.enrolled(shots(MAYA + 3, Hand.LEFT))
    steps.made.clear()
    finish = begun(world.phone(), OMAR)
    assert steps.made == []

    finish()

    assert steps.made == ["search"] * 4 + ["lock"]
    assert world.rows("accounts") == 3


@pytest.mark.parametrize("show", [begun, begun_flipped])
def test_who_was_enrolled_meanwhile_is_compared(
    fleet: MobileWorld, steps: Steps, show: Callable[..., Callable[[], object]]
) -> None:
    """When the samples were searched for, the palm had no account."""
    finish = show(fleet.phone(), MAYA, Hand.RIGHT)
    fleet.enrolled(shots(OMAR))
    steps.meanwhile = lambda: fleet.enrolled(shots(MAYA))

    assert refusal(finish).error == "already_enrolled"
    assert fleet.rows("accounts") == 2


def forget_history(world: MobileWorld) -> None:
    """Give the last change another name, as in a restored backup."""
    path = world.settings.key_file.with_name("biometric.sqlite3")
    with closing(sqlite3.connect(path)) as file:
        file.execute("UPDATE gallery_changes SET mark = ?", ("0" * 32,))
        file.commit()


@pytest.mark.parametrize(
    "case", ["many changes", "a gallery that shrank", "another history", "its owner left"]
)
def test_all_is_searched_again_after(
    world: MobileWorld, steps: Steps, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    """What was no match may be one: the threshold falls with the number of comparisons."""
    monkeypatch.setattr(duplicate_check, "MAX_CHANGES", 3 if case != "many changes" else 0)
    phones = {each: world.enrolled(shots(each)) for each in (OMAR, NOA, 4)}
    owner = world.enrolled(shots(MAYA)) if case == "its owner left" else phones[4]
    finish = begun(world.phone(), MAYA)

    def shrink() -> None:
        for person in (OMAR, NOA):
            phones[person].delete_account(picture(person, shot=2))

    steps.meanwhile = {
        "many changes": lambda: world.enrolled(shots(5)),
        "a gallery that shrank": shrink,
        "another history": lambda: forget_history(world),
        "its owner left": lambda: owner.delete_account(picture(MAYA, shot=2)),
    }[case]

    finish()

    assert "search" in steps.made[steps.made.index("lock") :]
