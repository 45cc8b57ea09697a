"""Verification and identification of a captured palm, by one extractor or by two.

While people move to a new extractor, the previous one runs beside it. Each searches its own
gallery by its own calibration. Scores are never combined; the thresholds share the operator's
rates.

``CountedIdentification`` finds whose palm a probe is, after the question was charged.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.errors import ExtractorMismatch
from engine.gallery.port import Gallery
from engine.types import ExtractorId, Hand, PalmTemplate, Reference
from mobile_api.errors import PalmDisputed, TemplateNotAccepted, TemplateUnmatched
from mobile_api.gallery.replica import GalleryReplica
from mobile_api.gallery.template_encryption import group_of
from mobile_api.limits import Charge
from mobile_api.recognition.matcher import PalmMatcher
from mobile_api.storage.database import Database
from mobile_api.storage.stores.account_codes import PalmLock
from mobile_api.storage.stores.attempts import Question
from mobile_api.types import CapturedPalm, Clock, Device
from oidc.types import AccountId


@dataclass(frozen=True, slots=True)
class ActiveExtractor:
    """A running extractor with its gallery and matcher."""

    extractor: ExtractorId
    gallery: GalleryReplica
    matcher: PalmMatcher

    def has_references(self, hand: Hand, account: AccountId | None = None) -> bool:
        """Return whether the gallery has this hand, of an account or of anybody."""
        gallery = self.gallery.current()
        if account is None:
            return gallery.row_count(hand) > 0
        return any(r.template.hand is hand for r in gallery.references_of(group_of(account)))


@dataclass(frozen=True, slots=True)
class Identification:
    """Verifies and identifies palms.

    Attributes:
        extractors: the one that enrols and, while people move, the previous one.
    """

    extractors: Sequence[ActiveExtractor]

    @property
    def current(self) -> ActiveExtractor:
        """The extractor that enrols."""
        return self.extractors[0]

    @property
    def previous(self) -> ActiveExtractor | None:
        """The extractor that people move from."""
        return next(iter(self.extractors[1:]), None)

    def is_migrating(self) -> bool:
        """Return whether the previous extractor still has references."""
        return self.previous is not None and len(self.previous.gallery.current()) > 0

    def recognise(
        self,
        captured: CapturedPalm,
        claimed: AccountId | None,
        *,
        searches: bool,
        added: Sequence[Reference] = (),
    ) -> AccountId | None:
        """Return the claimed account, or with ``searches`` another one, if the palm matches it.

        ``added`` are references beside the claimed account's enrolled ones. May raise
        TemplateUnmatched.
        """
        if claimed is None and not searches:
            return None
        identified: list[AccountId] = []
        for matcher, gallery, probes in self._searches(captured):
            found = matcher.recognise(gallery, probes, claimed, added)
            if found.verified:
                return found.verified
            identified += [found.identified] if found.identified else []
        if claimed is not None:
            self._require_picture(captured, claimed)
        if searches and not identified:
            self._require_picture(captured, None)
        return identified[0] if searches and identified else None

    def require_enrollable(self, captured: CapturedPalm) -> None:
        """Check that a sample can be enrolled and searched for duplicates.

        Raises ExtractorMismatch, or TemplateNotAccepted if only a picture can be searched.
        """
        if captured.template.extractor != self.current.extractor:
            raise ExtractorMismatch("this service enrols with another extractor")
        if captured.previous is None and self.is_migrating():
            raise TemplateNotAccepted("during this migration, enrolment needs pictures")

    def _searches(
        self, captured: CapturedPalm
    ) -> Iterator[tuple[PalmMatcher, Gallery, Sequence[PalmTemplate]]]:
        """Yield what to compare by each extractor: of the frames only those of one palm."""
        for template in captured.templates:
            own = (each for each in self.extractors if each.extractor == template.extractor)
            active = next(own, self.current)
            frames = [t for t in captured.more if t.extractor == template.extractor]
            frames.insert(0, template)
            probes = [frames[number] for number in active.matcher.agreeing(frames)]
            yield active.matcher, active.gallery.current(), probes

    def _require_picture(self, captured: CapturedPalm, account: AccountId | None) -> None:
        """Raise TemplateUnmatched if an extractor without a template might have matched."""
        seen = {template.extractor for template in captured.templates}
        for active in self.extractors:
            if active.extractor not in seen and active.has_references(captured.hand, account):
                raise TemplateUnmatched("another extractor may know this palm: send a picture")


@dataclass(frozen=True, slots=True)
class CountedIdentification:
    """Compares palms that were charged, and lets no disputed one open anything."""

    database: Database
    identification: Identification
    clock: Clock

    def compare(
        self,
        charge: Charge,
        captured: CapturedPalm,
        claimed: AccountId | None,
        *,
        searches: bool,
        ignored_lock: PalmLock = PalmLock.NOWHERE,
        added: Sequence[Reference] = (),
    ) -> AccountId | None:
        """Compare a palm that was charged with the claimed account, by one search.

        With ``searches``, and within the budget, any other account may match. The strictest
        dispute that does not matter is ``ignored_lock``; ``added`` is what sign-ins added to
        the claimed account's references. Raises PalmDisputed or TooManyAttempts.
        """
        may_search = searches and not captured.owner_alone
        if captured.owner_alone and not charge.own_account:
            return None
        has_budget = charge.question is Question.WHOSE_PALM
        found = self.identification.recognise(
            captured, claimed, searches=may_search and has_budget, added=added
        )
        if found is None and may_search:
            charge.require(Question.WHOSE_PALM)
        if found is not None:
            self._require_undisputed(charge.device, found, captured.hand, ignored_lock)
        return found

    def _require_undisputed(
        self, device: Device, account: AccountId, hand: Hand, ignored_lock: PalmLock
    ) -> None:
        """Raise PalmDisputed unless this palm may speak for the account on this phone."""
        is_own = device.is_trusted and device.account == account
        open_to = PalmLock.NEW_PHONES if is_own else ignored_lock
        with self.database.read() as transaction:
            lock = transaction.disputes.lock_of(account, hand, self.clock())
        if lock > open_to:
            raise PalmDisputed("two people claim this palm: show your other one")
