"""owner: one process at a time."""

import subprocess
import sys
from pathlib import Path

import pytest

from engine.errors import DirectoryFault, DirectoryInUse
from engine.gallery.durability.encryption import LOCK_NAME, DirectoryLock


def test_a_directory_that_cannot_be_made_is_a_fault(tmp_path):
    """A file is in its place."""
    (tmp_path / "file").write_bytes(b"")

    with pytest.raises(DirectoryFault):
        DirectoryLock(tmp_path / "file")


def test_a_new_directory_is_its_owners_only(tmp_path):
    """Made with its parents."""
    folder = tmp_path / "new" / "gallery"
    DirectoryLock(folder).close()

    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_second_owner_is_refused_until_the_first_is_gone(tmp_path):
    """However the first one ends: the system forgets a dead process's lock."""
    program = (
        "import sys, time; from pathlib import Path;"
        "from engine.gallery.durability.encryption import DirectoryLock;"
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

    assert (tmp_path / LOCK_NAME).exists()
