"""stored: a gallery that comes back as it was, whatever happened to the machine."""

from __future__ import annotations

import random
import threading
from dataclasses import replace
from time import sleep
from unittest.mock import Mock

import numpy as np
import pytest

from engine.errors import (
    DirectoryFault,
    DirectoryFull,
    ForeignFile,
    ForeignGallery,
    ForeignKey,
    ForeignModel,
    ForeignVersion,
)
from engine.gallery.durability import pending_writes
from engine.gallery.durability.gallery_file import GalleryFile, remove_file
from engine.gallery.durability.state import RowFormat
from engine.gallery.durability.stored import StoredGallery
from engine.gallery.rows.columns import columns_of
from engine.gallery.search.packed import PackedGallery
from engine.parameters import CODE_BYTES
from engine.types import Hand, Reference
from tests.support.galleries.gallery_disk import GalleryDisk
from tests.support.palms.templates import (
    FAKE_DIMENSION,
    FAKE_EXTRACTOR,
    group_id,
    reference_id,
    reference_of,
    template_of,
)

KEY = bytes(range(32))
MODEL = RowFormat(FAKE_EXTRACTOR, FAKE_DIMENSION, CODE_BYTES, 2)
EXACT, PACKED, GROWING = 1_000, 0, 6
"""Limits: never packed, packed from the first reference on, packed on the way."""

LIMITS = pytest.mark.parametrize("limit", [EXACT, PACKED, GROWING])


class Seconds:
    """A clock that is told the time."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now


def stored(files, limit=EXACT, key=KEY, model=MODEL, clock=None):
    """Open a gallery."""

    def packed(codes):
        return PackedGallery(FAKE_EXTRACTOR, FAKE_DIMENSION, codes=codes, segment_rows=32)

    return StoredGallery(
        files.file(model, key),
        limit=limit,
        new_packed=packed,
        clock=clock or Seconds(),
    )


def held(gallery):
    """Return what a gallery holds: identifier, group, hand and what it is found by."""
    groups = [group_id(n) for n in range(60)]
    return {
        (r.reference_id, r.group_id, r.template.hand, r.template.code.tobytes())
        for group in groups
        for r in gallery.references_of(group)
    }


def expected(references):
    """Return the same of references."""
    return {
        (r.reference_id, r.group_id, r.template.hand, r.template.code.tobytes())
        for r in references
    }


def some(count, first=0):
    """Return references, two to a group, both hands."""
    return [
        reference_of(n, group=n // 2, hand=Hand.LEFT if n % 4 < 2 else Hand.RIGHT)
        for n in range(first, first + count)
    ]


@LIMITS
def test_a_gallery_comes_back_from_its_snapshot(limit):
    """A start reads rows and codes, not the database."""
    files, references = GalleryDisk(), some(20)
    gallery = stored(files, limit)
    with gallery.step(7, b"change seven"):
        gallery.enrol(references)
    gallery.checkpoint()
    again = stored(files, limit)

    assert held(again) == expected(references)
    assert (again.sequence, again.mark) == (7, b"change seven")
    assert again.is_whole
    assert again.state().damage_count == 0
    for group in (0, 5, 9):
        hand = references[2 * group].template.hand
        assert again.search([template_of(group, hand=hand)])[0].group_id == group_id(group)


@LIMITS
def test_steps_after_the_snapshot_come_back_from_the_log(limit):
    """What was enrolled, replaced and erased since is so again."""
    files, references = GalleryDisk(), some(12)
    gallery = stored(files, limit)
    gallery.enrol(references[:8])
    gallery.checkpoint()
    with gallery.step(3):
        gallery.erase([references[0].reference_id])
        gallery.enrol(references[8:])
        newer = reference_of(5, group=30)
        gallery.replace([newer])
    gallery.sync()
    again = stored(files, limit)

    kept = [r for r in references if r.reference_id not in {reference_id(0), reference_id(5)}]
    assert held(again) == expected([*kept, newer])
    assert again.sequence == 3


@LIMITS
def test_a_gallery_of_hundreds_comes_back_as_an_exact_search_sees_it(limit):
    """Packed rows are read as they were written, on the right rows."""
    files = GalleryDisk()
    gallery = stored(files, limit)
    gallery.enrol([reference_of(n, group=n, noise=0.05) for n in range(300)])
    gallery.erase([reference_id(n) for n in range(0, 300, 7)])
    gallery.checkpoint()
    again = stored(files, limit)
    again.enrol([reference_of(n, group=n, noise=0.05) for n in range(0, 300, 14)])

    for group in range(0, 300, 5):
        probe = template_of(group, noise=0.05, sample=9)
        gone = group % 7 == 0 and group % 14 != 0
        found = again.search([probe])[0].group_id
        assert (found == group_id(group)) is not gone


def history():
    """Yield steps of a small life: what to do, and the references afterwards."""
    alive: dict[int, Reference] = {}

    def step(erased=(), put=()):
        for number in erased:
            del alive[number]
        alive.update((n, reference_of(n, group=g)) for n, g in put)
        return list(erased), [reference_of(n, group=g) for n, g in put], dict(alive)

    yield step(put=[(1, 1), (2, 1)])
    yield step(put=[(3, 3), (4, 4), (5, 5), (6, 5)])
    yield step(erased=[2], put=[(7, 7)])
    yield step(put=[(1, 9)])
    yield step(erased=[3, 4], put=[(8, 8), (9, 8), (10, 1)])
    yield step(erased=[1, 10])
    yield step(put=[(2, 20), (11, 20)])


def live(disk, limit):
    """Live that life; yield after each call what is certain, and all states so far."""
    states: dict[int, dict[int, Reference]] = {-1: {}}
    gallery = stored(disk, limit)
    gallery.checkpoint()
    certain = -1
    for number, (erased, put, alive) in enumerate(history()):
        states[number] = alive
        with gallery.step(number):
            gone = [reference_id(n) for n in erased]
            gone += [r.reference_id for r in put if r.reference_id in gallery]
            gallery.erase(gone)
            gallery.enrol(put)
        yield certain, states
        if number in (1, 4):
            gallery.checkpoint()
            certain = number
        elif number % 2:
            assert gallery.sync()
            certain = number
        yield certain, states


@LIMITS
def test_a_process_that_is_killed_loses_nothing_and_resurrects_nothing(limit):
    """The state after it is one that was: not older than the last that was made durable."""
    disk = GalleryDisk()
    for certain, states in live(disk, limit):
        left = disk.after_crash()
        again = stored(left, limit)

        assert again.is_whole
        assert again.sequence >= certain
        assert held(again) == expected(states[again.sequence].values())
        again.checkpoint()
        twice = stored(left.after_crash(), limit)
        assert held(twice) == held(again)
        assert twice.verify() == 0


@LIMITS
def test_a_log_that_the_power_cut_at_any_place_holds_one_state(limit):
    """What was not synced may be there in part: a step is done or not."""
    disk, chance = GalleryDisk(), random.Random(limit)  # noqa: S311 -- where the log ends
    for certain, states in live(disk, limit):
        size = disk.log.stat().st_size
        for cut in (chance.randrange(size + 1) for _ in range(6 if size else 0)):
            again = stored(disk.after_crash(cut), limit)

            assert again.sequence >= -1
            assert again.sequence <= max(certain, *states)
            assert held(again) == expected(states[again.sequence].values())


@LIMITS
def test_a_process_that_is_killed_within_a_checkpoint_loses_nothing(limit):
    """The snapshot is there or not at all."""
    disk, left = GalleryDisk(), []
    gallery = stored(disk, limit)
    gallery.enrol(some(12))
    gallery.checkpoint()
    with gallery.step(1):
        gallery.erase([reference_id(3)])
    gallery.sync()
    disk.before_commit = lambda: left.append(disk.after_crash())
    gallery.checkpoint()
    (before,) = left
    again = stored(before, limit)

    assert (again.sequence, held(again)) == (1, held(gallery))


@LIMITS
def test_no_file_holds_what_was_erased_after_a_checkpoint(limit):
    """Ciphertext included: what was sealed for it before is in no file any more."""
    files = GalleryDisk()
    gallery = stored(files, limit)
    gallery.enrol(some(8))
    gallery.checkpoint()
    gallery.enrol(some(4, first=8))
    gallery.sync()
    before = _sealed_pieces(files)
    there = files.contents()
    assert sum(piece in there for piece in before) > 0.9 * len(before)
    gallery.erase([reference_id(n) for n in range(12)])
    assert gallery.state().erasure_age_s == 0.0
    gallery.checkpoint()

    after = files.contents()
    assert len(before) > 20
    assert not [piece for piece in before if piece in after]


def _sealed_pieces(files):
    """Cut all ciphertext into pieces long enough to be nobody else's."""
    tables = ("blocks", "codes", "steps")
    contents = [c for t in tables for (c,) in files.rows(f"SELECT sealed FROM {t}")]  # noqa: S608
    return [c[i : i + 32] for c in contents for i in range(0, len(c) - 32, 16)]


@LIMITS
def test_an_erasure_makes_a_checkpoint_due_within_its_lag(limit):
    """Nobody has to ask for it."""
    files, clock = GalleryDisk(), Seconds()
    gallery = stored(files, limit, clock=clock)
    gallery.enrol(some(8))
    gallery.checkpoint()
    gallery.erase([reference_id(1)])
    clock.now += 20
    gallery.maintain(60)
    waiting = gallery.state().erasure_age_s
    clock.now += 20
    gallery.maintain(60)

    assert waiting == 20
    assert gallery.state().erasure_age_s == 0
    assert files.rows("SELECT * FROM steps") == []
    assert files.log.stat().st_size == 0


@LIMITS
def test_a_full_disk_stops_nothing_and_what_was_missed_is_written_later(limit):
    """A clear fault, searches and enrolments go on, the next checkpoint has everything."""
    files, references = GalleryDisk(), some(20)
    gallery = stored(files, limit)
    gallery.enrol(references[:8])
    gallery.checkpoint()
    files.fault = DirectoryFull("no room")
    gallery.enrol(references[8:])
    with pytest.raises(DirectoryFull):
        gallery.checkpoint()
    state, is_durable = gallery.state(), gallery.sync()
    during = held(gallery)
    files.fault = None
    gallery.checkpoint()

    assert during == expected(references)
    assert (state.fault, is_durable) == ("gallery_disk_full", False)
    assert gallery.state().fault == ""
    assert held(stored(files, limit)) == expected(references)


@LIMITS
def test_a_disk_that_is_really_full_is_a_fault_and_no_attempt_grows_the_file(limit):
    """Found by SQLite itself; with room again everything is written."""
    files = GalleryDisk()
    gallery = stored(files, limit)
    gallery.enrol(some(8))
    gallery.checkpoint()
    writer = gallery._snapshots.file._writing()
    ((pages,),) = writer.execute("PRAGMA page_count")
    writer.execute(f"PRAGMA max_page_count={pages}")
    gallery.enrol([reference_of(n, group=n) for n in range(100, 400)])
    sizes = []
    for _ in range(4):
        with pytest.raises(DirectoryFull):
            gallery.checkpoint()
        sizes.append(gallery.state().disk_bytes)
    assert gallery.state().fault == "gallery_disk_full"
    writer.execute("PRAGMA max_page_count=1000000")
    gallery.checkpoint()

    assert len(set(sizes[1:])) == 1
    assert len(stored(files.after_crash(), limit)) == 308


@pytest.mark.parametrize("in_place", [True, False])
@LIMITS
def test_an_erasure_is_kept_to_even_if_nothing_can_be_written(limit, in_place, monkeypatch):
    """It is overwritten in place; if even that fails, the file goes: there is the database."""
    files, clock = GalleryDisk(), Seconds()
    gallery = stored(files, limit, clock=clock)
    gallery.enrol(some(20))
    gallery.checkpoint()
    before = _sealed_pieces(files)
    files.fault = DirectoryFull("no room")
    if not in_place:
        monkeypatch.setattr(GalleryFile, "overwrite", _no_room)
    gallery.erase([reference_id(n) for n in range(18)])
    for _ in range(8):
        clock.now += 7.5
        gallery.maintain(60)
    rest = files.contents()
    kept = {row[0] for row in held(gallery)}
    damaged = gallery.pop_damaged()
    files.fault = None
    with gallery.step():
        gallery.erase(damaged)
        gallery.enrol([r for r in some(20) if r.reference_id in damaged])
    clock.now += 10
    gallery.maintain(60)

    assert kept == {reference_id(18), reference_id(19)}
    assert (len(damaged) == 2) is (limit != EXACT and not in_place)
    assert sum(piece in rest for piece in before) <= 2 * (CODE_BYTES + 28) // 16
    assert held(stored(files, limit)) == expected(some(20)[18:])


def _no_room(*_arguments):
    raise DirectoryFull("no room")


def test_an_erasure_in_place_waits_for_a_search_that_reads():
    """The file is not given up for it, nor any code that others need."""
    files, clock = GalleryDisk(), Seconds()
    gallery = stored(files, PACKED, clock=clock)
    gallery.enrol(some(8))
    gallery.checkpoint()
    reading, file = threading.Event(), gallery._snapshots.file
    reader = file._reader()

    def slow():
        reading.set()
        sleep(0.3)

    reader.create_function("slow", 0, slow)
    file._readers.append(reader)
    search = threading.Thread(target=file.read, args=["SELECT slow() FROM head"])
    files.fault = DirectoryFull("no room")
    gallery.erase([reference_id(1)])
    gallery.sync()
    clock.now += 50
    search.start()
    assert reading.wait(60)
    gallery.maintain(60)
    search.join()

    assert gallery.state().erasure_age_s == 0
    assert files.rows("SELECT count(*) FROM codes") == [(7,)]
    assert gallery.search([some(8)[2].template])[0].score == 1
    assert gallery.pop_damaged() == []


@LIMITS
def test_any_flipped_bit_is_noticed_and_nothing_damaged_is_served(limit):
    """In any stored file: noticed at start or by reading everything once."""
    chance = random.Random(1)  # noqa: S311 -- where to flip, not a secret
    files = GalleryDisk()
    gallery = stored(files, limit)
    gallery.enrol(some(20))
    gallery.checkpoint()
    with gallery.step(1):
        gallery.enrol(some(6, first=20))
        gallery.erase([reference_id(3)])
    gallery.sync()
    sound = expected(r for r in some(26) if r.reference_id != reference_id(3))
    for _ in range(60):
        damaged = files.after_crash()
        path = chance.choice([damaged.path, damaged.log])
        data = bytearray(path.read_bytes())
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        path.write_bytes(data)
        try:
            again = stored(damaged, limit)
        except ForeignGallery:
            continue
        again.verify()
        bad = set(again.pop_damaged())

        served = {row for row in held(again) if row[0] not in bad}
        is_noticed = again.state().damage_count > 0 or again.sequence < 1
        assert is_noticed or held(again) == sound, path
        assert {row for row in served if row[0] != reference_id(3)} <= sound


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"key": b"x" * 32}, ForeignKey),
        ({"model": replace(MODEL, extractor="other-1")}, ForeignModel),
        ({"model": replace(MODEL, dimension=32)}, ForeignModel),
        ({"model": replace(MODEL, code_bytes=256)}, ForeignModel),
        ({"model": replace(MODEL, bits=1)}, ForeignModel),
    ],
)
def test_a_gallery_of_another_key_or_model_is_refused(change, fault):
    """Each by its own name, and nothing is touched: the files may be somebody's."""
    files = GalleryDisk()
    gallery = stored(files)
    gallery.enrol(some(4))
    gallery.checkpoint()
    gallery.close()
    before = files.path.read_bytes()

    with pytest.raises(fault):
        stored(files, **change)
    assert files.path.read_bytes() == before


@pytest.mark.parametrize(
    ("pragma", "fault"), [("application_id", ForeignFile), ("user_version", ForeignVersion)]
)
def test_a_file_of_something_else_or_of_another_version_is_refused(pragma, fault):
    """A file of the future is not damage."""
    files = GalleryDisk()
    stored(files).checkpoint()
    files.change(f"PRAGMA {pragma}=77")

    with pytest.raises(fault):
        stored(files)


def test_a_file_that_is_no_database_is_damage_and_no_reason_not_to_start():
    """It is a cache."""
    files = GalleryDisk()
    files.path.write_bytes(b"\x89PNG\r\n\x1a\n" * 1000)

    assert not stored(files).is_whole


@pytest.mark.parametrize(
    "head", [b"[]", b"null", b"\xff", b'{"salt": 7}', b"[" * 9_999, 7, None]
)
def test_a_head_that_somebody_made_up_is_damage_and_no_reason_not_to_start(head):
    """Anybody can write it; the key is asked for only behind it."""
    files = GalleryDisk()
    stored(files).checkpoint()
    files.change("UPDATE head SET clear = ?", head)

    assert not stored(files).is_whole


def test_damage_is_made_good_by_bringing_it_again():
    """A damaged block is empty until its references come again; then nothing is missing."""
    files, references = GalleryDisk(), some(20)
    gallery = stored(files, PACKED)
    gallery.enrol(references)
    gallery.checkpoint()
    files.flip("blocks")
    again = stored(files, PACKED)
    missing = [r for r in references if r.reference_id not in again]
    again.enrol(missing)
    again.checkpoint()

    assert not again.is_whole
    assert len(missing) == 20
    third = stored(files, PACKED)
    assert (third.is_whole, held(third), third.verify()) == (True, expected(references), 0)


def test_a_damaged_code_is_never_served_and_its_reference_is_named():
    """Its owner is not found until the reference is brought again; nobody else is taken for."""
    files, references = GalleryDisk(), [reference_of(n, group=n) for n in range(8)]
    gallery = stored(files, PACKED)
    gallery.enrol(references)
    gallery.checkpoint()
    files.flip("codes", 0)
    first, *_ = gallery.search([references[0].template])
    (damaged,) = gallery.pop_damaged()
    with gallery.step():
        gallery.erase([damaged])
        gallery.enrol([r for r in references if r.reference_id == damaged])

    assert first.score < 1
    assert gallery.pop_damaged() == []
    assert gallery.search([references[0].template])[0].score == 1


@pytest.mark.parametrize("instead", [7, 1.5, None, b""])
def test_what_is_no_code_at_all_is_a_damaged_one(instead):
    """A flipped bit may change the kind of a value."""
    files, references = GalleryDisk(), [reference_of(n, group=n) for n in range(4)]
    gallery = stored(files, PACKED)
    gallery.enrol(references)
    gallery.checkpoint()
    files.change("UPDATE codes SET sealed = ? WHERE slot = 0", instead)

    assert gallery.search([references[0].template])[0].score < 1
    assert gallery.verify() == 1
    assert gallery.pop_damaged() == [reference_id(0)]


def test_the_code_of_nobody_leaves_within_the_lag():
    """Somebody may have been erased whose block was lost."""
    files, clock = GalleryDisk(), Seconds()
    gallery = stored(files, PACKED, clock=clock)
    gallery.enrol(some(4))
    gallery.checkpoint()
    files.change("INSERT INTO codes SELECT 99, sealed FROM codes WHERE slot = 0")

    assert gallery.verify() == 1
    clock.now += 40
    gallery.maintain(60)
    assert files.rows("SELECT slot FROM codes WHERE slot = 99") == []


def test_a_slot_that_is_used_again_during_a_search_is_compared_anew(monkeypatch):
    """The search that saw it change must not keep what it made of the two."""
    gallery = stored(GalleryDisk(), PACKED)
    gallery.enrol(some(4))
    gallery.checkpoint()
    records, newer = gallery._gallery.active._records, reference_of(40, group=40)
    real = records.names

    def names(slots):
        seen = real(slots)
        monkeypatch.undo()
        gallery.erase([reference_id(0)])
        gallery.enrol([newer])
        return seen

    monkeypatch.setattr(records, "names", names)
    found = gallery.search([newer.template])

    assert (records.slot_count, records.find(newer.reference_id)) == (4, 0)
    assert (found[0].group_id, found[0].score) == (newer.group_id, 1)


def test_a_step_that_raises_keeps_what_was_done_and_takes_no_number():
    """Whoever follows a sequence comes again with the same number."""
    files = GalleryDisk()
    gallery = stored(files)
    gallery.checkpoint()
    with pytest.raises(RuntimeError), gallery.step(5):
        gallery.enrol(some(2))
        raise RuntimeError
    gallery.sync()
    again = stored(files)

    assert (again.sequence, len(again)) == (-1, 2)


def test_without_a_log_no_step_is_laid_out(monkeypatch):
    """Filling a new gallery with a million rows would copy each of them for nothing."""
    laid_out = Mock(wraps=columns_of)
    monkeypatch.setattr(pending_writes, "columns_of", laid_out)
    gallery = stored(GalleryDisk())
    gallery.enrol(some(3))

    assert laid_out.call_count == 0
    gallery.checkpoint()
    gallery.enrol(some(1, first=3))
    assert laid_out.call_count == 1


def test_beginning_anew_forgets_everything():
    """After another history was restored under the gallery's feet."""
    files = GalleryDisk()
    gallery = stored(files, PACKED)
    gallery.enrol(some(4))
    gallery.checkpoint()
    gallery.reset()

    assert (len(gallery), gallery.sequence, files.path.exists()) == (0, -1, False)
    assert np.array_equal(gallery.names(), np.zeros((0, 32), np.uint8))


def test_a_disk_that_fails_is_a_fault_of_its_own():
    """Not only a full one."""
    files = GalleryDisk()
    gallery = stored(files)
    files.fault = DirectoryFault("input or output failed")

    with pytest.raises(DirectoryFault):
        gallery.checkpoint()
    assert gallery.state().fault == "gallery_directory_fault"


def test_a_sync_tells_whether_everything_is_durable():
    """After a start that replayed steps nothing is, until a checkpoint was made."""
    files = GalleryDisk()
    gallery = stored(files)
    before = gallery.sync()
    gallery.checkpoint()
    gallery.enrol(some(2))
    after = gallery.sync()
    again = stored(files)
    again.enrol(some(2, first=2))
    replayed = again.sync()
    again.checkpoint()

    assert (before, after, replayed, again.sync()) == (False, True, False, True)


def _restarted(files):
    """Change something after a restart: the log on disk is not gone on with."""
    again = stored(files)
    with again.step(3):
        again.erase([reference_id(1)])
    return again


def _on_a_full_disk(files):
    """Change something while there is no room for the log's next step."""
    again = stored(files)
    again.checkpoint()
    files.fault = DirectoryFull("no room")
    with again.step(3):
        again.erase([reference_id(1)])
    again.sync()
    files.fault = None
    return again


def _after_a_failed_checkpoint(files):
    """Change something after a checkpoint failed when it had turned to a new log."""
    again = stored(files)
    files.fault = DirectoryFull("no room")
    with pytest.raises(DirectoryFault):
        again.checkpoint()
    files.fault = None
    with again.step(3):
        again.erase([reference_id(1)])
    return again


@pytest.mark.parametrize("miss", [_restarted, _on_a_full_disk, _after_a_failed_checkpoint])
def test_no_log_goes_on_past_a_step_that_none_holds(miss):
    """Else a kill during the next checkpoint brings back whom that step erased."""
    files, left = GalleryDisk(), []
    gallery = stored(files)
    with gallery.step(1):
        gallery.enrol(some(2))
    gallery.checkpoint()
    with gallery.step(2):
        gallery.enrol(some(2, first=2))
    gallery.sync()
    again = miss(files)
    with again.step(4):
        again.enrol(some(1, first=4))
    assert not again.sync()
    files.before_commit = lambda: left.append(files.after_crash())
    again.checkpoint()
    killed = stored(left[0])

    assert killed.sequence == 2
    assert held(killed) == expected(some(4))


@pytest.mark.parametrize(
    "damage", ["DELETE FROM head", "ALTER TABLE blocks RENAME TO blockz", "DROP TABLE steps"]
)
@LIMITS
def test_pages_that_sqlite_cannot_read_are_noticed_and_the_database_is_asked(limit, damage):
    """Its own structure is damaged: what is in memory goes with the file."""
    files = GalleryDisk()
    gallery = stored(files, limit)
    with gallery.step(1):
        gallery.enrol(some(8))
    gallery.checkpoint()
    files.change(damage)

    assert gallery.verify() == 1
    assert (len(gallery), gallery.sequence, gallery.is_whole) == (0, -1, False)
    gallery.enrol(some(8))
    gallery.checkpoint()
    assert held(stored(files, limit)) == expected(some(8))


@pytest.mark.parametrize("has_written", [False, True])
def test_whoever_searches_a_gallery_that_is_removed_searches_on(has_written):
    """A search began on it; under a new key another one has taken its place meanwhile."""
    files, references = GalleryDisk(), some(12)
    gallery = stored(files, PACKED)
    gallery.enrol(references)
    gallery.checkpoint()
    gallery.close()
    again = stored(files, PACKED)
    if has_written:
        again.checkpoint()
    remove_file(files.path)
    found = again.search([references[4].template])

    assert (found[0].group_id, found[0].score) == (references[4].group_id, 1)
    assert not files.path.exists()


def test_searches_are_repeated_exactly_and_counted():
    """What a shadow sees is worth nothing unless live searches reach it and it is told."""
    gallery = StoredGallery(GalleryDisk().file(MODEL, KEY), limit=EXACT, shadow_share=1.0)
    gallery.enrol([reference_of(n, group=n) for n in range(5)])
    gallery.search([template_of(1)])
    gallery.search([template_of(2)], exact=True)
    gallery.close()

    assert gallery.state().shadow.repeated == 1
    assert gallery.state().shadow.differing == 0
