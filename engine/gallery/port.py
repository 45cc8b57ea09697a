"""The port of a gallery: what every implementation promises.

References are grouped under an opaque ``GroupId`` of the caller. A probe is only compared with
references of its own hand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from engine.parameters import COMPARED_GROUPS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.types import Candidate, GroupId, Hand, PalmTemplate, Reference, ReferenceId


class Gallery(Protocol):
    """References of one extractor, searchable. Thread-safe.

    A change is made completely or not at all; a search sees the gallery before or after it. A
    search that returns after a removal never contains what was removed.
    """

    def enrol(self, references: Sequence[Reference]) -> None:
        """Add references.

        Raises:
            DuplicateReference: an identifier is already enrolled, or comes twice.
            ExtractorMismatch: a template is of another extractor.
            TemplateRefused: a template is not finite, of unit length and of the right size.
        """
        ...

    def replace(self, references: Sequence[Reference]) -> None:
        """Replace references of the same identifiers, atomically; group and hand may change.

        Raises:
            UnknownReference: an identifier is not enrolled.
            DuplicateReference, ExtractorMismatch, TemplateRefused: as ``enrol``.
        """
        ...

    def erase(self, reference_ids: Sequence[ReferenceId]) -> None:
        """Remove references.

        Raises:
            UnknownReference: an identifier is not enrolled.
        """
        ...

    def erase_group(self, group_id: GroupId) -> int:
        """Remove all references of a group; return how many, 0 if unknown."""
        ...

    def search(
        self, probes: Sequence[PalmTemplate], *, count: int = COMPARED_GROUPS
    ) -> list[Candidate]:
        """Find the most similar groups: at most one candidate each, by fused score, best first.

        Args:
            probes: templates of one palm, taken for one login; at least one.
            count: longest list wanted, at least 1.

        Raises:
            ExtractorMismatch: a probe is of another extractor, or the probes are of two hands.
            GalleryFault: no probe, or ``count`` is not positive.
            TemplateRefused: as ``enrol``.
        """
        ...

    def references_of(self, group_id: GroupId) -> list[Reference]:
        """Return all references of a group, oldest first."""
        ...

    def row_count(self, hand: Hand) -> int:
        """Return how many references of this hand are enrolled."""
        ...

    def __len__(self) -> int:
        """Return how many references are enrolled."""
        ...
