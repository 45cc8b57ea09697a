"""Use case: samples of a palm become an account with references.

Samples are stored encrypted until the enrolment finishes or expires. Finishing is one
transaction. Both palms are searched for, each alone: one that an account holds joins no
other account.

A phone with an account may add its owner's other palm. The enrolment must then include an
enrolled palm, as proof of who holds the phone.
"""

import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import uuid4

from engine.errors import PresentationAttack
from engine.features.code_bytes import require_shown
from engine.parameters import ENROLLED_SEEN_SHARE
from engine.types import Hand, PalmTemplate
from mobile_api.account.gate import LIFETIME, AccountGate
from mobile_api.account.rules import Operation
from mobile_api.enrolment.duplicate_check import DuplicateCheck
from mobile_api.enrolment.rules import (
    REFERENCES_KEPT,
    ExtractorView,
    agreeing,
    find_dispute,
    new_palms,
    open_dispute,
    palms_of,
    require_enough,
    require_new,
    require_two_palms,
)
from mobile_api.errors import (
    AlreadyEnrolled,
    EnrolmentGone,
    MobileError,
    OnePalmTwice,
    PalmMismatch,
    SamplesRepeat,
    TooManySamples,
)
from mobile_api.gallery.template_encryption import TemplateEncryption
from mobile_api.limits import GalleryBudget
from mobile_api.observability.audit import Event
from mobile_api.recognition.identification import Identification
from mobile_api.settings import MobileSettings
from mobile_api.storage.database import Database, Transaction
from mobile_api.types import (
    CapturedPalm,
    Clock,
    ConsentGiven,
    Device,
    EnrolmentId,
    PendingEnrolment,
    SampleCounts,
    SampleId,
)
from oidc.types import AccountId

ID_BYTES: Final = 16
"""128 bits. OWASP ASVS 5.0 §11.5.1."""


@dataclass(frozen=True, slots=True)
class Enrolled:
    """How many references each palm has, and when the proof of the palms ends."""

    counts: SampleCounts
    proof_ends_at: datetime


@dataclass(frozen=True, slots=True)
class AddedSample:
    """How many samples of each palm match each other, and whether the new one does."""

    counts: SampleCounts
    is_counted: bool


@dataclass(frozen=True, slots=True)
class EnrolmentService:
    """Collects samples and enrols them.

    Attributes:
        budget: charges each sample when it arrives.
    """

    database: Database
    encryption: TemplateEncryption
    identification: Identification
    duplicates: DuplicateCheck
    budget: GalleryBudget
    gate: AccountGate
    clock: Clock
    settings: MobileSettings

    def open(self, device: Device, consent: ConsentGiven) -> PendingEnrolment:
        """Start an enrolment; an earlier one of this device is discarded."""
        enrolment = PendingEnrolment(
            EnrolmentId(secrets.token_urlsafe(ID_BYTES)),
            device.device_id,
            consent,
            consent.at + timedelta(seconds=self.settings.enrolment_lifetime_s),
            enrolled=None,
        )
        with self.database.write() as transaction:
            transaction.enrolments.discard(device.device_id)
            transaction.devices.hold(device.device_id)
            transaction.enrolments.create(enrolment)
        return enrolment

    def require_allowed(self, device: Device, enrolment_id: EnrolmentId) -> None:
        """Require an open enrolment and budget for a sample.

        Raises EnrolmentGone or TooManyAttempts.
        """
        with self.database.read() as transaction:
            self._require_open(transaction, device, enrolment_id)
            self.budget.require_allowed(transaction, device)

    def acquire(
        self, device: Device, enrolment_id: EnrolmentId, read: Callable[[], CapturedPalm]
    ) -> CapturedPalm:
        """Read a picture for an enrolment below its limits; charge one that shows an artefact.

        Raises EnrolmentGone, TooManyAttempts, or what ``read`` raises.
        """
        self.require_allowed(device, enrolment_id)
        try:
            return read()
        except PresentationAttack:
            self.budget.charge(device, own_account=False)
            raise

    def add_views(
        self, device: Device, enrolment_id: EnrolmentId, views: Sequence[CapturedPalm]
    ) -> AddedSample:
        """Store several views of a palm, but no copies; return what ``add_sample`` did last.

        Raises as ``add_sample``, SamplesRepeat only if all are copies.
        """
        added = None
        for view in views:
            with suppress(SamplesRepeat):
                added = self.add_sample(device, enrolment_id, view)
        if added is None:
            raise SamplesRepeat("these views repeat earlier ones")
        return added

    def add_sample(
        self, device: Device, enrolment_id: EnrolmentId, captured: CapturedPalm
    ) -> AddedSample:
        """Store one more sample, also one that matches no other.

        Raises EnrolmentGone, SamplesRepeat, TooManySamples, TooManyAttempts, ExtractorMismatch,
        TemplateNotAccepted or QualityTooLow.
        """
        self.identification.require_enrollable(captured)
        require_shown(captured.template.code, ENROLLED_SEEN_SHARE)
        sample = self.encryption.encrypt_sample(captured, enrolment_id)
        matcher = self.identification.current.matcher
        with self.database.write() as transaction:
            self._require_open(transaction, device, enrolment_id)
            encrypted = transaction.enrolments.samples(enrolment_id)
            earlier = self.encryption.decrypt_samples(encrypted, enrolment_id)
            templates = [each.template for each in earlier]
            require_new(captured.template, templates, matcher)
            attempt = self.budget.charge_sample(transaction, device)
            counts = transaction.enrolments.add_sample(enrolment_id, sample, attempt)
            if counts.of(captured.hand) > self.settings.samples_limit:
                raise TooManySamples("there are enough samples of this palm")
        self.duplicates.search(sample.sample_id, captured.template)
        templates.append(captured.template)
        kept = agreeing(templates, matcher)
        counts = _counts([templates[number] for number in kept])
        return AddedSample(counts, len(templates) - 1 in kept)

    def finish(self, device: Device, enrolment_id: EnrolmentId) -> Enrolled:
        """Enrol the samples that match each other.

        A phone that lost the response may repeat this. The enrolment stays open after
        TooFewSamples and SamplesDisagree, and after AlreadyEnrolled if that leaves a palm of
        no account: finishing again enrols it alone.

        Raises EnrolmentGone, TooFewSamples, SamplesDisagree, OnePalmTwice, AlreadyEnrolled,
        PalmMismatch, or as ``AccountGate.lock`` for a phone that became trusted meanwhile.
        """
        with self.database.write() as transaction:
            outcome = self._outcome(transaction, device, enrolment_id)
        if isinstance(outcome, MobileError):
            raise outcome
        return outcome

    def _outcome(
        self, transaction: Transaction, device: Device, enrolment_id: EnrolmentId
    ) -> Enrolled | MobileError:
        """Enrol, or return the refusal, so that what it ends is committed."""
        enrolment = self._find_pending(transaction, device, enrolment_id)
        if enrolment.enrolled is not None:
            return Enrolled(enrolment.enrolled, enrolment.expires_at)
        encrypted = transaction.enrolments.samples(enrolment_id)
        samples = self.encryption.decrypt_samples(encrypted, enrolment_id)
        templates = [sample.template for sample in samples]
        kept = agreeing(templates, self.identification.current.matcher)
        require_enough(templates, kept)
        sample_ids = [encrypted[number].sample_id for number in kept]
        try:
            views = self._views(transaction, [samples[number] for number in kept], sample_ids)
            require_two_palms(views[0].palms, views[0].matcher)
            enrolled = self._enrol(transaction, enrolment, views)
        except AlreadyEnrolled as refused:
            for hand in set(Hand) - set(refused.others):
                transaction.enrolments.remove_samples(enrolment_id, hand)
            return refused
        except (OnePalmTwice, PalmMismatch) as refused:
            transaction.enrolments.discard(device.device_id)
            return refused
        transaction.attempts.clear_samples(enrolment_id)
        proof_ends_at = self.clock() + LIFETIME
        transaction.enrolments.finish(enrolment_id, enrolled, proof_ends_at)
        event = Event.PALM_ADDED if device.is_trusted else Event.ACCOUNT_OPENED
        counts = {"left": enrolled.left, "right": enrolled.right}
        transaction.audit.append(event, self.clock(), counts)
        return Enrolled(enrolled, proof_ends_at)

    def _enrol(
        self,
        transaction: Transaction,
        enrolment: PendingEnrolment,
        views: Sequence[ExtractorView],
    ) -> SampleCounts:
        device, account = transaction.devices.find(enrolment.device_id), None
        # A phone that a palm alone has bound leaves that account for the one it opens.
        if device is not None and device.is_trusted:
            account = self.gate.lock(transaction, device, Operation.ADD_PALM)
        try:
            new = new_palms(views, account)
        except AlreadyEnrolled as refused:
            dispute = find_dispute(views, account, enrolment.device_id, self.clock())
            code = None if dispute is None else open_dispute(transaction, dispute)
            others = [] if account else [h for h in views[0].palms if h not in refused.known]
            raise AlreadyEnrolled(str(refused), refused.known, others, code) from refused
        if account is None:
            account = self._open_account(transaction, enrolment)
        matcher = views[0].matcher
        kept = (matcher.covering(palm, REFERENCES_KEPT) for palm in new.values())
        templates = [sample for palm in kept for sample in palm]
        self._enrol_templates(transaction, account, templates)
        return _counts(templates)

    def _open_account(self, transaction: Transaction, enrolment: PendingEnrolment) -> AccountId:
        account, now = AccountId(uuid4()), self.clock()
        transaction.references.create_account(account, enrolment.consent)
        transaction.devices.unbind_new(enrolment.device_id)
        if not transaction.devices.bind(enrolment.device_id, account, now, trusted=True):
            raise EnrolmentGone("this phone became trusted meanwhile")
        return account

    def _views(
        self,
        transaction: Transaction,
        samples: Sequence[CapturedPalm],
        sample_ids: Sequence[SampleId],
    ) -> list[ExtractorView]:
        head, current = transaction.history.lock(), self.identification.current
        of_current = palms_of([sample.template for sample in samples])
        gallery = current.gallery.at(transaction, head)
        unmatched = self.duplicates.unmatched(transaction, head, sample_ids, of_current)
        view = ExtractorView(of_current, gallery, current.matcher, unmatched)
        return [view, *self._previous_views(transaction, head, samples)]

    def _previous_views(
        self, transaction: Transaction, head: int, samples: Sequence[CapturedPalm]
    ) -> list[ExtractorView]:
        """Return what the previous extractor sees, at the locked change ``head``.

        Raises TemplateNotAccepted if a sample lacks its template.
        """
        previous = self.identification.previous
        if previous is None or not len(gallery := previous.gallery.at(transaction, head)):
            return []
        for sample in samples:
            self.identification.require_enrollable(sample)
        palms = palms_of([each.previous for each in samples if each.previous is not None])
        return [ExtractorView(palms, gallery, previous.matcher)]

    def _enrol_templates(
        self, transaction: Transaction, account: AccountId, templates: list[PalmTemplate]
    ) -> None:
        now = self.clock()
        references = [self.encryption.encrypt_reference(each, account) for each in templates]
        transaction.references.add(references, now)
        transaction.history.record(account, now)

    def _require_open(
        self, transaction: Transaction, device: Device, enrolment_id: EnrolmentId
    ) -> None:
        if self._find_pending(transaction, device, enrolment_id).enrolled is not None:
            raise EnrolmentGone("the enrolment is finished")

    def _find_pending(
        self, transaction: Transaction, device: Device, enrolment_id: EnrolmentId
    ) -> PendingEnrolment:
        enrolment = transaction.enrolments.lock(enrolment_id, device.device_id, self.clock())
        if enrolment is None:
            raise EnrolmentGone("no such enrolment is open")
        return enrolment


def _counts(templates: Sequence[PalmTemplate]) -> SampleCounts:
    left = sum(each.hand is Hand.LEFT for each in templates)
    return SampleCounts(left, len(templates) - left)
