"""real_files: what the crash model promises, a real directory keeps."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from engine.errors import DirectoryFault, DirectoryFull, DirectoryInUse
from engine.gallery.durability.real_files import LOCK_NAME, DirectoryLock, RealFiles
from tests.fakes.engine.crash_files import CrashFiles


@pytest.fixture(params=["real", "crashing"])
def files(request, tmp_path):
    """Give a directory, real or made for crashes: they must not differ."""
    if request.param == "crashing":
        yield CrashFiles()
        return
    files = RealFiles(tmp_path / "some" / "where")
    yield files
    files.close()


def test_what_was_written_is_read(files):
    """Also in the middle, beyond the end, and after growing."""
    files.write_at("a", 0, b"hello")
    first = files.read_at("a", 1, 3)
    files.write_at("a", 8, b"world")
    files.write_at("a", 0, b"H")

    assert first == b"ell"
    assert files.read_at("a", 0, 100) == b"Hello\0\0\0world"
    assert files.read_at("a", 10, 100) == b"rld"
    assert files.read_at("a", 50, 10) == b""
    assert files.size("a") == 13


def test_files_that_are_only_looked_at_are_not_held_open(tmp_path):
    """A gallery of four million rows is a thousand files: then no phone would get through."""
    files = RealFiles(tmp_path)
    for number in range(5):
        files.write_at(f"rows-{number}", 0, bytes(number))
        files.close_file(f"rows-{number}")
    before = len(list(Path("/proc/self/fd").iterdir()))
    sizes = [files.size(name) for name in files.names()]

    assert sizes == [0, 1, 2, 3, 4]
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_files_are_cut_and_lengthened(files):
    """What is cut off does not come back."""
    files.write_at("a", 0, b"secret")
    files.read_at("a", 0, 6)
    files.resize("a", 2)
    files.resize("a", 6)
    files.resize("empty", 0)

    assert files.read_at("a", 0, 10) == b"se\0\0\0\0"
    assert files.read_at("empty", 0, 10) == b""


def test_a_name_moves_with_its_content(files):
    """A rename takes the place of what was there."""
    files.write_at("old", 0, b"new content")
    files.write_at("name", 0, b"gone")
    files.read_at("name", 0, 4)
    files.sync("old")
    files.rename("old", "name")
    files.sync_names()
    files.close_file("name")

    assert files.names() == ["name"]
    assert files.read_at("name", 0, 20) == b"new content"
    files.remove("name")
    assert files.names() == []


@pytest.mark.parametrize("act", ["size", "sync", "remove"])
def test_a_file_that_is_not_there_is_a_fault(files, act):
    """Our own one, without a path."""
    with pytest.raises(DirectoryFault) as caught:
        getattr(files, act)("nothing")
    assert "/" not in str(caught.value)


@contextmanager
def largest_file(size):
    """Let the system refuse larger files, as a full disk does."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_no_room_is_a_fault_of_its_own(tmp_path):
    """Found by the system's own refusal."""
    files = RealFiles(tmp_path)
    with largest_file(4096), pytest.raises(DirectoryFull):
        files.write_at("a", 0, bytes(10_000))
    files.close()


def test_a_directory_that_cannot_be_made_is_a_fault(tmp_path):
    """A file is in its place."""
    (tmp_path / "file").write_bytes(b"")

    with pytest.raises(DirectoryFault):
        RealFiles(tmp_path / "file")
    with pytest.raises(DirectoryFault):
        DirectoryLock(tmp_path / "file")


def test_a_new_directory_survives_a_power_cut_by_its_name(tmp_path, monkeypatch):
    """Synced files in a folder that nobody can find again are lost with all they list."""
    synced = []
    sync = os.fsync

    def noted(descriptor):
        synced.append(Path(f"/proc/self/fd/{descriptor}").readlink())
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", noted)
    folder = tmp_path / "new" / "gallery"
    DirectoryLock(folder).close()
    RealFiles(folder)

    assert synced == [tmp_path, tmp_path / "new"]
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_second_owner_is_refused_until_the_first_is_gone(tmp_path):
    """However the first one ends: the system forgets a dead process's lock."""
    program = (
        "import sys, time; from pathlib import Path;"
        "from engine.gallery.durability.real_files import DirectoryLock;"
        "lock = DirectoryLock(Path(sys.argv[1])); print('mine', flush=True); time.sleep(60)"
    )
    root = Path(__file__).parents[4]
    owner = subprocess.Popen(  # noqa: S603 -- our own program
        [sys.executable, "-c", program, str(tmp_path)], cwd=root, stdout=subprocess.PIPE
    )
    assert owner.stdout is not None
    owner.stdout.readline()
    with pytest.raises(DirectoryInUse):
        DirectoryLock(tmp_path)
    owner.kill()
    owner.communicate()
    lock = DirectoryLock(tmp_path)
    lock.close()
    lock.close()

    assert RealFiles(tmp_path).names() == []
    assert (tmp_path / LOCK_NAME).exists()


@pytest.mark.parametrize("read_before", [0, 4, 10])
def test_whoever_reads_a_gallery_that_is_removed_reads_on(tmp_path, read_before):
    """A search began on it; under a new key another one has taken its place meanwhile.

    Also what nobody has read yet, and what was written since somebody did.
    """
    files = RealFiles(tmp_path / "old")
    files.write_at("codes", 0, b"0123456789"[:read_before])
    before = files.read_at("codes", 0, 10)
    files.write_at("codes", 0, b"0123456789")
    files.close()
    shutil.rmtree(tmp_path / "old")

    assert before == b"0123456789"[:read_before]
    assert files.read_at("codes", 7, 3) == b"789"
