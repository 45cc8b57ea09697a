"""Finds the one account that holds a palm which somebody else tries to enrol."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from engine.types import Hand
from mobile_api.codes import dispute_digest_of, new_code
from mobile_api.enrolment.rules import ExtractorView
from mobile_api.recognition.matcher import mirrored
from mobile_api.storage.transaction import Transaction
from mobile_api.types import Dispute
from oidc.types import AccountId


def find_dispute(
    views: Sequence[ExtractorView], own: AccountId | None, now: datetime
) -> Dispute | None:
    """Return the dispute of the first captured palm that exactly one other account holds."""
    for hand in views[0].palms:
        held = {account: as_hand for view in views for account, as_hand in _held(view, hand)}
        if len(held) == 1 and own not in held:
            ((account, as_hand),) = held.items()
            return Dispute(account, as_hand, now)
    return None


def open_dispute(transaction: Transaction, dispute: Dispute) -> str:
    """Save a dispute and return its new code."""
    code = new_code()
    transaction.disputes.add(dispute_digest_of(code), dispute)
    return code


def _held(view: ExtractorView, hand: Hand) -> list[tuple[AccountId, Hand]]:
    """Return the accounts of a palm, each with the hand as which it is enrolled there."""
    palm = view.palms[hand]
    flipped = [mirrored(sample) for sample in palm]
    return [
        (account, samples[0].hand)
        for samples in (flipped, palm)
        for account in view.matcher.holders(view.gallery, samples)
    ]
