"""What ``thenar account`` does: apart from its options, so that help loads nothing of it."""

from __future__ import annotations

from contextlib import AbstractContextManager

from mobile_api.account.deletion import delete_by_code
from mobile_api.account.disputes import DisputedAccount, release_palm, show_dispute
from mobile_api.erasures.file import ErasureList, erasure_list
from mobile_api.erasures.start import check_list, list_erased, renew_list
from mobile_api.gallery.template_encryption import TemplateEncryption
from mobile_api.settings import MobileSettings
from mobile_api.storage.cipher import TemplateCipher
from mobile_api.storage.database import Database
from mobile_api.storage.key_ring import KeyRingFile
from mobile_api.storage.migrate import open_database
from mobile_api.types import Clock
from oidc.types import AccountId


def delete(code: str, clock: Clock) -> None:
    """Delete the account of a deletion code."""
    with _open() as database:
        with database.write() as transaction:
            erased = delete_by_code(transaction, code, clock())
        _finish(database, erased)


def disputed(code: str) -> DisputedAccount:
    """Return what is known of the account that holds a disputed palm."""
    with (
        _open() as database,
        database.read() as transaction,
    ):
        return show_dispute(transaction, _encryption(), code)


def release(code: str, clock: Clock) -> AccountId | None:
    """Remove a disputed palm; return the account that was deleted with its only one."""
    with _open() as database:
        with database.write() as transaction:
            erased = release_palm(transaction, _encryption(), code, clock())
        _finish(database, erased)
    return erased


def erasures(*, renew: bool) -> int:
    """Renew the list of erasures if asked, check it, and return the count of its accounts."""
    with _open() as database:
        listed = _erasures()
        if renew:
            renew_list(listed, database)
        return check_list(listed, database)


def _open() -> AbstractContextManager[Database]:
    return open_database(MobileSettings().database_url)


def _encryption() -> TemplateEncryption:
    return TemplateEncryption(TemplateCipher(KeyRingFile(MobileSettings().key_file).current))


def _finish(database: Database, erased: AccountId | None) -> None:
    """Remove what was deleted from files, and list an erased account."""
    database.compact()
    if erased is not None:
        list_erased(_erasures(), database, erased)


def _erasures() -> ErasureList:
    settings = MobileSettings()
    return erasure_list(settings, KeyRingFile(settings.key_file))
