"""Opens what a command works on: the biometric database, its keys, the list of erasures."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from mobile_api.erasures import ErasureList, erasure_list
from mobile_api.gallery.template_encryption import TemplateEncryption
from mobile_api.settings import MobileSettings
from mobile_api.storage.cipher import TemplateCipher
from mobile_api.storage.database import Database, open_database
from mobile_api.storage.key_file import KeyFile, open_key_file


@dataclass(frozen=True, slots=True)
class OpenDatabase:
    """The biometric database, its keys and its list of erasures."""

    database: Database
    encryption: TemplateEncryption
    key_file: KeyFile
    erasures: ErasureList


@contextmanager
def opened() -> Iterator[OpenDatabase]:
    """Open what the settings name. Raises NotMigrated, KeyFileFault."""
    settings = MobileSettings()
    with open_database(settings.database_url) as database:
        key_file = open_key_file(settings.key_source)
        encryption = TemplateEncryption(TemplateCipher(key_file.current))
        yield OpenDatabase(database, encryption, key_file, erasure_list(settings, key_file))
