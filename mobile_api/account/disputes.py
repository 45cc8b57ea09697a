"""Use case: the operator judges whose palm it is when two people claim it.

A person whose palm another account holds gets a code. With it the operator sees how long and
how much both accounts were used. The operator may lock the palm, dismiss the dispute, or
release the palm from the account that holds it. No identifier and no biometric data is shown,
and a code is of use to the operator only.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from engine.types import Hand, Reference
from mobile_api.account.deletion import erase_released, lock_to_erase
from mobile_api.codes import digest_of
from mobile_api.errors import NoSuchCode
from mobile_api.gallery.template_encryption import TemplateEncryption
from mobile_api.observability.audit import Event
from mobile_api.storage.database import Transaction
from mobile_api.storage.stores.account_codes import Dispute, PalmLock
from mobile_api.storage.stores.devices import AccountPhone
from mobile_api.types import NoticeKind, PhoneTrust
from oidc.types import AccountId


@dataclass(frozen=True, slots=True)
class Party:
    """Facts about an account in a dispute that the operator may know; times are UTC.

    Attributes:
        last_used: the latest day that one of its phones was used; None if unknown.
        other_palm: whether it has one besides the disputed palm.
    """

    opened_at: datetime
    last_used: datetime | None
    trusted_phones: int
    new_phones: int
    other_palm: bool


@dataclass(frozen=True, slots=True)
class DisputedPalm:
    """Facts about a disputed palm that the operator may know; times are UTC.

    Attributes:
        claimant: the account that the phone opened which found the palm; None if none.
    """

    hand: Hand
    disputed_at: datetime
    lock: PalmLock
    holder: Party
    claimant: Party | None


def show_dispute(
    transaction: Transaction, encryption: TemplateEncryption, code: str, now: datetime
) -> DisputedPalm:
    """Return what the operator may know. Raises NoSuchCode or DecryptionFailed."""
    dispute = _find(transaction, code)
    holder = _party(transaction, encryption, dispute.account, dispute.hand)
    if holder is None:
        raise NoSuchCode("the disputed account is deleted")
    phone = dispute.claimant and transaction.devices.find(dispute.claimant)
    claimant = phone and phone.is_trusted and phone.account != dispute.account and phone.account
    return DisputedPalm(
        hand=dispute.hand,
        disputed_at=dispute.opened_at,
        lock=transaction.disputes.lock_of(dispute.account, dispute.hand, now),
        holder=holder,
        claimant=_party(transaction, encryption, claimant, dispute.hand) if claimant else None,
    )


def suspend_palm(transaction: Transaction, code: str, now: datetime) -> None:
    """Suspend a disputed palm for a time: it signs no account in. Raises NoSuchCode."""
    dispute = _find(transaction, code)
    transaction.disputes.suspend(dispute.account, dispute.hand, now)
    transaction.audit.append(Event.PALM_SUSPENDED, now, {})


def dismiss_dispute(transaction: Transaction, code: str, now: datetime) -> None:
    """Let a disputed palm sign in again. Raises NoSuchCode."""
    dispute = _find(transaction, code)
    transaction.disputes.dismiss(dispute.account, dispute.hand, now)
    transaction.audit.append(Event.DISPUTE_DISMISSED, now, {})


def release_palm(
    transaction: Transaction, encryption: TemplateEncryption, code: str, now: datetime
) -> AccountId | None:
    """Remove the disputed palm from its account and tell the account's phones.

    Returns the account if that was its last palm: it is erased, and a running service finishes
    this as after a deletion code. Raises NoSuchCode or DecryptionFailed.
    """
    account = _find(transaction, code).account
    phones = lock_to_erase(transaction, account)
    dispute = _find(transaction, code)  # again: of two releases at once one finds it
    references = _references(transaction, encryption, account)
    released = [each for each in references if each.template.hand is dispute.hand]
    for phone in transaction.devices.of_account(account):
        transaction.notices.add(phone.device_id, NoticeKind.PALM_RELEASED, now)
    transaction.audit.append(Event.PALM_RELEASED, now, {})
    if len(released) == len(references):
        erase_released(transaction, account, phones, now)
        return account
    transaction.references.remove([each.reference_id for each in released])
    transaction.history.record(account, now)
    transaction.disputes.remove_of(account, dispute.hand)
    return None


def _find(transaction: Transaction, code: str) -> Dispute:
    dispute = transaction.disputes.find(digest_of("dispute", code))
    if dispute is None:
        raise NoSuchCode("no open dispute has this code")
    return dispute


def _party(
    transaction: Transaction, encryption: TemplateEncryption, account: AccountId, hand: Hand
) -> Party | None:
    opened_at = transaction.references.opened_at(account)
    if opened_at is None:
        return None
    phones = transaction.devices.of_account(account)
    references = _references(transaction, encryption, account)
    return Party(
        opened_at,
        max((each.used_on for each in phones if each.used_on), default=None),
        _count(phones, PhoneTrust.TRUSTED),
        _count(phones, PhoneTrust.NEW),
        any(each.template.hand is not hand for each in references),
    )


def _references(
    transaction: Transaction, encryption: TemplateEncryption, account: AccountId
) -> list[Reference]:
    return encryption.decrypt_references(transaction.references.lock_all_of(account))


def _count(phones: Sequence[AccountPhone], trust: PhoneTrust) -> int:
    return sum(each.trust is trust for each in phones)
