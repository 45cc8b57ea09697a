"""Templates at rest open only under their key, in their place."""

from __future__ import annotations

import stat
from pathlib import Path
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mobile_api.errors import KeyFault, SealBroken
from mobile_api.storage.cipher import (
    TemplateCipher,
    create_key_file,
    derive_key,
    read_key_file,
)

MASTER = bytes(range(32))
CIPHER = TemplateCipher(derive_key(MASTER, "templates"))
RECORD, OTHER = UUID(int=1), UUID(int=2)


@settings(deadline=None)
@given(st.binary(max_size=600))
def test_what_was_sealed_opens_again(template: bytes) -> None:
    """Nothing is lost at rest."""
    sealed = CIPHER.seal(template, owner="account:a", record=RECORD)

    assert CIPHER.open(sealed, owner="account:a", record=RECORD) == template


def test_sealing_twice_gives_two_texts() -> None:
    """Equal templates must not be recognisable as equal in a stolen database."""
    assert CIPHER.seal(b"t", owner="o", record=RECORD) != CIPHER.seal(
        b"t", owner="o", record=RECORD
    )


def test_nothing_of_the_template_can_be_read() -> None:
    """That is what the seal is for."""
    assert b"a template of a palm" not in CIPHER.seal(
        b"a template of a palm", owner="o", record=RECORD
    )


@pytest.mark.parametrize(
    ("owner", "record", "key"),
    [
        ("account:b", RECORD, MASTER),
        ("account:a", OTHER, MASTER),
        ("enrolment:a", RECORD, MASTER),
        ("account:a", RECORD, bytes(32)),
    ],
)
def test_a_row_that_was_moved_does_not_open(owner: str, record: UUID, key: bytes) -> None:
    """Whoever can write the database cannot give a palm to another account."""
    sealed = CIPHER.seal(b"template", owner="account:a", record=RECORD)

    with pytest.raises(SealBroken):
        TemplateCipher(derive_key(key, "templates")).open(sealed, owner=owner, record=record)


def test_every_changed_byte_is_noticed() -> None:
    """Authenticated encryption: a bit flip is not a slightly different palm."""
    sealed = CIPHER.seal(b"template", owner="o", record=RECORD)
    for position in range(len(sealed)):
        changed = bytearray(sealed)
        changed[position] ^= 1
        with pytest.raises(SealBroken):
            CIPHER.open(bytes(changed), owner="o", record=RECORD)


@settings(deadline=None)
@given(st.binary(max_size=60))
def test_no_bytes_make_opening_raise_anything_else(sealed: bytes) -> None:
    """A damaged database gives a clear fault."""
    with pytest.raises(SealBroken):
        CIPHER.open(sealed, owner="o", record=RECORD)


def test_keys_of_different_purposes_differ() -> None:
    """The key of the nonces must not open palms."""
    assert derive_key(MASTER, "templates") != derive_key(MASTER, "nonces")


def test_a_key_file_is_made_once_and_is_its_owners_only(tmp_path: Path) -> None:
    """A second start must not replace the key of everything that is stored."""
    path = tmp_path / "data" / "key"
    made = [create_key_file(path), create_key_file(path)]

    assert made == [True, False]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert len(read_key_file(path)) == 32


@pytest.mark.parametrize("content", [b"", b"short", b"!" * 44, b"AAAA"])
def test_a_key_file_that_holds_no_key_is_refused(tmp_path: Path, content: bytes) -> None:
    """Guessing a key from rubbish would seal templates nobody can open."""
    path = tmp_path / "key"
    path.write_bytes(content)
    path.chmod(0o600)

    with pytest.raises(KeyFault):
        read_key_file(path)


def test_a_key_file_others_may_read_is_refused(tmp_path: Path) -> None:
    """It would be no secret."""
    path = tmp_path / "key"
    create_key_file(path)
    path.chmod(0o644)

    with pytest.raises(KeyFault, match="0600"):
        read_key_file(path)


def test_a_missing_key_file_says_what_makes_one(tmp_path: Path) -> None:
    """The operator needs one command, not a stack trace."""
    with pytest.raises(KeyFault, match="thenar migrate"):
        read_key_file(tmp_path / "none")
