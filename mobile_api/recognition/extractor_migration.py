"""Migrates references from the previous extractor to the current one as people log in.

An undisputed picture from a phone that the account trusts becomes a new reference if it also
matches the previous extractor's references: only an enrolled palm adds to the gallery. Once
enough new references agree, that palm's old ones are erased in the same transaction. Until then
either matches.
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
from mobile_api.storage.database import Database, Transaction
from mobile_api.types import CapturedPalm, Clock
from oidc.types import AccountId

REFERENCES_NEEDED: Final = 2
"""Before old references are erased; as many as an enrolment needs."""


@dataclass(frozen=True, slots=True)
class ExtractorMigration:
    """Migrates palms one by one."""

    database: Database
    encryption: TemplateEncryption
    identification: Identification
    clock: Clock

    def advance(self, account: AccountId, captured: CapturedPalm) -> None:
        """Migrate a palm one step after it matched on a phone that its account trusts.

        A template made on the phone lacks the previous extractor's: it changes nothing.
        """
        previous, old = self.identification.previous, captured.previous
        if previous is None or old is None:
            return
        if previous.has_references(captured.hand, account):
            with self.database.write() as transaction:
                self._step(transaction, account, previous, captured.template, old)

    def _step(
        self,
        transaction: Transaction,
        account: AccountId,
        previous: ActiveExtractor,
        new: PalmTemplate,
        old: PalmTemplate,
    ) -> None:
        """Add the new template and erase the references it replaces."""
        head = transaction.history.lock()
        references = self.encryption.decrypt_references(
            transaction.references.lock_all_of(account)
        )
        before = previous.gallery.at(transaction, head)
        after = self.identification.current.gallery.at(transaction, head)
        if not (
            previous.matcher.verify(before, [old], account)
            and self._matches_no_other(after, new, account)
        ):
            return
        outdated = self._outdated(references, previous, new)
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
        return not matcher.holders(gallery, [new])

    def _outdated(
        self, references: Sequence[Reference], previous: ActiveExtractor, new: PalmTemplate
    ) -> list[Reference]:
        same_side = [each for each in references if each.template.hand is new.hand]
        migrated = [each for each in same_side if each.template.extractor == new.extractor]
        matcher = self.identification.current.matcher
        agreeing = [each for each in migrated if matcher.agree([each.template, new])]
        outdated = [each for each in migrated if each not in agreeing]
        if len(agreeing) + 1 >= REFERENCES_NEEDED:
            outdated += [
                each for each in same_side if each.template.extractor == previous.extractor
            ]
        return outdated
