"""Changes of an account's references by its sign-ins on phones that it trusts.

``ExtractorMigration`` migrates references to a new extractor. A palm that matched on a trusted
phone becomes a new reference if the previous extractor's references match it, too: only an
enrolled palm adds to the gallery. Once enough new references agree, that palm's old ones are
erased in the same transaction. Until then either matches.

``AddedReferences`` follows a person whose pictures change. A palm that surely matches an
enrolled reference, but looks unlike all, is added for the phone that showed it. It decides in
this phone's sign-ins without a challenge, and only for a palm that also resembles an enrolled
reference: see M61. It is in no gallery, and is deleted when the phone leaves the account.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from engine.comparison.compare import compare_many
from engine.gallery.port import Gallery
from engine.types import PalmTemplate, Reference, ReferenceId
from mobile_api.gallery.template_encryption import TemplateEncryption
from mobile_api.observability.audit import Event
from mobile_api.recognition.identification import ActiveExtractor, Identification
from mobile_api.storage.database import Database, Transaction
from mobile_api.types import CapturedPalm, Clock, Device, DeviceId
from oidc.plumbing.columns import day_of
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


MOST_REFERENCES: Final = 6
"""Of one hand that a sign-in compares: each raises the threshold of all."""


@dataclass(frozen=True, slots=True)
class AddedReferences:
    """References that sign-ins on a phone add, for this phone.

    Attributes:
        is_on: else none is added, and none is compared.
    """

    database: Database
    encryption: TemplateEncryption
    identification: Identification
    clock: Clock
    is_on: bool

    def of(self, device: Device) -> Sequence[Reference]:
        """Return what this phone's sign-ins added to its account."""
        if not (self.is_on and device.is_trusted):
            return ()
        with self.database.read() as transaction:
            return self._of(transaction, device.device_id)

    def advance(self, device: Device, captured: CapturedPalm) -> None:
        """Add a palm that matched on a phone that its account trusts, at most one a day."""
        current, account = self.identification.current, device.account
        if not self.is_on or account is None or self._is_moving(account, captured):
            return
        with self.database.read() as transaction:
            if self._was_today(transaction, device.device_id):
                return
            added = self._of(transaction, device.device_id)
        gallery = current.gallery.current()
        for each in (captured.template, *captured.more):
            own = each.extractor == current.extractor
            if own and current.matcher.is_new_view(gallery, each, account, added):
                with self.database.write() as transaction:
                    self._add(transaction, device.device_id, account, each)
                return

    def _add(
        self,
        transaction: Transaction,
        device_id: DeviceId,
        account: AccountId,
        new: PalmTemplate,
    ) -> None:
        """Add a reference, in place of the least useful one if there are too many.

        A palm that was released meanwhile gets none.
        """
        transaction.history.lock()  # no key goes meanwhile
        exists = transaction.references.lock_account(account, alone=True)
        phone = transaction.devices.find(device_id)
        is_its = exists and phone is not None and phone.is_trusted and phone.account == account
        if not is_its or self._was_today(transaction, device_id):
            return
        added = [r for r in self._of(transaction, device_id) if r.template.hand is new.hand]
        enrolled = transaction.references.of_account(account, new.extractor)
        of_hand = [
            each
            for each in self.encryption.decrypt_references(enrolled)
            if each.template.hand is new.hand
        ]
        if not 0 < len(of_hand) < MOST_REFERENCES:
            return
        if len(of_hand) + len(added) >= MOST_REFERENCES:
            transaction.references.remove([_least_useful(added, [*of_hand, *added])])
        reference = self.encryption.encrypt_reference(new, account)
        transaction.references.add([reference], self.clock(), device_id)
        transaction.audit.append(Event.REFERENCE_ADDED, self.clock(), {})

    def _of(self, transaction: Transaction, device_id: DeviceId) -> Sequence[Reference]:
        return self.encryption.decrypt_references(transaction.references.added_by(device_id))

    def _was_today(self, transaction: Transaction, device_id: DeviceId) -> bool:
        return transaction.references.has_added(device_id, day_of(self.clock()))

    def _is_moving(self, account: AccountId, captured: CapturedPalm) -> bool:
        """Return whether an earlier extractor still knows this palm: its move comes first."""
        previous = self.identification.previous
        return previous is not None and previous.has_references(captured.hand, account)


def _least_useful(added: Sequence[Reference], beside: Sequence[Reference]) -> ReferenceId:
    """Return which added reference is most like another one of its extractor."""

    def likeness(one: Reference) -> float:
        others = [
            each.template
            for each in beside
            if each is not one and each.template.extractor == one.template.extractor
        ]
        return float(max(compare_many(one.template, others), default=1.0))

    return max(added, key=likeness).reference_id
