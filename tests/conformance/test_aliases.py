"""A protocol database knows whose aliases it holds, and is joined with no other's."""

from pathlib import Path

import pytest

from oidc import app
from oidc.aliases import Aliases
from oidc.errors import AliasFault, DatabaseNotMigrated, SigningKeyFault
from oidc.settings import OidcSettings

KEY, OTHER_KEY = b"b" * 32, b"o" * 32


@pytest.fixture
def settings(tmp_path: Path, database_url: str) -> OidcSettings:
    """Give the settings of an empty database."""
    return OidcSettings(
        database_url=database_url, key_encryption_key_file=tmp_path / "protocol.key"
    )


def _aliases(settings: OidcSettings, key: bytes = KEY) -> Aliases:
    return Aliases(key, app.alias_key(settings))


def test_a_database_is_joined_with_those_keys_only(settings: OidcSettings) -> None:
    """With another backup's keys everybody would be a new person to each app."""
    for _ in range(2):
        app.migrate(settings, biometric_alias_key=KEY)

    app.require_aliases(settings, _aliases(settings))
    with pytest.raises(AliasFault, match="belongs together"):
        app.migrate(settings, biometric_alias_key=OTHER_KEY)
    with pytest.raises(AliasFault, match="belongs together"):
        app.require_aliases(settings, _aliases(settings, OTHER_KEY))


def test_a_migration_that_is_killed_leaves_no_tables(
    settings: OidcSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No version is there without its keys and aliases."""

    def kill(_aliases: Aliases, _biometric: bytes, _protocol: bytes) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as killed, pytest.raises(KeyboardInterrupt):
        killed.setattr(Aliases, "__init__", kill)
        app.migrate(settings, biometric_alias_key=KEY)

    with pytest.raises(DatabaseNotMigrated):
        app.open_handoff(settings)
    app.migrate(settings, biometric_alias_key=KEY)
    app.require_aliases(settings, _aliases(settings))


def test_a_database_without_aliases_is_not_joined(settings: OidcSettings) -> None:
    """A palm would find no account's pseudonyms, and make new ones."""
    app.migrate(settings)

    with pytest.raises(AliasFault, match="thenar migrate"):
        app.require_aliases(settings, _aliases(settings))


def test_a_wrong_key_encryption_key_makes_no_aliases(settings: OidcSettings) -> None:
    """Aliases under a key that is not kept would be lost with it."""
    app.migrate(settings)
    settings.key_encryption_key_file.unlink()
    other = OidcSettings(
        database_url=settings.database_url,
        key_encryption_key="b29vb29vb29vb29vb29vb29vb29vb29vb29vb29vb28",  # type: ignore[arg-type]
    )

    with pytest.raises(SigningKeyFault, match="another key"):
        app.migrate(other, biometric_alias_key=KEY)


def test_a_new_biometric_database_may_take_the_place_of_a_lost_one(
    settings: OidcSettings,
) -> None:
    """No account is found again, but people can enrol."""
    app.migrate(settings, biometric_alias_key=KEY)
    app.forget_aliases(settings)
    app.migrate(settings, biometric_alias_key=OTHER_KEY)

    app.require_aliases(settings, _aliases(settings, OTHER_KEY))
