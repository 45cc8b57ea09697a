"""stored: a gallery that comes back as it was, whatever happened to the machine."""

from __future__ import annotations

import random
import struct
import zlib
from contextlib import suppress
from dataclasses import replace
from unittest.mock import Mock

import numpy as np
import pytest

from engine.errors import (
    DirectoryFault,
    DirectoryFull,
    ForeignFile,
    ForeignKey,
    ForeignModel,
    ForeignVersion,
)
from engine.gallery.durability import pending_writes
from engine.gallery.durability.directory import MANIFEST, Directory
from engine.gallery.durability.manifest import RowFormat
from engine.gallery.durability.stored import StoredGallery
from engine.gallery.rows.columns import columns_of
from engine.gallery.search.packed import PackedGallery
from engine.parameters import CODE_BYTES
from engine.types import Hand, Reference
from tests.fakes.engine.crash_files import CrashFiles, PowerCut
from tests.fakes.engine.templates import (
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
        Directory(files, model, key),
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
    files, references = CrashFiles(), some(20)
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
def test_steps_after_the_snapshot_come_back_from_the_journal(limit):
    """What was enrolled, replaced and erased since is so again."""
    files, references = CrashFiles(), some(12)
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
    files = CrashFiles()
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


def live(files, limit):
    """Live that life; return after each call what is certain: sequence and references."""
    certain: list[tuple[int, dict[int, Reference]]] = [(-1, {})]
    states: dict[int, dict[int, Reference]] = {-1: {}}
    try:
        gallery = stored(files, limit)
        gallery.checkpoint()
        for number, (erased, put, alive) in enumerate(history()):
            states[number] = alive
            with gallery.step(number):
                gone = [reference_id(n) for n in erased]
                gone += [r.reference_id for r in put if r.reference_id in gallery]
                gallery.erase(gone)
                gallery.enrol(put)
            if number in (1, 4):
                gallery.checkpoint()
                certain.append((number, alive))
            elif number % 2:
                gallery.sync()
                certain.append((number, alive))
    except PowerCut:
        pass
    return certain[-1][0], states


@LIMITS
def test_a_power_cut_at_any_write_loses_nothing_and_resurrects_nothing(limit):
    """The state after it is one that was: not older than the last that was made durable."""
    whole = CrashFiles()
    live(whole, limit)
    for cut in range(1, whole.write_count + 1):
        for seed in (None, 1, 2, 3):
            files = CrashFiles()
            files.cut_at = cut
            certain, states = live(files, limit)
            chance = None if seed is None else random.Random(100 * cut + seed)  # noqa: S311
            left = files.after_power_cut(chance)
            again = stored(left, limit)
            at = (cut, seed)
            if certain >= 0:
                assert again.is_whole, at
            assert again.sequence >= certain, at
            assert held(again) == expected(states[again.sequence].values()), at
            again.checkpoint()
            twice = stored(left.after_power_cut(), limit)
            assert held(twice) == held(again), at
            assert twice.verify() == 0, at


@LIMITS
def test_a_second_power_cut_while_it_comes_back_changes_nothing(limit):
    """What the first one left is read, put in order and written anew: also all or nothing."""
    chance = random.Random(limit)  # noqa: S311 -- when the power goes, and what survives
    whole = CrashFiles()
    live(whole, limit)
    for _ in range(25):
        files = CrashFiles()
        files.cut_at = cut = chance.randrange(1, whole.write_count + 1)
        live(files, limit)
        left = files.after_power_cut(chance)
        before = stored(left.after_power_cut(), limit)
        left.cut_at = second = chance.randrange(1, 12)
        with suppress(PowerCut):
            stored(left, limit).checkpoint()
        again = stored(left.after_power_cut(chance), limit)

        assert again.sequence == before.sequence, (cut, second)
        assert held(again) == held(before), (cut, second)


@LIMITS
def test_no_file_holds_what_was_erased_after_a_checkpoint(limit):
    """Ciphertext included: what was sealed for it before is in no file any more."""
    files = CrashFiles()
    gallery = stored(files, limit)
    gallery.enrol(some(8))
    gallery.checkpoint()
    gallery.enrol(some(4, first=8))
    before = _sealed_pieces(files)
    gallery.erase([reference_id(n) for n in range(12)])
    assert gallery.state().erasure_age_s == 0.0
    gallery.checkpoint()

    after = b"".join(files.contents().values())
    assert len(before) > 20
    assert not [piece for piece in before if piece in after]


def _sealed_pieces(files):
    """Cut all ciphertext into pieces long enough to be nobody else's."""
    contents = [c for name, c in files.contents().items() if name != MANIFEST]
    pieces = [c[i : i + 32] for c in contents for i in range(0, len(c) - 32, 32)]
    return [piece for piece in pieces if any(piece)]


@LIMITS
def test_an_erasure_makes_a_checkpoint_due_within_its_lag(limit):
    """Nobody has to ask for it."""
    files, clock = CrashFiles(), Seconds()
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
    assert not any(n.startswith("journal") and files.size(n) for n in files.names())


@LIMITS
def test_a_full_disk_stops_nothing_and_what_was_missed_is_written_later(limit):
    """A clear fault, searches and enrolments go on, the next checkpoint has everything."""
    files, references = CrashFiles(), some(20)
    gallery = stored(files, limit)
    gallery.enrol(references[:8])
    gallery.checkpoint()
    files.room = 0
    gallery.enrol(references[8:])
    with pytest.raises(DirectoryFull):
        gallery.checkpoint()
    state = gallery.state()
    during = held(gallery)
    files.room = None
    gallery.checkpoint()

    assert during == expected(references)
    assert (state.fault, state.is_journaled) == ("gallery_disk_full", False)
    assert gallery.state().fault == ""
    assert held(stored(files, limit)) == expected(references)


class _SmallDisk(CrashFiles):
    """Has room for so many writes; the next one is broken off in its middle."""

    writes_left = 1_000

    def write_at(self, name, offset, data):
        """Write into a file."""
        if self.writes_left == 0:
            super().write_at(name, offset, data[: len(data) // 2])
            raise DirectoryFull("no room")
        self.writes_left -= 1
        super().write_at(name, offset, data)


@LIMITS
def test_a_snapshot_that_finds_no_room_leaves_nothing_behind(limit):
    """Else each attempt leaves as much again, and a full disk stays full for good."""
    files = _SmallDisk()
    gallery = stored(files, limit)
    gallery.enrol(some(8))
    gallery.checkpoint()
    gallery.enrol(some(40, first=8))
    before, attempts = files.names(), 0
    while gallery.state().fault or not attempts:
        files.writes_left = attempts
        with suppress(DirectoryFull):
            gallery.checkpoint()
            break
        assert files.names() == before, attempts
        attempts += 1

    assert attempts >= 2
    assert held(stored(files.after_power_cut(), limit)) == expected(some(48))


@LIMITS
def test_an_erasure_is_kept_to_even_if_nothing_can_be_written(limit):
    """Then the files go: there is always the database, and no second chance to be in time."""
    files, clock = CrashFiles(), Seconds()
    gallery = stored(files, limit, clock=clock)
    gallery.enrol(some(20))
    gallery.checkpoint()
    before = _sealed_pieces(files)
    files.room = 0
    gallery.erase([reference_id(n) for n in range(18)])
    for _ in range(8):
        clock.now += 7.5
        gallery.maintain(60)
    rest = b"".join(files.contents().values())
    kept = held(gallery)
    files.room = None
    clock.now += 10
    gallery.maintain(60)

    assert kept == expected(some(20)[18:])
    assert sum(piece in rest for piece in before) <= 2 * (CODE_BYTES + 28) // 32
    assert held(stored(files, limit)) == expected(some(20)[18:])


@LIMITS
def test_any_flipped_bit_is_noticed_and_nothing_damaged_is_served(limit):
    """In any stored file: noticed at start or by reading everything once."""
    chance = random.Random(1)  # noqa: S311 -- where to flip, not a secret
    files = CrashFiles()
    gallery = stored(files, limit)
    gallery.enrol(some(20))
    gallery.checkpoint()
    with gallery.step(1):
        gallery.enrol(some(6, first=20))
        gallery.erase([reference_id(3)])
    gallery.sync()
    sound = expected(r for r in some(26) if r.reference_id != reference_id(3))
    for _ in range(40):
        damaged = files.after_power_cut()
        name = chance.choice([n for n in damaged.names() if damaged.size(n)])
        damaged.flip(name, chance.randrange(damaged.size(name)), chance.randrange(8))
        try:
            again = stored(damaged, limit)
        except (ForeignFile, ForeignVersion):
            continue
        again.verify()
        bad = set(again.pop_damaged())

        assert again.state().damage_count > 0, name
        served = {row for row in held(again) if row[0] not in bad}
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
    files = CrashFiles()
    gallery = stored(files)
    gallery.enrol(some(4))
    gallery.checkpoint()
    before = files.contents()

    with pytest.raises(fault):
        stored(files, **change)
    assert files.contents() == before


@pytest.mark.parametrize(
    ("offset", "bytes_", "fault"),
    [(0, b"\x89PNG\r\n\x1a\n", ForeignFile), (8, b"\x02", ForeignVersion)],
)
def test_a_file_of_something_else_or_of_another_version_is_refused(offset, bytes_, fault):
    """A manifest of the future is not damage."""
    files = CrashFiles()
    stored(files).checkpoint()
    files.write_at(MANIFEST, offset, bytes_)

    with pytest.raises(fault):
        stored(files)


@pytest.mark.parametrize("head", [b"[]", b"null", b"\xff", b'{"directory": 7}', b"[" * 9_999])
def test_a_head_that_somebody_made_up_is_damage_and_no_reason_not_to_start(head):
    """Anybody can write a right check sum; the key is asked for only behind the head."""
    files = CrashFiles()
    stored(files).checkpoint()
    body = struct.pack("<8sII", b"THNRGALL", 1, len(head)) + head + bytes(40)
    files.resize(MANIFEST, 0)
    files.write_at(MANIFEST, 0, body + struct.pack("<I", zlib.crc32(body)))

    with suppress(ForeignKey):
        assert not stored(files).is_whole


def test_damage_is_made_good_by_bringing_it_again():
    """A damaged block is empty until its references come again; then nothing is missing."""
    files, references = CrashFiles(), some(20)
    gallery = stored(files, PACKED)
    gallery.enrol(references)
    gallery.checkpoint()
    name = next(n for n in files.names() if n.startswith("rows"))
    files.flip(name, 100, 1)
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
    files, references = CrashFiles(), [reference_of(n, group=n) for n in range(8)]
    gallery = stored(files, PACKED)
    gallery.enrol(references)
    gallery.checkpoint()
    name = next(n for n in files.names() if n.startswith("codes"))
    files.flip(name, 0, 3)
    first, *_ = gallery.search([references[0].template])
    (damaged,) = gallery.pop_damaged()
    with gallery.step():
        gallery.erase([damaged])
        gallery.enrol([r for r in references if r.reference_id == damaged])

    assert first.score < 1
    assert gallery.pop_damaged() == []
    assert gallery.search([references[0].template])[0].score == 1


def test_a_step_that_raises_keeps_what_was_done_and_takes_no_number():
    """Whoever follows a sequence comes again with the same number."""
    files = CrashFiles()
    gallery = stored(files)
    gallery.checkpoint()
    with pytest.raises(RuntimeError), gallery.step(5):
        gallery.enrol(some(2))
        raise RuntimeError
    gallery.sync()
    again = stored(files)

    assert (again.sequence, len(again)) == (-1, 2)


def test_without_a_journal_no_step_is_laid_out(monkeypatch):
    """Filling a new gallery with a million rows would copy each of them for nothing."""
    laid_out = Mock(wraps=columns_of)
    monkeypatch.setattr(pending_writes, "columns_of", laid_out)
    gallery = stored(CrashFiles())
    gallery.enrol(some(3))

    assert laid_out.call_count == 0
    gallery.checkpoint()
    gallery.enrol(some(1, first=3))
    assert laid_out.call_count == 1


def test_beginning_anew_forgets_everything():
    """After another history was restored under the gallery's feet."""
    files = CrashFiles()
    gallery = stored(files, PACKED)
    gallery.enrol(some(4))
    gallery.checkpoint()
    gallery.reset()

    assert (len(gallery), gallery.sequence, files.names()) == (0, -1, [])
    assert np.array_equal(gallery.names(), np.zeros((0, 32), np.uint8))


def test_a_disk_that_fails_is_a_fault_of_its_own():
    """Not only a full one."""
    files = CrashFiles()
    gallery = stored(files)
    files.is_broken = True

    with pytest.raises(DirectoryFault):
        gallery.checkpoint()
    assert gallery.state().fault == "gallery_directory_fault"


class _Leaving(CrashFiles):
    """May name a file that a checkpoint removes before anybody looks at it."""

    gone: tuple[str, ...] = ()

    def names(self):
        """Return the names of all files, and of those that are gone."""
        return [*super().names(), *self.gone]


def test_a_file_that_goes_while_sizes_are_told_is_no_fault():
    """A monitor asks at any moment; the service is well."""
    files = _Leaving()
    gallery = stored(files)
    gallery.enrol(some(4))
    gallery.checkpoint()
    files.gone = ("rows-000000-00000000",)

    assert gallery.state().disk_bytes == sum(map(len, files.contents().values()))


def test_a_sync_tells_whether_everything_is_durable():
    """After a start that replayed a journal nothing is, until a checkpoint was made."""
    files = CrashFiles()
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


class _InTheMiddle(CrashFiles):
    """Lets something happen just before a manifest takes the place of the last one."""

    between = staticmethod(lambda: None)

    def rename(self, old, new):
        """Give a file a name, after what is to happen has happened."""
        self.between()
        super().rename(old, new)


def _restarted(files):
    """Change something after a restart: the journal on disk is not gone on with."""
    again = stored(files)
    with again.step(3):
        again.erase([reference_id(1)])
    return again


def _on_a_full_disk(files):
    """Change something while there is no room for the journal's next record."""
    again = stored(files)
    again.checkpoint()
    files.room = 0
    with again.step(3):
        again.erase([reference_id(1)])
    files.room = None
    return again


def _after_a_failed_checkpoint(files):
    """Change something after a checkpoint failed when it had turned to a new journal."""
    again = stored(files)
    files.between = lambda: setattr(files, "is_broken", True)
    with pytest.raises(DirectoryFault):
        again.checkpoint()
    files.is_broken = False
    with again.step(3):
        again.erase([reference_id(1)])
    return again


@pytest.mark.parametrize("miss", [_restarted, _on_a_full_disk, _after_a_failed_checkpoint])
def test_no_journal_goes_on_past_a_step_that_none_holds(miss):
    """Else a power cut during the next checkpoint brings back whom that step erased."""
    files = _InTheMiddle()
    gallery = stored(files)
    with gallery.step(1):
        gallery.enrol(some(2))
    gallery.checkpoint()
    with gallery.step(2):
        gallery.enrol(some(2, first=2))
    gallery.sync()
    again = miss(files)

    def go_on_and_lose_power():
        with again.step(4):
            again.enrol(some(1, first=4))
        again.sync()
        files.cut_at = 0

    files.between = go_on_and_lose_power
    with pytest.raises(PowerCut):
        again.checkpoint()
    left = stored(files.after_power_cut())

    assert left.sequence == 2
    assert held(left) == expected(some(4))


def test_searches_are_repeated_exactly_and_counted():
    """What a shadow sees is worth nothing unless live searches reach it and it is told."""
    gallery = StoredGallery(Directory(CrashFiles(), MODEL, KEY), limit=EXACT, shadow_share=1.0)
    gallery.enrol([reference_of(n, group=n) for n in range(5)])
    gallery.search([template_of(1)])
    gallery.search([template_of(2)], exact=True)
    gallery.close()

    assert gallery.state().shadow.repeated == 1
    assert gallery.state().shadow.differing == 0
