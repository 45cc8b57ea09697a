"""Use case: the operator judges whose palm it is when two people claim it.

Who finds a palm enrolled by somebody else gets a code. With it the operator sees how long and
how much that account was used, and may release the palm from it. No identifier and no
biometric data is shown, and a code tells nobody but the operator anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from engine.types import Hand, Reference
from mobile_api.account.deletion import delete_released, lock_to_delete
from mobile_api.codes import dispute_digest_of
from mobile_api.errors import NoSuchCode
from mobile_api.gallery.template_encryption import TemplateEncryption
from mobile_api.observability.audit import Event
from mobile_api.storage.transaction import Transaction
from mobile_api.types import AccountPhone, Dispute, NoticeKind, PhoneTrust
from oidc.types import AccountId


@dataclass(frozen=True, slots=True)
class DisputedAccount:
    """What the operator may know of the account that holds a disputed palm; times are UTC.

    Attributes:
        last_used: the latest day that one of its phones was used; None if unknown.
    """

    hand: Hand
    disputed_at: datetime
    opened_at: datetime
    last_used: datetime | None
    trusted_phones: int
    new_phones: int
    palms: int


def show_dispute(
    transaction: Transaction, encryption: TemplateEncryption, code: str
) -> DisputedAccount:
    """Return what the operator may know. Raises NoSuchCode or DecryptionFailed."""
    dispute = _find(transaction, code)
    opened_at = transaction.references.opened_at(dispute.account)
    if opened_at is None:
        raise NoSuchCode("the disputed account is deleted")
    phones = transaction.devices.of_account(dispute.account)
    references = _references(transaction, encryption, dispute.account)
    return DisputedAccount(
        hand=dispute.hand,
        disputed_at=dispute.opened_at,
        opened_at=opened_at,
        last_used=max((each.used_on for each in phones if each.used_on), default=None),
        trusted_phones=_count(phones, PhoneTrust.TRUSTED),
        new_phones=_count(phones, PhoneTrust.NEW),
        palms=len({each.template.hand for each in references}),
    )


def release_palm(
    transaction: Transaction, encryption: TemplateEncryption, code: str, now: datetime
) -> AccountId | None:
    """Remove the disputed palm from its account and tell the account's phones.

    Returns the account if that was its last palm: it is erased, and a running service finishes
    this as after a deletion code. Raises NoSuchCode or DecryptionFailed.
    """
    account = _find(transaction, code).account
    lock_to_delete(transaction, account)
    dispute = _find(transaction, code)  # again: of two releases at once one finds it
    references = _references(transaction, encryption, account)
    released = [each for each in references if each.template.hand is dispute.hand]
    for phone in transaction.devices.of_account(account):
        transaction.notices.add(phone.device_id, NoticeKind.PALM_RELEASED, now)
    transaction.audit.append(Event.PALM_RELEASED, now, {})
    if len(released) == len(references):
        delete_released(transaction, account, now)
        return account
    transaction.references.remove([each.reference_id for each in released])
    transaction.history.record(account, now)
    transaction.disputes.remove_of(account, dispute.hand)
    return None


def _find(transaction: Transaction, code: str) -> Dispute:
    dispute = transaction.disputes.find(dispute_digest_of(code))
    if dispute is None:
        raise NoSuchCode("no open dispute has this code")
    return dispute


def _references(
    transaction: Transaction, encryption: TemplateEncryption, account: AccountId
) -> list[Reference]:
    return encryption.decrypt_references(transaction.references.lock_all_of(account))


def _count(phones: Sequence[AccountPhone], trust: PhoneTrust) -> int:
    return sum(each.trust is trust for each in phones)
