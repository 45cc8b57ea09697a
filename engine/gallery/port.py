"""What a gallery promises, whatever is behind it.

References are grouped under an opaque ``GroupId`` of the caller. Left and right hands are two
galleries in one: a probe is only ever compared with references of its own side.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.types import Candidate, GroupId, Hand, PalmTemplate, Reference, ReferenceId


class Gallery(Protocol):
    """References of one extractor, searchable. Safe to use from several threads at once.

    Every method that changes the gallery does all or nothing; a search that runs at the same
    time sees the gallery before or after the change, never in between; and a search that
    returns after a removal has returned does not contain what was removed, even if it began
    before.
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
        """Put references in the place of enrolled ones with the same identifiers.

        The group and the hand may change, too. No search sees neither or both.

        Raises:
            UnknownReference: an identifier is not enrolled.
            DuplicateReference: an identifier comes twice.
            ExtractorMismatch: a template is of another extractor.
            TemplateRefused: a template is not finite, of unit length and of the right size.
        """
        ...

    def erase(self, reference_ids: Sequence[ReferenceId]) -> None:
        """Remove references.

        Raises:
            UnknownReference: an identifier is not enrolled.
        """
        ...

    def erase_group(self, group_id: GroupId) -> int:
        """Remove all references of a group and return how many they were; 0 if unknown."""
        ...

    def search(self, probes: Sequence[PalmTemplate], *, count: int = 20) -> list[Candidate]:
        """Find the groups most similar to the probes, best first.

        Args:
            probes: one or more templates of one palm, taken for one login.
            count: the longest list that is wanted, at least 1.

        Returns:
            At most one candidate for each group, with the group's fused comparison score
            (``engine/comparison/multi_sample.py``).

        Raises:
            ExtractorMismatch: a probe is of another extractor, or the probes are of two hands.
            GalleryFault: no probe, or ``count`` is not positive.
            TemplateRefused: a probe is not finite, of unit length and of the right size.
        """
        ...

    def references_of(self, group_id: GroupId) -> list[Reference]:
        """Return all references of a group, oldest first; none if it is unknown."""
        ...

    def row_count(self, hand: Hand) -> int:
        """Return how many references a probe of this hand is compared with."""
        ...

    def __len__(self) -> int:
        """Return how many references there are."""
        ...
