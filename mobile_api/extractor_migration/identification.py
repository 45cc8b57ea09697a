"""Verification and identification while two extractors are running.

Each searches its own gallery by its own calibration. Scores are never combined; the thresholds
already share the operator's rates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.types import PalmTemplate
from mobile_api.enrolment.rules import ExtractorView, palms_of
from mobile_api.errors import TemplateNotAccepted
from mobile_api.recognition.identification import ActiveExtractor, Identification
from mobile_api.storage.transaction import Transaction
from mobile_api.types import CapturedPalm
from oidc.types import AccountId


@dataclass(frozen=True, slots=True)
class MigratingIdentification(Identification):
    """Verifies and identifies palms by either extractor."""

    previous: ActiveExtractor

    @property
    def extractors(self) -> Sequence[ActiveExtractor]:
        """Both extractors, the current one first."""
        return (self.current, self.previous)

    def verify(
        self, captured: CapturedPalm, account: AccountId, *, spread: bool = False
    ) -> bool:
        """Tell whether a palm matches this account by either extractor."""
        for template in captured.templates:
            active = self._extractor_of(template)
            if active.matcher.verify(
                active.gallery.current(), [template], account, spread=spread
            ):
                return True
        self._require_picture(captured, account)
        return False

    def identify(self, captured: CapturedPalm) -> AccountId | None:
        """Return the account that a palm matches by either extractor."""
        for template in captured.templates:
            active = self._extractor_of(template)
            found = active.matcher.identify(active.gallery.current(), [template])
            if found is not None:
                return found
        self._require_picture(captured, None)
        return None

    def is_migrating(self) -> bool:
        """Tell whether the previous extractor still has references."""
        return len(self.previous.gallery.current()) > 0

    def require_enrollable(self, captured: CapturedPalm) -> None:
        """Check that both extractors can search for duplicates of a sample."""
        Identification.require_enrollable(self, captured)
        if captured.previous is None and self.is_migrating():
            raise TemplateNotAccepted("during this migration, enrolment needs pictures")

    def _extractor_of(self, template: PalmTemplate) -> ActiveExtractor:
        is_previous = template.extractor == self.previous.extractor
        return self.previous if is_previous else self.current

    def _require_picture(self, captured: CapturedPalm, account: AccountId | None) -> None:
        """Raise TemplateNotAccepted if an extractor without a template might have matched."""
        seen = {template.extractor for template in captured.templates}
        for active in self.extractors:
            if active.extractor not in seen and active.has_references(captured.hand, account):
                raise TemplateNotAccepted(
                    "another extractor may know this palm: send a picture"
                )


def previous_views(
    identification: Identification,
    transaction: Transaction,
    head: int,
    samples: Sequence[CapturedPalm],
) -> list[ExtractorView]:
    """Return the previous extractor's view of an enrolment, at the locked change ``head``.

    Raises TemplateNotAccepted if a sample lacks its template.
    """
    if not isinstance(identification, MigratingIdentification):
        return []
    previous = identification.previous
    gallery = previous.gallery.at(transaction, head)
    if not len(gallery):
        return []
    for sample in samples:
        identification.require_enrollable(sample)
    palms = palms_of([each.previous for each in samples if each.previous is not None])
    return [ExtractorView(palms, gallery, previous.matcher)]
