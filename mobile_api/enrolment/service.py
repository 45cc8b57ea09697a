"""Use case: samples of a palm become an account with references.

Samples are stored encrypted until the enrolment finishes or expires. Finishing is one
transaction. Both palms are searched for, each alone: one that an account holds joins no
other account.

A phone with an account may add its owner's other palm. The enrolment must then include an
enrolled palm, as proof of who holds the phone.
"""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import uuid4

from engine.errors import PresentationAttack
from engine.features.code_bytes import require_shown
from engine.parameters import ENROLLED_SEEN_SHARE
from engine.types import Hand, PalmTemplate
from mobile_api.account.gate import LIFETIME, AccountGate
from mobile_api.account.rules import Operation
from mobile_api.enrolment.duplicate_check import Searched, search, unmatched_hands
from mobile_api.enrolment.rules import (
    REFERENCES_KEPT,
    ExtractorView,
    Palms,
    Refused,
    agreeing,
    decide,
    find_dispute,
    new_views,
    open_dispute,
    palms_of,
    require_enough,
    stored_before,
)
from mobile_api.errors import (
    AlreadyEnrolled,
    EnrolmentGone,
    OnePalmTwice,
    PalmMismatch,
    TooManySamples,
)
from mobile_api.gallery.template_encryption import TemplateEncryption
from mobile_api.limits import GalleryBudget
from mobile_api.observability.audit import Event
from mobile_api.recognition.acquisition import Acquisition
from mobile_api.recognition.identification import Identification
from mobile_api.settings import MobileSettings
from mobile_api.storage.database import Database, Transaction
from mobile_api.storage.stores.enrolments import PendingEnrolment
from mobile_api.storage.stores.references import ConsentGiven
from mobile_api.types import CapturedPalm, Clock, Device, EnrolmentId, SampleCounts, SampleId
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
    budget: GalleryBudget
    acquisition: Acquisition
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

    def acquire(self, device: Device, enrolment_id: EnrolmentId, image: bytes) -> CapturedPalm:
        """Read a picture for an enrolment below its limits; charge one that shows an artefact.

        Raises EnrolmentGone, TooManyAttempts, or what ``read`` raises.
        """
        self.require_allowed(device, enrolment_id)
        try:
            return self.acquisition.from_picture(image)
        except PresentationAttack:
            self.budget.charge(device, own_account=False)
            raise

    def add(
        self, device: Device, enrolment_id: EnrolmentId, views: Sequence[CapturedPalm]
    ) -> AddedSample:
        """Store views of a palm, but no copies, also those that match no other sample.

        A phone that lost the response may repeat this.

        Raises EnrolmentGone, SamplesRepeat if all are copies, TooManySamples, TooManyAttempts,
        ExtractorMismatch, TemplateNotAccepted or QualityTooLow.
        """
        for view in views:
            self.identification.require_enrollable(view)
            require_shown(view.template.code, ENROLLED_SEEN_SHARE)
        matcher = self.identification.current.matcher
        with self.database.write() as transaction:
            self._require_open(transaction, device, enrolment_id)
            samples = self._samples(transaction, enrolment_id)
            templates = [each.template for each in samples.values()]
            stored = stored_before(views, templates)
            if stored is None:
                for view in new_views(views, templates, matcher):
                    self._store(transaction, device, enrolment_id, view)
                    templates.append(view.template)
                stored = len(templates) - 1
        kept = agreeing(templates, matcher)
        return AddedSample(_counts([templates[n] for n in kept]), stored in kept)

    def finish(self, device: Device, enrolment_id: EnrolmentId) -> Enrolled:
        """Enrol the samples that match each other.

        A phone that lost the response may repeat this. The enrolment stays open after
        TooFewSamples and SamplesDisagree, and after AlreadyEnrolled if that leaves a palm of
        no account: finishing again enrols it alone.

        Raises EnrolmentGone, TooFewSamples, SamplesDisagree, OnePalmTwice, AlreadyEnrolled,
        PalmMismatch, or as ``AccountGate.lock`` for a phone that became trusted meanwhile.
        """
        searched = self._search(device, enrolment_id)
        with self.database.write() as transaction:
            enrolment = self._find_pending(transaction, device, enrolment_id)
            if enrolment.enrolled is not None:
                return Enrolled(enrolment.enrolled, enrolment.expires_at)
            samples = self._agreeing(transaction, enrolment_id)
            views = self._views(transaction, samples, searched)
            owner = self._lock_owner(transaction, enrolment)
            decided = decide(views, owner)
            if not isinstance(decided, Refused):
                return self._enrol(transaction, enrolment, owner, decided)
            refusal = self._refuse(transaction, enrolment, owner, views, decided)
        raise refusal

    def _search(self, device: Device, enrolment_id: EnrolmentId) -> Searched:
        """Search for the samples that match each other, before anything is locked."""
        with self.database.read() as transaction:
            enrolment = self._find_pending(transaction, device, enrolment_id)
            is_over = enrolment.enrolled is not None
            samples = {} if is_over else self._agreeing(transaction, enrolment_id)
        if samples and device.is_trusted:
            self.gate.require(device, Operation.ADD_PALM)  # a refusal costs no search
        templates = {name: each.template for name, each in samples.items()}
        return search(self.database, self.identification.current, templates)

    def _store(
        self,
        transaction: Transaction,
        device: Device,
        enrolment_id: EnrolmentId,
        view: CapturedPalm,
    ) -> None:
        """Charge a sample and store it."""
        sample = self.encryption.encrypt_sample(view, enrolment_id)
        attempt = self.budget.charge_sample(transaction, device)
        counts = transaction.enrolments.add_sample(enrolment_id, sample, attempt)
        if counts.of(view.hand) > self.settings.samples_limit:
            raise TooManySamples("there are enough samples of this palm")

    def _samples(
        self, transaction: Transaction, enrolment_id: EnrolmentId
    ) -> dict[SampleId, CapturedPalm]:
        """Return the samples so far, in the order of arrival."""
        encrypted = transaction.enrolments.samples(enrolment_id)
        samples = self.encryption.decrypt_samples(encrypted, enrolment_id)
        return dict(zip((each.sample_id for each in encrypted), samples, strict=True))

    def _agreeing(
        self, transaction: Transaction, enrolment_id: EnrolmentId
    ) -> dict[SampleId, CapturedPalm]:
        """Return the samples that match each other. Raises TooFewSamples or SamplesDisagree."""
        samples = self._samples(transaction, enrolment_id)
        templates = [each.template for each in samples.values()]
        kept = agreeing(templates, self.identification.current.matcher)
        require_enough(templates, kept)
        found = list(samples.items())
        return dict(found[number] for number in kept)

    def _lock_owner(
        self, transaction: Transaction, enrolment: PendingEnrolment
    ) -> AccountId | None:
        """Return the locked account that gets the palms; None: a new one.

        A phone that a palm alone has bound leaves that account for the one it opens.
        """
        device = transaction.devices.find(enrolment.device_id)
        if device is None or not device.is_trusted:
            return None
        return self.gate.lock(transaction, device, Operation.ADD_PALM)

    def _refuse(
        self,
        transaction: Transaction,
        enrolment: PendingEnrolment,
        owner: AccountId | None,
        views: Sequence[ExtractorView],
        refused: Refused,
    ) -> AlreadyEnrolled | OnePalmTwice | PalmMismatch:
        """End what is refused; palms of no account stay, to be enrolled alone."""
        if refused.error is not AlreadyEnrolled:
            transaction.enrolments.discard(enrolment.device_id)
            return refused.error(refused.reason)
        dispute = find_dispute(views, owner, enrolment.device_id, self.clock())
        code = None if dispute is None else open_dispute(transaction, dispute)
        others = [] if owner else [h for h in views[0].palms if h not in refused.known]
        for hand in set(Hand) - set(others):
            transaction.enrolments.remove_samples(enrolment.enrolment_id, hand)
        return AlreadyEnrolled(refused.reason, refused.known, others, code)

    def _enrol(
        self,
        transaction: Transaction,
        enrolment: PendingEnrolment,
        owner: AccountId | None,
        new: Palms,
    ) -> Enrolled:
        """Enrol the views that cover each palm, and finish the enrolment."""
        account, now = owner or self._open_account(transaction, enrolment), self.clock()
        covering = self.identification.current.matcher.covering
        templates = [each for palm in new.values() for each in covering(palm, REFERENCES_KEPT)]
        references = [self.encryption.encrypt_reference(each, account) for each in templates]
        transaction.references.add(references, now)
        transaction.history.record(account, now)
        transaction.attempts.clear_samples(enrolment.enrolment_id)
        enrolled = Enrolled(_counts(templates), now + LIFETIME)
        transaction.enrolments.finish(
            enrolment.enrolment_id, enrolled.counts, enrolled.proof_ends_at
        )
        event = Event.PALM_ADDED if owner else Event.ACCOUNT_OPENED
        transaction.audit.append(event, now, asdict(enrolled.counts))
        return enrolled

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
        samples: Mapping[SampleId, CapturedPalm],
        searched: Searched,
    ) -> list[ExtractorView]:
        """Return what each extractor sees, the gallery locked, the current one first."""
        head, current = transaction.history.lock(), self.identification.current
        templates = {name: each.template for name, each in samples.items()}
        unmatched = unmatched_hands(transaction, head, searched, current, templates)
        gallery, palms = current.gallery.at(transaction, head), palms_of([*templates.values()])
        view = ExtractorView(palms, gallery, current.matcher, unmatched)
        return [view, *self._previous_views(transaction, head, list(samples.values()))]

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
