"""The ports of a gallery: what every implementation promises.

References are grouped under an opaque ``GroupId`` of the caller. A probe is only compared with
references of the same hand.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol

from engine.parameters import COMPARED_GROUPS
from engine.types import Candidate, GroupId, Hand, PalmTemplate, Reference, ReferenceId


class Gallery(Protocol):
    """References of one extractor, searchable. Thread-safe.

    A search sees the gallery before or after a change. A search that returns after an erasure
    never contains what was erased.
    """

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
            TemplateRefused: as ``ChangeableGallery.enrol``.
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


class ChangeableGallery(Protocol):
    """References of one extractor. A change is made completely or not at all."""

    def enrol(self, references: Sequence[Reference]) -> None:
        """Add references.

        Raises:
            DuplicateReference: an identifier is already enrolled, or comes twice.
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

    def references_of(self, group_id: GroupId) -> list[Reference]:
        """Return all references of a group, oldest first."""
        ...

    def __contains__(self, reference_id: ReferenceId) -> bool:
        """Return whether a reference is enrolled."""
        ...


class Position(NamedTuple):
    """The last change of the database in a gallery, and the ID of that change.

    A restored database uses sequence numbers again, but no change ID.
    """

    sequence: int
    change_id: bytes


UNKNOWN_POSITION: Final = Position(-1, b"")
"""Of an empty gallery, and of one that may lack references."""
