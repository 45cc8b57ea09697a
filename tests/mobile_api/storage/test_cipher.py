"""Templates at rest open only under their key, in their place."""

from uuid import UUID

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from hypothesis import given, settings
from hypothesis import strategies as st

from mobile_api.errors import DecryptionFailed
from mobile_api.storage.cipher import TemplateCipher, encryption_key_id
from mobile_api.storage.key_file import derive_key, master_keys_of

MASTER = bytes(range(32))
KEYS = master_keys_of(MASTER, bytes(32))
KEY = KEYS.primary
CIPHER = TemplateCipher(lambda: KEYS)
RECORD, OTHER = UUID(int=1), UUID(int=2)


@settings(deadline=None)
@given(st.binary(max_size=600))
def test_what_was_sealed_opens_again(template: bytes) -> None:
    """Nothing is lost at rest."""
    sealed = CIPHER.encrypt(template, KEY, owner="account:a", record=RECORD)

    opened = CIPHER.decrypt(sealed, owner="account:a", record=RECORD)

    assert (opened.content, opened.key) == (template, KEY)


def test_sealing_twice_gives_two_texts() -> None:
    """Equal templates must not be recognisable as equal in a stolen database."""
    assert CIPHER.encrypt(b"t", KEY, owner="o", record=RECORD) != CIPHER.encrypt(
        b"t", KEY, owner="o", record=RECORD
    )


@pytest.mark.parametrize(
    ("owner", "record", "key"),
    [
        ("account:b", RECORD, MASTER),
        ("account:a", OTHER, MASTER),
        ("enrolment:a", RECORD, MASTER),
        ("account:a", RECORD, b"x" * 32),
    ],
)
def test_a_row_that_was_moved_does_not_open(owner: str, record: UUID, key: bytes) -> None:
    """A writer of the database cannot give a palm to another account."""
    sealed = CIPHER.encrypt(b"template", KEY, owner="account:a", record=RECORD)

    with pytest.raises(DecryptionFailed):
        TemplateCipher(lambda: master_keys_of(key)).decrypt(sealed, owner=owner, record=record)


def test_every_changed_byte_is_noticed() -> None:
    """Authenticated encryption: a bit flip is not a slightly different palm."""
    sealed = CIPHER.encrypt(b"template", KEY, owner="o", record=RECORD)
    for position in range(len(sealed)):
        changed = bytearray(sealed)
        changed[position] ^= 1
        with pytest.raises(DecryptionFailed):
            CIPHER.decrypt(bytes(changed), owner="o", record=RECORD)


@settings(deadline=None)
@given(st.binary(max_size=60))
def test_no_bytes_make_opening_raise_anything_else(sealed: bytes) -> None:
    """A damaged database gives a clear fault."""
    with pytest.raises(DecryptionFailed):
        CIPHER.decrypt(sealed, owner="o", record=RECORD)


def test_a_ciphertext_names_its_key_and_opens_with_a_key_file_that_has_it() -> None:
    """During a renewal some rows are under the old key, some under the new one."""
    old, new = master_keys_of(MASTER), master_keys_of(b"n" * 32, MASTER)
    sealed = TemplateCipher(lambda: old).encrypt(b"t", old.primary, owner="o", record=RECORD)
    opened = TemplateCipher(lambda: new).decrypt(sealed, owner="o", record=RECORD)

    assert encryption_key_id(sealed) == old.primary.key_id
    assert (opened.content, opened.key) == (b"t", new.keys[1])


def test_the_name_of_the_key_is_bound_too() -> None:
    """A row cannot be made to look renewed."""
    sealed = CIPHER.encrypt(b"t", KEY, owner="o", record=RECORD)
    renamed = sealed[:1] + bytes.fromhex(KEYS.keys[1].key_id) + sealed[5:]

    with pytest.raises(DecryptionFailed):
        CIPHER.decrypt(renamed, owner="o", record=RECORD)


def test_seals_of_the_first_version_still_open_and_say_that_they_name_no_key() -> None:
    """A database from before the key file goes on working, whichever key it was."""
    place = b"\0".join((b"thenar", b"\1", b"account:a", RECORD.bytes))
    nonce = bytes(12)
    for master in (MASTER, bytes(32)):
        body = AESGCM(derive_key(master, "templates")).encrypt(nonce, b"t", place)
        opened = CIPHER.decrypt(b"\1" + nonce + body, owner="account:a", record=RECORD)
        assert (opened.content, opened.key) == (b"t", None)

    foreign = AESGCM(bytes(32)).encrypt(nonce, b"t", place)
    with pytest.raises(DecryptionFailed):
        CIPHER.decrypt(b"\1" + nonce + foreign, owner="account:a", record=RECORD)
    assert encryption_key_id(b"\1" + nonce + foreign) is None
