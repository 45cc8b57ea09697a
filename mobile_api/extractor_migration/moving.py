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
        vault: seals and opens them.
        people: both extractors.
        clock: what time it is.
    """

    storage: Storage
    vault: TemplateEncryption
    people: Identification
    clock: Clock

    def advance(self, account: AccountId, shown: CapturedPalm) -> None:
        """Take the next step for a palm that was recognised on its owner's own phone.

        Args:
            account: whose phone and palm it is.
            shown: what both extractors saw of one picture; nothing happens for a template.
        """
        previous = self.people.previous
        if previous and shown.previous is not None and previous.has(shown.hand, account):
            with self.storage.writing() as transaction:
                self._step(transaction, account, previous, shown.template, shown.previous)

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
        held = self.vault.open_references(transaction.references.lock_all_of(account))
        before = previous.gallery.at(transaction, head)
        known = self.people.current.gallery.at(transaction, head)
        if not (
            previous.recogniser.verify(before, [old], account)
            and self._is_nobody_elses(known, new, account)
        ):
            return
        outdated = self._superfluous(held, previous, new)
        transaction.references.remove([reference.reference_id for reference in outdated])
        transaction.references.add([self.vault.seal_reference(new, account)], self.clock())
        transaction.history.record(account, self.clock())
        if any(each.template.extractor == previous.extractor for each in outdated):
            extractors = {"from": previous.extractor, "to": new.extractor}
            transaction.audit.append(Event.PALM_MOVED, self.clock(), extractors)

    def _is_nobody_elses(self, gallery: Gallery, new: PalmTemplate, account: AccountId) -> bool:
        recogniser = self.people.current.recogniser
        if recogniser.identify(gallery, [new]) == account:
            return True
        return not recogniser.is_somebodys(gallery, [new])

    def _superfluous(
        self, held: Sequence[Reference], previous: ActiveExtractor, new: PalmTemplate
    ) -> list[Reference]:
        """Return the references of this palm that go when the new one comes."""
        same_side = [each for each in held if each.template.hand is new.hand]
        ours = [each for each in same_side if each.template.extractor == new.extractor]
        recogniser = self.people.current.recogniser
        agreeing = [each for each in ours if recogniser.agree([each.template, new])]
        outdated = [each for each in ours if each not in agreeing]
        if len(agreeing) + 1 >= REFERENCES_NEEDED:
            outdated += [e for e in same_side if e.template.extractor == previous.extractor]
        return outdated
