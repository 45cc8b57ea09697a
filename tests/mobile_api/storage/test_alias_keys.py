"""Our key of the aliases stays the same under new key files; the provider's is made again."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from mobile_api.errors import KeyFileFault
from mobile_api.gallery.template_encryption import Rekeying, TemplateEncryption
from mobile_api.settings import MobileSettings
from mobile_api.storage.alias_keys import (
    ensure_own_key,
    open_aliases,
    own_key,
    write_provider_key,
)
from mobile_api.storage.cipher import TemplateCipher
from mobile_api.storage.database import Database, open_engine, upgrade
from mobile_api.storage.key_file import KeyFile, create_key_file
from oidc.aliases import Aliases

PROVIDER_KEY = b"p" * 32


@pytest.fixture
def settings(tmp_path: Path, database_url: str) -> MobileSettings:
    """Give a key file and the name of an empty database."""
    create_key_file(tmp_path / "biometric.key")
    return MobileSettings(database_url=database_url, key_file=tmp_path / "biometric.key")


@pytest.fixture
def database(settings: MobileSettings) -> Iterator[Database]:
    """Give the empty database."""
    engine = open_engine(settings.database_url)
    upgrade(engine)
    yield Database(engine)
    engine.dispose()


@pytest.fixture
def key_file(settings: MobileSettings) -> KeyFile:
    """Give the key file."""
    return KeyFile(settings.key_file)


def test_a_new_key_file_keeps_our_key(database: Database, key_file: KeyFile) -> None:
    """It is encrypted again before the old key may go."""
    encryption = TemplateEncryption(TemplateCipher(key_file.current))
    rekeying = Rekeying(database, encryption, key_file, lambda: None)
    with database.write() as transaction:
        before = ensure_own_key(transaction, key_file.current)
    rekeying.begin()
    with pytest.raises(KeyFileFault, match="aliases"):
        rekeying.remove_old_keys()
    rekeying.step()
    removed = rekeying.remove_old_keys()

    with database.read() as transaction:
        assert own_key(transaction, key_file.current) == before
    assert (removed, len(key_file.current().keys)) == (1, 1)


def test_a_missing_part_is_reported_with_its_remedy(
    settings: MobileSettings, database: Database, key_file: KeyFile
) -> None:
    """One command makes both, and a serving process makes neither."""
    with pytest.raises(
        KeyFileFault, match="key of the aliases is missing: run `thenar migrate`"
    ):
        open_aliases(settings)
    with database.write() as transaction:
        own = ensure_own_key(transaction, key_file.current)
    with pytest.raises(KeyFileFault, match=r"biometric\.aliases is missing: run `thenar mig"):
        open_aliases(settings)
    write_provider_key(settings, PROVIDER_KEY)

    assert open_aliases(settings).proof == Aliases(own, PROVIDER_KEY).proof


def test_the_providers_key_is_written_when_it_is_another(tmp_path: Path) -> None:
    """A file that was damaged is made again, for its owner only."""
    create_key_file(tmp_path / "biometric.key")
    settings = MobileSettings(key_file=tmp_path / "biometric.key")
    path = settings.alias_key_source.path
    path.write_bytes(b"damaged")
    write_provider_key(settings, PROVIDER_KEY)
    made = path.stat()
    write_provider_key(settings, PROVIDER_KEY)

    assert path.read_bytes() == b"cHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHA=\n"
    assert (path.stat().st_ino, path.stat().st_mode & 0o777) == (made.st_ino, 0o600)
