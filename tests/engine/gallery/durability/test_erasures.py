"""erasures: the list that no backup may undo."""

from __future__ import annotations

import random
from uuid import UUID

import pytest

from engine.errors import DirectoryFull, ForeignFile
from engine.gallery.durability.erasures import NAME, ErasureList
from engine.types import GroupId
from tests.fakes.engine.crash_files import CrashFiles, PowerCut

GROUPS = [GroupId(UUID(int=n, version=4)) for n in range(1, 9)]


def test_who_was_noted_is_there_after_a_power_cut():
    """An erasure is noted durably or not at all."""
    whole = CrashFiles()
    ErasureList(whole).add(GROUPS[:3])
    for cut in range(1, whole.write_count + 4):
        for seed in (None, 1, 2, 3, 4, 5):
            files, noted = CrashFiles(), []
            files.cut_at = cut
            try:
                erasures = ErasureList(files)
                for group in GROUPS[:3]:
                    erasures.add([group])
                    noted.append(group)
            except PowerCut:
                pass
            chance = None if seed is None else random.Random(10 * cut + seed)  # noqa: S311
            again = ErasureList(files.after_power_cut(chance))

            assert set(noted) <= set(again) <= set(GROUPS[:3])
            again.add(GROUPS[3:])
            assert set(GROUPS[3:]) <= set(again)


def test_a_file_whose_name_a_killed_process_left_unsynced_is_named():
    """It is found there, and yet the power would take it with all that is noted next."""
    whole = CrashFiles()
    ErasureList(whole).add(GROUPS[:3])
    for killed_at in range(1, whole.write_count + 1):
        files = CrashFiles()
        files.cut_at = killed_at
        with pytest.raises(PowerCut):
            ErasureList(files).add(GROUPS[:3])
        files.cut_at = None
        ErasureList(files).add(GROUPS[3:])

        assert set(GROUPS[3:]) <= set(ErasureList(files.after_power_cut()))


def test_a_list_that_has_its_name_is_synced_once_for_each_erasure():
    """Whoever is erased waits for it."""
    files = CrashFiles()
    erasures = ErasureList(files)
    erasures.add(GROUPS[:1])
    before = files.write_count
    erasures.add(GROUPS[1:2])

    assert files.write_count == before + 2  # written and synced
    assert set(ErasureList(files.after_power_cut())) == set(GROUPS[:2])


def test_any_flipped_bit_is_noticed_and_nobody_is_lost():
    """There is nobody to ask again: each name is there twice."""
    files = CrashFiles()
    ErasureList(files).add(GROUPS)
    for offset in range(8, files.size(NAME)):
        damaged = files.after_power_cut()
        damaged.flip(NAME, offset, offset % 8)
        erasures = ErasureList(damaged)

        assert set(erasures) == set(GROUPS)
        assert erasures.damage_count == 1
        assert ErasureList(damaged).damage_count == 0


def test_a_flip_in_its_head_is_refused():
    """It would be taken for an empty list."""
    files = CrashFiles()
    ErasureList(files).add(GROUPS)
    files.flip(NAME, 2, 1)

    with pytest.raises(ForeignFile):
        ErasureList(files)


def test_what_finds_no_room_is_kept_until_there_is_some():
    """Whoever adds learns that it is not on disk, and nobody is forgotten."""
    files = CrashFiles()
    erasures = ErasureList(files)
    erasures.add(GROUPS[:1])
    files.room = 0
    with pytest.raises(DirectoryFull):
        erasures.add(GROUPS[1:3])
    with pytest.raises(DirectoryFull):
        erasures.flush()
    files.room = None
    erasures.flush()

    assert list(erasures) == GROUPS[:3]
    assert len(ErasureList(files)) == len(erasures) == 3
    erasures.add(GROUPS[:3])
    assert len(ErasureList(files)) == 3
