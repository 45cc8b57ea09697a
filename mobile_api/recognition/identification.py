"""Verification and identification of a captured palm, by the extractor that is running."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.errors import ExtractorMismatch
from engine.types import ExtractorId, Hand
from mobile_api.gallery.replica import GalleryReplica
from mobile_api.gallery.template_encryption import group_of
from mobile_api.recognition.matcher import PalmMatcher
from mobile_api.types import CapturedPalm
from oidc.types import AccountId


@dataclass(frozen=True, slots=True)
class ActiveExtractor:
    """A running extractor with its gallery and matcher."""

    extractor: ExtractorId
    gallery: GalleryReplica
    matcher: PalmMatcher

    def has_references(self, hand: Hand, account: AccountId | None = None) -> bool:
        """Tell whether the gallery has this hand, of an account or of anybody."""
        gallery = self.gallery.current()
        if account is None:
            return gallery.row_count(hand) > 0
        return any(r.template.hand is hand for r in gallery.references_of(group_of(account)))


@dataclass(frozen=True, slots=True)
class Identification:
    """Verifies and identifies palms.

    Attributes:
        current: the extractor that enrols.
    """

    current: ActiveExtractor

    @property
    def extractors(self) -> Sequence[ActiveExtractor]:
        """All running extractors."""
        return (self.current,)

    def verify(
        self, captured: CapturedPalm, account: AccountId, *, spread: bool = False
    ) -> bool:
        """Tell whether a palm matches this account. May raise TemplateNotAccepted.

        ``spread``: by all of the palm, as no phone vouches for it.
        """
        gallery = self.current.gallery.current()
        return self.current.matcher.verify(gallery, [captured.template], account, spread=spread)

    def identify(self, captured: CapturedPalm) -> AccountId | None:
        """Return the account that a palm matches, or None. May raise TemplateNotAccepted."""
        gallery = self.current.gallery.current()
        return self.current.matcher.identify(gallery, [captured.template])

    def require_enrollable(self, captured: CapturedPalm) -> None:
        """Check that a sample can be enrolled and searched for duplicates.

        Raises ExtractorMismatch, or TemplateNotAccepted if only a picture can be searched.
        """
        if captured.template.extractor != self.current.extractor:
            raise ExtractorMismatch("this service enrols with another extractor")
