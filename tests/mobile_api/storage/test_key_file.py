"""Keys in a file: a crash loses none, and every process notices a change."""

import base64
import os
import stat
from pathlib import Path

import pytest

from mobile_api.errors import KeyFileFault
from mobile_api.storage.key_file import KEYS_LIMIT, KeyFile, create_key_file, read_key_file

MASTER = bytes(range(32))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Give a key file of one key."""
    path = tmp_path / "key"
    create_key_file(path)
    return path


def test_a_key_file_is_made_once_and_is_its_owners_only(tmp_path: Path) -> None:
    """A second start must not replace the key of everything that is stored."""
    path = tmp_path / "data" / "key"
    made = [create_key_file(path), create_key_file(path)]

    assert made == [True, False]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert len(read_key_file(path).keys) == 1


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n",
        b"short",
        b"!" * 44,
        b"AAAA",
        base64.b64encode(MASTER) + b"\nAAAA\n",
        (base64.b64encode(MASTER) + b"\n") * 2,
        b"".join(base64.b64encode(bytes([n]) * 32) + b"\n" for n in range(KEYS_LIMIT + 1)),
    ],
)
def test_a_key_file_without_valid_keys_is_refused(tmp_path: Path, content: bytes) -> None:
    """Guessing a key from rubbish would encrypt templates for ever."""
    path = tmp_path / "key"
    path.write_bytes(content)
    path.chmod(0o600)

    with pytest.raises(KeyFileFault):
        read_key_file(path)


def test_a_key_file_others_may_read_is_refused(path: Path) -> None:
    """It would be no secret."""
    path.chmod(0o644)

    with pytest.raises(KeyFileFault, match="0600"):
        read_key_file(path)


@pytest.mark.parametrize("read", [read_key_file, lambda path: KeyFile(path).current()])
def test_a_missing_key_file_says_what_makes_one(tmp_path: Path, read) -> None:  # type: ignore[no-untyped-def]
    """The operator needs one command, not a stack trace."""
    with pytest.raises(KeyFileFault, match="thenar migrate"):
        read(tmp_path / "none")


def test_a_new_key_seals_and_the_old_one_stays(path: Path) -> None:
    """Until everything is renewed, both are needed."""
    old = KeyFile(path).current().primary.key_id
    keys = KeyFile(path).add_primary()

    assert keys.primary.key_id != old
    assert [key.key_id for key in keys.keys[1:]] == [old]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert keys.find(old) is not None


def test_another_process_notices(path: Path) -> None:
    """A serving process seals under the new key from the next template on."""
    serving, key_file = KeyFile(path), KeyFile(path)
    serving.current()
    added = key_file.add_primary().primary.key_id
    noticed = serving.current().primary.key_id
    key_file.remove_old()

    assert noticed == added
    assert [key.key_id for key in serving.current().keys] == [added]


def test_a_half_written_key_file_is_not_read(path: Path) -> None:
    """A process that dies while it writes leaves a file that is not read."""
    before = read_key_file(path).primary.key_id
    path.with_name(path.name + ".new").write_bytes(b"AAAA")
    key_file = KeyFile(path)

    assert key_file.current().primary.key_id == before
    assert key_file.add_primary().keys[1].key_id == before
    assert [file.name for file in path.parent.iterdir()] == ["key"]


def test_keys_do_not_pile_up_without_end(path: Path) -> None:
    """An operator who forgets to remove old keys is warned before the file is refused."""
    key_file = KeyFile(path)
    for _ in range(KEYS_LIMIT - 1):
        key_file.add_primary()

    with pytest.raises(KeyFileFault, match="too many"):
        key_file.add_primary()
    assert len(read_key_file(path).keys) == KEYS_LIMIT


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes files of others")
def test_a_key_file_that_root_changes_stays_its_owners(path: Path) -> None:
    """Otherwise the service cannot read the keys after `thenar gallery rekey` as root."""
    os.chown(path, 12345, 12346)

    KeyFile(path).add_primary()

    assert (path.stat().st_uid, path.stat().st_gid) == (12345, 12346)
