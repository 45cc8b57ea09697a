"""People in a database without a service: enrolled and erased as another process would."""

from datetime import UTC, datetime
from typing import Final
from uuid import uuid4

from engine.types import Hand
from mobile_api.gallery.template_encryption import TemplateEncryption
from mobile_api.storage.cipher import TemplateCipher
from mobile_api.storage.database import Database
from mobile_api.storage.key_file import master_keys_of
from mobile_api.storage.stores.references import ConsentGiven
from oidc.types import AccountId
from tests.support.palms.fake_engine import template

ENCRYPTION: Final = TemplateEncryption(TemplateCipher(lambda: master_keys_of(b"k" * 32)))
NOW: Final = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
CONSENT: Final = ConsentGiven("v", "0" * 64, "en", NOW)


def enrol(
    database: Database,
    person: int,
    hand: Hand = Hand.RIGHT,
    encryption: TemplateEncryption = ENCRYPTION,
    account: AccountId | None = None,
) -> AccountId:
    """Enrol two samples of a palm; return the account, a new one unless it is given."""
    account = account or AccountId(uuid4())
    samples = [template(person, hand, shot) for shot in (0, 1)]
    encrypted = [encryption.encrypt_reference(sample, account) for sample in samples]
    with database.write() as transaction:
        transaction.references.create_account(account, CONSENT)
        transaction.references.add(encrypted, NOW)
        transaction.history.record(account, NOW)
    return account


def erase(database: Database, account: AccountId) -> None:
    """Erase an account's references."""
    with database.write() as transaction:
        transaction.references.erase(account, NOW)
        transaction.history.record(account, NOW)
