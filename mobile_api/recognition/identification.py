"""Who is it? Asked of every extractor that is run, each with its own gallery.

While people move from one extractor to another, both are run. What one says is no evidence for
the other: each decides alone, by its own calibration, and the operator's rates are shared out
between them when their thresholds are made.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.errors import ExtractorMismatch
from engine.types import ExtractorId, Hand, PalmTemplate
from mobile_api.errors import TemplateNotAccepted
from mobile_api.gallery.replica import GalleryReplica
from mobile_api.gallery.template_encryption import group_of
from mobile_api.recognition.matcher import PalmMatcher
from mobile_api.types import CapturedPalm
from oidc.types import AccountId


@dataclass(frozen=True, slots=True)
class ActiveExtractor:
    """An extractor that is run.

    Attributes:
        extractor: its name.
        gallery: whom it knows.
        recogniser: compares its templates.
    """

    extractor: ExtractorId
    gallery: GalleryReplica
    matcher: PalmMatcher

    def has(self, hand: Hand, account: AccountId | None = None) -> bool:
        """Tell whether it knows any such palm, of an account or of anybody."""
        gallery = self.gallery.current()
        if account is None:
            return gallery.row_count(hand) > 0
        return any(r.template.hand is hand for r in gallery.references_of(group_of(account)))


@dataclass(frozen=True, slots=True)
class Identification:
    """Everybody who is enrolled, by whichever extractor.

    Attributes:
        current: the extractor that people are enrolled by.
        previous: the one that they move from; None if nobody moves.
    """

    current: ActiveExtractor
    previous: ActiveExtractor | None = None

    def verify(self, captured: CapturedPalm, account: AccountId) -> bool:
        """Tell whether a palm is of this account.

        Raises:
            TemplateNotAccepted: a template does not tell, a picture would.
        """
        for template in captured.templates:
            active = self._active_extractor(template)
            if active.matcher.verify(active.gallery.current(), [template], account):
                return True
        self._require_seen(captured, account)
        return False

    def identify(self, captured: CapturedPalm) -> AccountId | None:
        """Return the account that a palm is of, None if it is nobody's.

        Raises:
            TemplateNotAccepted: a template does not tell, a picture would.
        """
        for template in captured.templates:
            active = self._active_extractor(template)
            found = active.matcher.identify(active.gallery.current(), [template])
            if found is not None:
                return found
        self._require_seen(captured, None)
        return None

    def is_migrating(self) -> bool:
        """Tell whether anybody is still enrolled by the previous extractor."""
        return self.previous is not None and len(self.previous.gallery.current()) > 0

    def require_enrollable(self, captured: CapturedPalm) -> None:
        """Want what both extractors can look for, so that nobody is enrolled twice.

        Raises:
            ExtractorMismatch: it is not of the extractor that people are enrolled by.
            TemplateNotAccepted: only a picture can be looked at by the previous one.
        """
        if captured.template.extractor != self.current.extractor:
            raise ExtractorMismatch("people are enrolled by another extractor")
        if captured.previous is None and self.is_migrating():
            raise TemplateNotAccepted("this service wants pictures while people move")

    def _active_extractor(self, template: PalmTemplate) -> ActiveExtractor:
        if self.previous is not None and template.extractor == self.previous.extractor:
            return self.previous
        return self.current

    def _require_seen(self, captured: CapturedPalm, account: AccountId | None) -> None:
        """Want a picture if an extractor that saw nothing might know the palm.

        Raises:
            TemplateNotAccepted: it might.
        """
        seen = {template.extractor for template in captured.templates}
        for active in (self.current, self.previous):
            if active and active.extractor not in seen and active.has(captured.hand, account):
                raise TemplateNotAccepted("this palm may be known by another extractor")
