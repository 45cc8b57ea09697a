"""Duplicates are looked for when a sample comes; the end of an enrolment compares the rest."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from engine.errors import GalleryUnreachable
from engine.gallery.search.memory_gallery import MemoryGallery
from engine.template_codec import encode_template
from engine.types import Hand
from mobile_api.enrolment import duplicate_check
from mobile_api.recognition.matcher import mirrored
from mobile_api.reference_phone.client import ReferencePhone
from tests.support.palms.fake_engine import picture, shots, template
from tests.support.phone.reference import Phone, refusal
from tests.support.service.mobile_api import MobileWorld

MAYA, OMAR, NOA = 1, 2, 3


@pytest.fixture
def world(tmp_path: Path) -> Iterator[MobileWorld]:
    """Give a mobile API that repeats no search in the background: they are counted."""
    with MobileWorld(tmp_path, shadow_share=0) as world:
        yield world


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> list[Hand]:
    """Give the side of each search that is made."""
    made: list[Hand] = []
    search = MemoryGallery.search

    def noting(self, probes, **options):
        made.append(probes[0].hand)
        return search(self, probes, **options)

    monkeypatch.setattr(MemoryGallery, "search", noting)
    return made


def begun(phone: Phone, person: int, hand: Hand = Hand.RIGHT) -> Callable[[], object]:
    """Show two samples of a palm; return what finishes."""
    enrolment = phone.begin_enrolment(picture(person, hand, shot) for shot in (3, 4))
    return lambda: phone.finish_enrolment(enrolment)


def begun_flipped(phone: Phone, person: int, hand: Hand) -> Callable[[], object]:
    """Show two samples of a flipped palm; return what finishes."""
    enrolment = phone.begin_enrolment()
    for shot in (3, 4):
        phone.add_template(enrolment, encode_template(mirrored(template(person, hand, shot))))
    return lambda: phone.finish_enrolment(enrolment)


def error_of(act: Callable[[], object]) -> str | None:
    """Return why something is refused."""
    return refusal(act).error


def test_nothing_is_searched_at_the_end(world: MobileWorld, searches: list[Hand]) -> None:
    """All other writers of the database wait for it."""
    world.enrolled(shots(MAYA))
    world.enrolled([picture(MAYA + 3, Hand.LEFT), picture(MAYA + 3, Hand.LEFT, 1)])
    searches.clear()
    finish = begun(world.phone(), OMAR)
    assert searches.count(Hand.RIGHT) == searches.count(Hand.LEFT) == 2
    searches.clear()

    finish()

    assert searches == []
    assert world.rows("accounts") == 3


@pytest.mark.parametrize("show", [begun, begun_flipped])
def test_who_was_enrolled_meanwhile_is_compared(
    fleet: MobileWorld, searches: list[Hand], show: Callable[..., Callable[[], object]]
) -> None:
    """When the samples came, the palm had no account."""
    finish = show(fleet.phone(), MAYA, Hand.RIGHT)
    fleet.enrolled(shots(OMAR))
    fleet.enrolled(shots(MAYA))

    assert error_of(finish) == "already_enrolled"
    assert fleet.rows("accounts") == 2


def test_a_known_palm_is_searched_again(world: MobileWorld, searches: list[Hand]) -> None:
    """Only a palm without an account is noted: an owner may have left meanwhile."""
    owner = world.enrolled(shots(MAYA))
    world.enrolled(shots(OMAR))
    finish = begun(world.phone(), MAYA)
    owner.delete_account(picture(MAYA, shot=2))
    searches.clear()

    finish()

    assert searches
    assert world.rows("accounts") == 2


def test_a_sample_takes_as_many_searches_whether_it_is_known_or_not(
    world: MobileWorld, searches: list[Hand]
) -> None:
    """Before the end nothing counts as an attempt: its time must not tell who is enrolled."""
    for hand in Hand:
        world.enrolled([picture(MAYA, hand), picture(MAYA, hand, 1)])
    searches.clear()
    begun(world.phone(), OMAR)
    of_outsider = searches.copy()
    searches.clear()
    begun(world.phone(), MAYA)

    assert searches == of_outsider == [Hand.RIGHT, Hand.LEFT] * 2


def test_another_process_searches_by_itself(world: MobileWorld, searches: list[Hand]) -> None:
    """It knows nothing of what this one noted."""
    world.enrolled(shots(MAYA))
    phone = world.phone()
    enrolment = phone.begin_enrolment(picture(OMAR, shot=shot) for shot in (3, 4))
    there = ReferencePhone(phone.api, phone.key, world.start())
    searches.clear()

    there.finish_enrolment(enrolment)

    assert searches


def many_come(world: MobileWorld, _: list[Phone], patch: pytest.MonkeyPatch) -> None:
    """One by one they would take longer to compare."""
    patch.setattr(duplicate_check, "MAX_CHANGES", 1)
    for person in (5, 6):
        world.enrolled(shots(person))


def many_leave(_: MobileWorld, enrolled: list[Phone], __: pytest.MonkeyPatch) -> None:
    """The threshold falls with the number of comparisons: what was no match may be one."""
    for person, phone in zip((OMAR, NOA), enrolled, strict=False):
        phone.delete_account(picture(person, shot=2))


def is_restored(world: MobileWorld, _: list[Phone], __: pytest.MonkeyPatch) -> None:
    """A backup may hold another account under the same number."""
    path = world.settings.key_file.with_name("biometric.sqlite3")
    with closing(sqlite3.connect(path)) as file:
        file.execute("UPDATE gallery_changes SET mark = ?", ("0" * 32,))
        file.commit()


@pytest.mark.parametrize("change", [many_come, many_leave, is_restored])
def test_a_gallery_that_changed_too_much_is_searched(
    world: MobileWorld,
    searches: list[Hand],
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[MobileWorld, list[Phone], pytest.MonkeyPatch], None],
) -> None:
    """What was noted of the samples holds no more."""
    enrolled = [world.enrolled(shots(person)) for person in (OMAR, NOA, 4)]
    finish = begun(world.phone(), MAYA)
    change(world, enrolled, monkeypatch)
    searches.clear()

    finish()

    assert searches


def test_no_more_is_noted_than_the_limit(
    world: MobileWorld, searches: list[Hand], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unfinished enrolments fill no memory."""
    monkeypatch.setattr(duplicate_check, "MAX_RESULTS", 2)
    world.enrolled(shots(OMAR))
    first, second = begun(world.phone(), MAYA), begun(world.phone(), NOA)
    searches.clear()

    second()
    assert searches == []
    first()
    assert searches


def test_a_gallery_that_cannot_be_searched_now_refuses_no_sample(
    world: MobileWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its server may be back when the enrolment is finished."""
    world.enrolled(shots(OMAR))
    search = MemoryGallery.search

    def away(self, probes, **options):
        raise GalleryUnreachable("the server does not answer")

    monkeypatch.setattr(MemoryGallery, "search", away)
    finish = begun(world.phone(), OMAR)
    monkeypatch.setattr(MemoryGallery, "search", search)

    assert error_of(finish) == "already_enrolled"
