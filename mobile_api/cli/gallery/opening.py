"""Opens the biometric database for a command of ``thenar gallery``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from rich.console import Console

from mobile_api.cli.error_messages import report_errors
from mobile_api.erasures.file import ErasureList, erasure_list
from mobile_api.gallery.template_encryption import TemplateEncryption
from mobile_api.settings import MobileSettings
from mobile_api.storage.cipher import TemplateCipher
from mobile_api.storage.database import Database, open_engine
from mobile_api.storage.key_ring import KeyRingFile
from mobile_api.storage.migrate import require_current

console: Final = Console(stderr=True, highlight=False)
answers: Final = Console(highlight=False)


@dataclass(frozen=True, slots=True)
class OpenDatabase:
    """The biometric database, its keys and its list of erasures."""

    storage: Database
    encryption: TemplateEncryption
    ring: KeyRingFile
    erasures: ErasureList


@contextmanager
def open_database() -> Iterator[OpenDatabase]:
    """Open what the settings name; report errors."""
    with report_errors(console):
        settings = MobileSettings()
        engine = open_engine(settings.database_url)
        try:
            require_current(engine)
            ring = KeyRingFile(settings.key_file)
            yield OpenDatabase(
                Database(engine),
                TemplateEncryption(TemplateCipher(ring.current)),
                ring,
                erasure_list(settings, ring),
            )
        finally:
            engine.dispose()
