"""Validates references and probes, for every kind of gallery.

A vector that is not finite or too long would win every search.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from engine.errors import DuplicateReference, ExtractorMismatch, GalleryFault, TemplateRefused
from engine.template_codec import require_valid

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.types import ExtractorId, PalmTemplate, Reference


@dataclass(frozen=True, slots=True)
class TemplateValidator:
    """Checks templates against a gallery's extractor and vector dimension."""

    extractor: ExtractorId
    dimension: int

    def references(self, references: Sequence[Reference]) -> list[Reference]:
        """Return references that may be enrolled. Raises as ``Gallery.enrol``."""
        sound = [replace(r, template=self._sound(r.template)) for r in references]
        if len({reference.reference_id for reference in sound}) < len(sound):
            raise DuplicateReference("a reference comes twice")
        return sound

    def probes(self, probes: Sequence[PalmTemplate], count: int) -> list[PalmTemplate]:
        """Return probes that may be searched. Raises as ``Gallery.search``."""
        if not probes or count < 1:
            raise GalleryFault("a search needs at least one probe and a count of at least 1")
        sound = [self._sound(probe) for probe in probes]
        if len({probe.hand for probe in sound}) > 1:
            raise ExtractorMismatch("the probes of one search are of two hands")
        return sound

    def _sound(self, template: PalmTemplate) -> PalmTemplate:
        if template.extractor != self.extractor:
            raise ExtractorMismatch("the template is not of the gallery's extractor")
        if template.vector.shape != (self.dimension,):
            raise TemplateRefused("the template's vector is not of the gallery's dimension")
        return require_valid(template)
