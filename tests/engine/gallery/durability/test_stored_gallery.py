"""stored: a gallery that comes back as it was, whatever happened to the machine."""

import random
from dataclasses import replace
from functools import partial
from itertools import pairwise

import pytest

from engine.errors import DirectoryFull
from engine.gallery.durability.state import RowFormat
from engine.gallery.durability.stored import StoredGallery
from engine.gallery.port import UNKNOWN_POSITION, Position
from engine.gallery.search.memory_gallery import MemoryGallery
from engine.parameters import CODE_BYTES
from engine.types import Hand, Reference, ReferenceId
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
ROWS = RowFormat(FAKE_EXTRACTOR, FAKE_DIMENSION, CODE_BYTES)
SMALL, PACKED = 1_000, 0
"""Rows up to which searches are exact."""

LIMITS = pytest.mark.parametrize("limit", [SMALL, PACKED])


class Seconds:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now


def stored(disk, limit=PACKED, key=KEY, rows=ROWS, clock=None, **options):
    """Open a gallery."""
    new = partial(MemoryGallery, exact_rows=limit, segment_rows=32)
    return StoredGallery(
        disk.file(rows, key), new_gallery=new, clock=clock or Seconds(), **options
    )


def held(gallery):
    """Return what a gallery holds: identifier, group, hand and code."""
    groups = {bytes(name[16:]) for name in gallery.names()}
    numbers = [n for n in range(500) if group_id(n).bytes in groups]
    return expected(r for n in numbers for r in gallery.references_of(group_id(n)))


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


def position(sequence):
    """Return a position in the history."""
    return Position(sequence, bytes([sequence]) * 16)


def written(count=20, limit=PACKED, clock=None):
    """Return a disk with some references, and their gallery."""
    disk = GalleryDisk()
    gallery = stored(disk, limit, clock=clock)
    gallery.enrol(some(count))
    gallery.reach(position(1))
    gallery.checkpoint()
    return disk, gallery


@LIMITS
def test_a_gallery_of_hundreds_comes_back_as_an_exact_search_sees_it(limit):
    """Packed rows are read as they were written, on the right rows."""
    disk = GalleryDisk()
    gallery = stored(disk, limit)
    gallery.enrol([reference_of(n, group=n, noise=0.05) for n in range(1_200)])
    gallery.erase([reference_id(n) for n in range(0, 1_200, 7)])
    gallery.checkpoint()
    again = stored(disk, limit)
    again.enrol([reference_of(n, group=n, noise=0.05) for n in range(0, 1_200, 14)])

    assert len(disk.rows("SELECT number FROM blocks")) == 5
    for group in range(0, 1_200, 5):
        probe = template_of(group, noise=0.05, sample=9)
        gone = group % 7 == 0 and group % 14 != 0
        found = again.gallery.search([probe])[0].group_id
        assert (found == group_id(group)) is not gone


class Database:
    """A history of changes, and a gallery that follows it as ``GallerySync`` does."""

    def __init__(self) -> None:
        self.states: list[dict[ReferenceId, Reference]] = [{}]

    def change(self, erased, put):
        """Erase some numbers and enrol others, as one change."""
        state = dict(self.states[-1])
        for number in erased:
            state.pop(reference_id(number), None)
        state |= {r.reference_id: r for r in put}
        self.states.append(state)

    def follow(self, gallery):
        """Apply what changed since the gallery's position, in any half-done state of it."""
        since = max(gallery.position.sequence, 0)
        now, steps = self.states[-1], self.states[since:]
        changed = set().union(*steps) if gallery.position == UNKNOWN_POSITION else set()
        for before, after in pairwise(steps):
            changed |= {name for name, _ in before.items() ^ after.items()}
        gallery.erase([name for name in changed if name in gallery and name not in now])
        gallery.enrol([now[n] for n in sorted(changed) if n in now and n not in gallery])
        gallery.reach(position(len(self.states) - 1))


@pytest.mark.parametrize("cached_pages", [-2_000, 1])
def test_a_process_that_is_killed_within_a_snapshot_loses_nothing(cached_pages):
    """The new snapshot is there or not at all, however much of it is on the disk."""
    disk, gallery = written()
    left = []
    gallery._file._database().execute(f"PRAGMA cache_size={cached_pages}")
    gallery.erase([reference_id(3)])
    gallery.enrol(some(2_000, first=20))
    disk.before_commit = lambda: left.append(disk.after_crash())
    gallery.checkpoint()
    again = stored(left[0])

    assert again.position == position(1)
    assert {row[0] for row in held(again)} == {reference_id(n) for n in range(20)}


def test_a_change_while_a_snapshot_is_written_is_in_the_next():
    """Its block may be written already."""
    clock = Seconds()
    disk, gallery = written(clock=clock)

    def change():
        disk.before_commit = lambda: None
        gallery.erase([reference_id(0)])
        gallery.enrol(some(1, first=50))

    disk.before_commit = change
    gallery.enrol(some(1, first=40))
    gallery.checkpoint()
    clock.now += 40
    waiting = gallery.state().erasure_age_s
    gallery.maintain(60)
    names = {row[0] for row in held(stored(disk.after_crash()))}

    assert waiting == 40
    assert names == {reference_id(n) for n in [*range(1, 20), 40, 50]}


def _encrypted_pieces(disk):
    """Cut all ciphertext into unique pieces, without those that two pages share."""
    contents = [c for (c,) in disk.rows("SELECT encrypted FROM blocks")]
    pieces = (c[i : i + 32] for c in contents for i in range(0, len(c) - 32, 999))
    there = disk.contents()
    return [piece for piece in pieces if piece in there]


@LIMITS
def test_no_file_holds_what_was_erased_after_a_snapshot(limit):
    """Ciphertext included."""
    disk, gallery = written(8, limit)
    before = _encrypted_pieces(disk)
    gallery.erase([reference_id(n) for n in range(8)])
    gallery.checkpoint()
    after = disk.contents()

    assert len(before) > 100
    assert not [piece for piece in before if piece in after]
    assert gallery.state().erasure_age_s == 0


@pytest.mark.parametrize("change", ["erase", "enrol", "reach"])
def test_every_change_makes_a_snapshot_due_within_the_lag(change):
    """No caller has to ask for it; without a change none is written."""
    clock = Seconds()
    disk, gallery = written(8, clock=clock)
    clock.now += 1000
    gallery.maintain(60)
    before = disk.contents()
    {
        "erase": lambda: gallery.erase([reference_id(1)]),
        "enrol": lambda: gallery.enrol(some(1, first=30)),
        "reach": lambda: gallery.reach(position(2)),
    }[change]()
    clock.now += 20
    gallery.maintain(60)
    waiting, age = stored(disk.after_crash()), gallery.state().erasure_age_s
    clock.now += 20
    gallery.maintain(60)
    again = stored(disk.after_crash())

    assert len(before) > 0
    assert age == (20 if change == "erase" else 0)
    assert (len(waiting.gallery), waiting.position) == (8, position(1))
    assert (held(again), again.position) == (held(gallery), gallery.position)
    assert gallery.state().erasure_age_s == 0


def test_a_disk_that_is_really_full_is_a_fault_and_no_attempt_grows_the_file():
    """Found by SQLite itself; with space again everything is written."""
    disk, gallery = written(8)
    writer = gallery._file._database()
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
    assert len(stored(disk.after_crash()).gallery) == 308


def test_an_erasure_is_kept_to_even_if_nothing_can_be_written():
    """The snapshot goes, and with it what it held."""
    clock = Seconds()
    disk, gallery = written(clock=clock)
    before = _encrypted_pieces(disk)
    disk.fault = DirectoryFull("no space")
    gallery.erase([reference_id(n) for n in range(18)])
    for _ in range(8):
        clock.now += 7.5
        gallery.maintain(60)
    rest = disk.contents()
    age = gallery.state().erasure_age_s
    disk.fault = None
    clock.now += 10
    gallery.maintain(60)

    assert age == 0
    assert not any(piece in rest for piece in before)
    assert held(stored(disk)) == expected(some(20)[18:])


def test_any_flipped_bit_is_noticed_and_nothing_damaged_is_served():
    """Noticed at start or by reading everything once."""
    chance = random.Random(1)  # noqa: S311 -- where to flip, not a secret
    disk, _ = written(26)
    sound = expected(some(26))
    for _ in range(60):
        damaged = disk.after_crash()
        data = bytearray(damaged.path.read_bytes())
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        damaged.path.write_bytes(data)
        again = stored(damaged)
        again.verify()

        assert again.state().damage_count > 0 or held(again) == sound
        assert held(again) <= sound


@pytest.mark.parametrize(
    "change",
    [
        {"key": b"x" * 32},
        {"rows": replace(ROWS, extractor="other-1")},
        {"rows": replace(ROWS, dimension=32)},
        {"rows": replace(ROWS, code_bytes=256)},
        "application_id",
        "user_version",
    ],
)
def test_a_file_of_another_gallery_or_version_is_begun_again(change):
    """It is a cache: the database has everything, and nothing of before is searched."""
    disk, gallery = written(4)
    gallery.close()
    if isinstance(change, str):
        disk.change(f"PRAGMA {change}=77")
    again = stored(disk, **change) if isinstance(change, dict) else stored(disk)

    assert (len(again.gallery), again.position) == (0, UNKNOWN_POSITION)
    assert again.state().fault == "gallery_foreign"
    assert not disk.path.exists()


@pytest.mark.parametrize(
    "damage",
    ["DELETE FROM head", "ALTER TABLE blocks RENAME TO blockz", "text", "head", "blocks"],
)
def test_a_file_that_cannot_be_read_is_noticed_and_written_again(damage):
    """While the service runs memory has everything; at a start the database has."""
    disk, gallery = written(8)
    if damage == "text":
        disk.path.write_text("nonsense")
    elif damage == "head":
        disk.flip("head", 40)
    elif damage == "blocks":
        disk.flip("blocks")
    else:
        disk.change(damage)
    fresh = stored(disk.after_crash())
    noticed = gallery.verify()
    gallery.maintain(60)

    assert (len(fresh.gallery), fresh.position) == (0, UNKNOWN_POSITION)
    assert (noticed, gallery.verify()) == (1, 0)
    assert held(stored(disk)) == held(gallery) == expected(some(8))
