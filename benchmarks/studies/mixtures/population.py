"""A gallery of many palms, an account each, in which one more enrols."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING
from uuid import UUID

from engine.decision.calibration import threshold_for_fpir
from engine.gallery.search.adaptive import AdaptiveGallery
from engine.types import Hand, PalmTemplate, Reference, ReferenceId
from mobile_api.enrolment.rules import ExtractorView, new_palms, palms_of
from mobile_api.errors import MobileError
from mobile_api.gallery.template_encryption import group_of
from oidc.types import AccountId

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from benchmarks.datasets.drawn import DrawnTemplates
    from engine.decision.calibration import Calibration
    from engine.types import ExtractorId
    from mobile_api.recognition.matcher import PalmMatcher

_BATCH = 1_000


class Population:
    """Palms that are enrolled already, each in an account of its own."""

    def __init__(self, extractor: ExtractorId, dimension: int) -> None:
        self._gallery = AdaptiveGallery(extractor, dimension)
        self._extractor = extractor
        self._accounts: dict[Hashable, AccountId] = {}
        self._numbers = count(1)

    @property
    def rows(self) -> dict[str, int]:
        """References by hand."""
        return {hand.value: self._gallery.row_count(hand) for hand in Hand}

    def enrol(self, palms: Mapping[Hashable, Sequence[PalmTemplate]]) -> None:
        """Enrol palms, or enrol them anew; one without templates leaves."""
        references = []
        for name, templates in palms.items():
            account = self._accounts.setdefault(name, AccountId(UUID(int=next(self._numbers))))
            self._gallery.erase_group(group_of(account))
            references += [self._reference(account, template) for template in templates]
        for first in range(0, len(references), _BATCH):
            self._gallery.enrol(references[first : first + _BATCH])

    def enrol_drawn(self, drawn: DrawnTemplates) -> None:
        """Enrol drawn palms, the first view of each, half of them as either hand."""
        vectors = drawn.unit_vectors()[:, 0]
        made = zip(vectors, drawn.codes[:, 0], strict=True)
        self.enrol(
            {
                number: [PalmTemplate(self._extractor, tuple(Hand)[number % 2], vector, code)]
                for number, (vector, code) in enumerate(made)
            }
        )

    def verdict(self, samples: Sequence[PalmTemplate], matcher: PalmMatcher) -> str:
        """Return the code with which the service refuses them, empty if it does not."""
        try:
            new_palms([ExtractorView(palms_of(samples), self._gallery, matcher)], None)
        except MobileError as refused:
            return refused.code
        return ""

    def similar(
        self, samples: Sequence[PalmTemplate], calibration: Calibration, rates: Sequence[float]
    ) -> list[int]:
        """Count accounts that any sample resembles at the threshold of each rate."""
        found = [each for sample in samples for each in self._gallery.search([sample])]
        rows = self._gallery.row_count(samples[0].hand)
        levels = [threshold_for_fpir(calibration, rate, rows) for rate in rates]
        return [len({e.group_id for e in found if e.score >= level}) for level in levels]

    def _reference(self, account: AccountId, template: PalmTemplate) -> Reference:
        name = ReferenceId(UUID(int=next(self._numbers)))
        return Reference(name, group_of(account), template)
