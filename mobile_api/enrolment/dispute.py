"""Finds the one account that holds a palm which another person tries to enrol.

From then on the palm signs in only on phones that the account trusts. A person who shows it
beside another one than the account has is not its holder, or its holder is not its owner:
then it does not let a new phone ask for trust. Else its owner may have forgotten it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from engine.types import Hand
from mobile_api.codes import dispute_digest_of, new_code
from mobile_api.devices import tell_trusted
from mobile_api.enrolment.rules import ExtractorView
from mobile_api.storage.database import Transaction
from mobile_api.types import DeviceId, Dispute, NoticeKind
from oidc.types import AccountId


def find_dispute(
    views: Sequence[ExtractorView], own: AccountId | None, claimant: DeviceId, now: datetime
) -> Dispute | None:
    """Return the dispute of the first captured palm that exactly one other account holds."""
    for hand in views[0].palms:
        held = {who: as_hand for view in views for who, as_hand in view.holders(hand).items()}
        if len(held) == 1 and own not in held:
            ((account, as_hand),) = held.items()
            has_both = any(as_hand.other in view.enrolled_hands(account) for view in views)
            is_contrary = has_both and _shows_another(views, account, hand.other)
            return Dispute(account, as_hand, claimant, is_contrary, now)
    return None


def open_dispute(transaction: Transaction, dispute: Dispute) -> str:
    """Save a dispute, tell the account's trusted phones of the first; return its new code."""
    code = new_code()
    if not transaction.disputes.has_any(dispute.account, dispute.hand):
        tell_trusted(transaction, dispute.account, NoticeKind.PALM_DISPUTED, dispute.opened_at)
    transaction.disputes.add(dispute_digest_of(code), dispute)
    return code


def _shows_another(views: Sequence[ExtractorView], account: AccountId, hand: Hand) -> bool:
    """Return whether a captured palm of this hand is not the account's."""
    return all(hand in view.palms and view.is_strange_to(account, hand) for view in views)
