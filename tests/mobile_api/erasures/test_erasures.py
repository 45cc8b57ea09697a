"""The list of erasures: what it survives, what is refused, and whom it keeps away."""

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

from mobile_api.app import migrate
from mobile_api.cli.account import account_commands
from mobile_api.cli.gallery import app as gallery_commands
from mobile_api.erasure_entries import ENTRY_BYTES, head_of, read_entries, write_entries
from mobile_api.erasures import ErasureList
from mobile_api.errors import ErasureListFault, PhoneRefused
from mobile_api.reference_phone.client import ReferencePhone
from mobile_api.server.configuration import load_both
from mobile_api.storage.key_file import read_key_file
from oidc.types import AccountId
from tests.support.clock import FakeClock
from tests.support.palms.fake_engine import picture, shots
from tests.support.service.mobile_api import MobileWorld

KEYS = [b"k" * 32]
ACCOUNTS = [AccountId(UUID(int=n, version=4)) for n in range(1, 9)]


@pytest.fixture
def listed(tmp_path: Path) -> ErasureList:
    """Give a list of eight accounts."""
    erasures = ErasureList(tmp_path / "erasures", lambda: KEYS)
    erasures.create(ACCOUNTS[:3])
    for account in ACCOUNTS[3:]:
        erasures.add([account])
    return erasures


def reopened(path: Path, *keys: bytes) -> ErasureList:
    """Return a list as another process reads it."""
    return ErasureList(path, lambda: keys or KEYS)


def test_any_flipped_bit_is_noticed_and_no_account_is_lost(listed: ErasureList) -> None:
    """The data cannot be collected again: each entry is there twice."""
    written = listed.path.read_bytes()
    for offset in range(len(written)):
        damaged = bytearray(written)
        damaged[offset] ^= 1 << offset % 8
        listed.path.write_bytes(damaged)
        erasures = reopened(listed.path)

        assert erasures.listed(ACCOUNTS) == ACCOUNTS
        assert erasures.damage_count() == 1
        erasures.rewrite()
        assert reopened(listed.path).damage_count() == 0


@pytest.mark.parametrize("zeros", [0, 200], ids=["cut", "zeros"])
def test_an_entry_that_a_power_cut_interrupted_is_written_over(
    listed: ErasureList, zeros: int
) -> None:
    """It was never acknowledged; what was, is there, and what follows, too."""
    whole = listed.path.read_bytes()
    for size in range(len(whole) - ENTRY_BYTES, len(whole)):
        listed.path.write_bytes(whole[:size] + bytes(zeros))
        erasures = reopened(listed.path)

        assert erasures.listed(ACCOUNTS) in (ACCOUNTS[:7], ACCOUNTS)
        new = AccountId(uuid4())
        erasures.add([new])
        assert reopened(listed.path).listed([new]) == [new]


def test_two_processes_add_to_one_list(listed: ErasureList) -> None:
    """Neither writes over the other, and no account is on it twice."""
    other = reopened(listed.path)
    new = [AccountId(uuid4()) for _ in range(4)]
    for number, account in enumerate(new):
        (listed, other)[number % 2].add([account, ACCOUNTS[0]])

    both = [*ACCOUNTS, *new]
    assert listed.listed(both) == other.listed(both) == both
    assert listed.head().count == other.head().count == len(both)


def test_a_list_that_is_replaced_while_it_is_used_is_read_again(listed: ErasureList) -> None:
    """As when old keys are removed."""
    other = reopened(listed.path)
    other.head()
    listed.rewrite()
    new = AccountId(uuid4())
    other.add([new])

    assert listed.listed([*ACCOUNTS, new]) == [*ACCOUNTS, new]


def test_entries_of_an_old_key_count_until_they_are_written_again(listed: ErasureList) -> None:
    """A new key comes first; the old one may go once the list is signed."""
    renewed = reopened(listed.path, b"n" * 32, *KEYS)
    renewed.add([AccountId(uuid4())])
    with pytest.raises(ErasureListFault, match="key"):
        reopened(listed.path, b"n" * 32).head()
    before = renewed.head()
    renewed.rewrite()

    assert reopened(listed.path, b"n" * 32).head() == before


def test_what_may_not_be_on_disk_is_not_taken_for_listed(
    listed: ErasureList, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kernel tells of a lost write once: to add again must write again."""
    before, account = listed.path.read_bytes(), AccountId(uuid4())

    def lost(_file: int) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr("mobile_api.erasures.os.fsync", lost)
        with pytest.raises(ErasureListFault, match="Input/output"):
            listed.add([account])
    assert listed.path.read_bytes() == before
    assert listed.add([account]).count == len(ACCOUNTS) + 1


@given(st.binary(max_size=400))
def test_no_bytes_are_taken_for_entries(data: bytes) -> None:
    """No entry is made of bytes that are not authenticated."""
    found = read_entries(data, KEYS)

    assert (found.identifiers, found.rest) == ((), data)


# Attacks of a writer of the file who has neither key nor database.


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MobileWorld]:
    """Give a service that two people have left, one of them late; a third one stays."""
    with MobileWorld(tmp_path) as world:
        monkeypatch.setenv("THENAR_MOBILE_DATABASE_URL", world.settings.database_url)
        monkeypatch.setenv("THENAR_MOBILE_KEY_FILE", str(world.settings.key_file))
        leave(world, 1)
        shutil.copy(world.settings.erasure_file, tmp_path / "older")
        leave(world, 2)
        world.enrolled(shots(3))
        yield world


def leave(world: MobileWorld, person: int) -> None:
    """Enrol a person who then deletes the account."""
    world.enrolled(shots(person)).delete_account(picture(person, shot=9))


def _removed(path: Path, _stays: UUID) -> None:
    path.unlink()


def _truncated(path: Path, _stays: UUID) -> None:
    path.write_bytes(path.read_bytes()[:-ENTRY_BYTES])


def _older(path: Path, _stays: UUID) -> None:
    shutil.copy(path.with_name("older"), path)


def _forged(path: Path, stays: UUID) -> None:
    """Add an entry without the key: an account that stays would be deleted."""
    genuine = read_entries(path.read_bytes(), read_list_keys_of(path))
    forged = write_entries([stays], genuine.digest, b"a key of the attacker's own, 32 bytes")
    path.write_bytes(path.read_bytes() + forged)


def _changed(path: Path, stays: UUID) -> None:
    """Put an account that stays into an entry, in both copies."""
    data = path.read_bytes()
    left = read_entries(data, read_list_keys_of(path)).identifiers[-1]
    path.write_bytes(data.replace(left.bytes, stays.bytes))


def _foreign(path: Path, stays: UUID) -> None:
    """Put another service's list there: longer, and even of the same key."""
    path.write_bytes(
        write_entries(
            [uuid4(), stays, *ACCOUNTS], head_of(()).digest, read_list_keys_of(path)[0]
        )
    )


def _foreign_key(path: Path, stays: UUID) -> None:
    path.write_bytes(write_entries([uuid4(), stays], head_of(()).digest, b"o" * 32))


def read_list_keys_of(path: Path) -> list[bytes]:
    """Return the keys of the list at this path."""
    return read_key_file(path.with_suffix(".key")).derived("erasures")


ATTACKS = [
    (_removed, "is missing"),
    (_truncated, "has 1 entries, the database counts 2"),
    (_older, "has 1 entries, the database counts 2"),
    (_forged, "forged at its entry 3"),
    (_changed, "forged at its entry 2"),
    (_foreign, "not the one of this database"),
    (_foreign_key, "forged at its entry 0"),
]


@pytest.mark.parametrize(("attack", "reported"), ATTACKS, ids=[a.__name__ for a, _ in ATTACKS])
def test_a_foreign_list_stops_the_start_with_a_message(
    world: MobileWorld, attack: Callable[[Path, UUID], None], reported: str
) -> None:
    """No account is deleted while it lasts, nor by it, and a copy heals."""
    path = world.settings.erasure_file
    genuine = path.read_bytes()
    stays = UUID(hex=world.row("SELECT account FROM accounts")[0])
    phone = world.enrolled(shots(4))
    attack(path, stays)

    with pytest.raises(ErasureListFault, match=reported) as stopped:
        world.application()
    assert "put the newest copy of it back" in str(stopped.value)
    with pytest.raises(ErasureListFault):
        world.applications[0].state.checks["erasure_list"]()
    with pytest.raises(ErasureListFault):
        world.services.deletion.record_erased([AccountId(uuid4())])
    assert thenar("erasures").exit_code == 1
    with pytest.raises(PhoneRefused) as refused:
        phone.delete_account(picture(4, shot=9))

    assert (refused.value.status, phone.standing().trust) == (503, "trusted")
    path.write_bytes(genuine)
    phone.delete_account(picture(4, shot=9))
    world.applications[0].state.checks["erasure_list"]()
    world.start()
    assert (world.rows("accounts"), world.erasures().head().count) == (1, 3)


def thenar(*arguments: str) -> Result:
    """Run ``thenar account`` in a wide terminal."""
    return CliRunner().invoke(
        account_commands(FakeClock()), list(arguments), env={"COLUMNS": "200"}
    )


def test_a_lost_list_is_begun_again_when_the_operator_says_so(world: MobileWorld) -> None:
    """With what is left of it, and never by itself."""
    _truncated(world.settings.erasure_file, uuid4())
    refused = CliRunner().invoke(account_commands(world.clock), ["erasures", "--renew"])
    done = thenar("erasures", "--renew", "--yes")

    assert (refused.exit_code, done.exit_code) == (1, 0)
    assert "1 accounts" in done.stdout
    world.start()
    assert world.erasures().head().count == 1


# Why there is a list.


def back_up(world: MobileWorld, folder: Path) -> None:
    """Copy the database as a backup does."""
    source = sqlite3.connect(world.settings.key_file.with_suffix(".sqlite3"))
    backup = sqlite3.connect(folder / "backup")
    source.backup(backup)
    source.close()
    backup.close()


def restore(folder: Path) -> None:
    """Put the backup back."""
    for leftover in folder.glob("biometric.sqlite3*"):
        leftover.unlink()
    shutil.copy(folder / "backup", folder / "biometric.sqlite3")


def test_a_restored_backup_brings_no_account_back(tmp_path: Path) -> None:
    """The list is longer than the backup counts: an account deleted since is erased again."""
    with MobileWorld(tmp_path) as world:
        leave(world, 7)
        phone = world.enrolled(shots(1))
        back_up(world, tmp_path)
        phone.delete_account(picture(1, shot=9))
    restore(tmp_path)
    with MobileWorld(tmp_path) as world:
        outsider = world.phone()
        answer = world.answer_palm(outsider, picture(1, shot=8))

        assert world.rows("accounts") == world.rows("biometric_references") == 0
        assert answer.hint == "palm_retry"
        assert world.row("SELECT count FROM erasure_list") == (2,)
        assert world.rows("departures") == 0 or len(world.handoff.forgotten) == 1


def test_a_backup_from_before_a_rekeying_needs_both_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The list is of the new key, the restored templates are of the old one."""
    with MobileWorld(tmp_path) as world:
        kept = world.enrolled(shots(0))
        phone = world.enrolled(shots(1))
        back_up(world, tmp_path)
        key_file = world.settings.key_file
        monkeypatch.setenv("THENAR_MOBILE_DATABASE_URL", world.settings.database_url)
        monkeypatch.setenv("THENAR_MOBILE_KEY_FILE", str(key_file))
        monkeypatch.chdir(tmp_path)
        list(migrate(load_both(), "oidc"))
        old = key_file.read_bytes()
        phone.delete_account(picture(1, shot=9))
        done = CliRunner().invoke(gallery_commands, ["rekey", "--remove-old"])
        assert done.exit_code == 0
    restore(tmp_path)
    key_file.write_bytes(key_file.read_bytes() + old)
    with MobileWorld(tmp_path) as world:
        same = ReferencePhone(kept.api, kept.key, world.client)
        answer = world.answer_palm(same, picture(0, shot=8))

        assert answer.hint != "palm_retry"
        assert world.rows("accounts") == 1


def test_no_account_is_on_the_list(listed: ErasureList) -> None:
    """A reader with it and an account can compare; a reader with it alone learns no account."""
    content = listed.path.read_bytes()

    assert not any(each.bytes in content for each in ACCOUNTS)
    assert listed.listed([AccountId(uuid4()), *ACCOUNTS]) == ACCOUNTS
