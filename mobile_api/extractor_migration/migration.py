"""Moves people from the previous extractor to the current one, palm by palm, as they log in.

A picture on a phone that was its owner's before is kept as a new reference, if the previous
extractor's references vouch for it: nothing enters a gallery but what the enrolled palm itself
vouches for. When enough new references agree with each other the old ones of that palm are
erased, in the same transaction. Until then the palm is found by either.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from engine.gallery.port import Gallery
from engine.types import PalmTemplate, Reference
from mobile_api.gallery.template_encryption import TemplateEncryption
from mobile_api.observability.audit import Event
from mobile_api.recognition.identification import ActiveExtractor, Identification
from mobile_api.storage.transaction import Storage, Transaction
from mobile_api.types import CapturedPalm, Clock
from oidc.types import AccountId

REFERENCES_NEEDED: Final = 2
"""New references that must agree before old ones are erased: as many as an enrolment takes."""


@dataclass(frozen=True, slots=True)
class ExtractorMigration:
    """Moves palms.

    Attributes:
        storage: where references are kept.
        encryption: seals and opens them.
        people: both extractors.
        clock: what time it is.
    """

    storage: Storage
    encryption: TemplateEncryption
    identification: Identification
    clock: Clock

    def advance(self, account: AccountId, captured: CapturedPalm) -> None:
        """Take the next step for a palm that was recognised on its owner's own phone.

        Args:
            account: whose phone and palm it is.
            captured: what both extractors saw of one picture; nothing happens for a template.
        """
        previous = self.identification.previous
        if previous and captured.previous is not None and previous.has(captured.hand, account):
            with self.storage.writing() as transaction:
                self._step(transaction, account, previous, captured.template, captured.previous)

    def _step(
        self,
        transaction: Transaction,
        account: AccountId,
        previous: ActiveExtractor,
        new: PalmTemplate,
        old: PalmTemplate,
    ) -> None:
        """Keep a new reference, and erase what it makes superfluous."""
        head = transaction.history.lock()
        held = self.encryption.decrypt_references(transaction.references.lock_all_of(account))
        before = previous.gallery.at(transaction, head)
        known = self.identification.current.gallery.at(transaction, head)
        if not (
            previous.matcher.verify(before, [old], account)
            and self._matches_no_other(known, new, account)
        ):
            return
        outdated = self._outdated(held, previous, new)
        transaction.references.remove([reference.reference_id for reference in outdated])
        transaction.references.add(
            [self.encryption.encrypt_reference(new, account)], self.clock()
        )
        transaction.history.record(account, self.clock())
        if any(each.template.extractor == previous.extractor for each in outdated):
            extractors = {"from": previous.extractor, "to": new.extractor}
            transaction.audit.append(Event.PALM_MOVED, self.clock(), extractors)

    def _matches_no_other(
        self, gallery: Gallery, new: PalmTemplate, account: AccountId
    ) -> bool:
        matcher = self.identification.current.matcher
        if matcher.identify(gallery, [new]) == account:
            return True
        return not matcher.any_enrolled(gallery, [new])

    def _outdated(
        self, held: Sequence[Reference], previous: ActiveExtractor, new: PalmTemplate
    ) -> list[Reference]:
        """Return the references of this palm that go when the new one comes."""
        same_side = [each for each in held if each.template.hand is new.hand]
        ours = [each for each in same_side if each.template.extractor == new.extractor]
        matcher = self.identification.current.matcher
        agreeing = [each for each in ours if matcher.agree([each.template, new])]
        outdated = [each for each in ours if each not in agreeing]
        if len(agreeing) + 1 >= REFERENCES_NEEDED:
            outdated += [e for e in same_side if e.template.extractor == previous.extractor]
        return outdated
