"""A gallery that is exact while small, and packed above a limit.

The enrolment that crosses the limit packs everything. Searches go on in the small gallery;
one that was running when the packed gallery took over is repeated there.
"""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

from engine.comparison.compare import prepare
from engine.gallery.search.exact import ExactGallery
from engine.gallery.search.packed import PackedGallery
from engine.parameters import COMPARED_GROUPS, EXACT_GALLERY_ROWS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from engine.types import (
        Candidate,
        ExtractorId,
        GroupId,
        Hand,
        PalmTemplate,
        Reference,
        ReferenceId,
    )

_STEP_ROWS = 1_000
"""References packed in one step."""


class AdaptiveGallery:
    """Implements ``Gallery`` by an exact or a packed one. It does not become exact again.

    ``limit`` is the most references in the exact gallery; ``new_packed`` makes an empty packed
    one.
    """

    def __init__(
        self,
        extractor: ExtractorId,
        dimension: int,
        *,
        limit: int = EXACT_GALLERY_ROWS,
        new_packed: Callable[[], PackedGallery] | None = None,
    ) -> None:
        self._gallery: ExactGallery | PackedGallery = ExactGallery(extractor, dimension)
        self._limit = limit
        self._new_packed = new_packed or (lambda: PackedGallery(extractor, dimension))
        self._writing = Lock()
        prepare()

    @property
    def is_packed(self) -> bool:
        """Whether the limit was crossed."""
        return isinstance(self._gallery, PackedGallery)

    @property
    def active(self) -> ExactGallery | PackedGallery:
        """The gallery in use."""
        return self._gallery

    def all_references(self) -> list[Reference]:
        """Return all references, oldest first; none if they are packed."""
        gallery = self._gallery
        return gallery.all_references() if isinstance(gallery, ExactGallery) else []

    def __contains__(self, reference_id: ReferenceId) -> bool:
        """Return whether a reference is enrolled."""
        return reference_id in self._gallery

    def pack(self) -> PackedGallery:
        """Replace an empty exact gallery by an empty packed one, and return it."""
        with self._writing:
            self._gallery = packed = self._new_packed()
            return packed

    def enrol(self, references: Sequence[Reference]) -> None:
        """Add references, all or none."""
        with self._writing:
            gallery = self._gallery
            if isinstance(gallery, ExactGallery) and self._is_too_small_for(references):
                self._gallery = self._packed(gallery, references)
            else:
                gallery.enrol(references)

    def replace(self, references: Sequence[Reference]) -> None:
        """Replace references of the same identifiers."""
        with self._writing:
            self._gallery.replace(references)

    def erase(self, reference_ids: Sequence[ReferenceId]) -> None:
        """Remove references, all or none."""
        with self._writing:
            self._gallery.erase(reference_ids)

    def erase_group(self, group_id: GroupId) -> int:
        """Remove a group; return how many references it had."""
        with self._writing:
            return self._gallery.erase_group(group_id)

    def search(
        self,
        probes: Sequence[PalmTemplate],
        *,
        count: int = COMPARED_GROUPS,
        exact: bool = False,
    ) -> list[Candidate]:
        """Find the most similar groups; ``exact``: compute every cosine, slow, for audits."""
        while isinstance(gallery := self._gallery, ExactGallery):
            candidates = gallery.search(probes, count=count)
            # After the switch, this one may hold references already removed.
            if self._gallery is gallery:
                return candidates
        return gallery.search(probes, count=count, exact=exact)

    def references_of(self, group_id: GroupId) -> list[Reference]:
        """Return a group's references."""
        return self._gallery.references_of(group_id)

    def row_count(self, hand: Hand) -> int:
        """Return how many references of one hand are enrolled."""
        return self._gallery.row_count(hand)

    def __len__(self) -> int:
        """Return how many references are enrolled."""
        return len(self._gallery)

    def _is_too_small_for(self, references: Sequence[Reference]) -> bool:
        return len(self._gallery) + len(references) > self._limit

    def _packed(self, small: ExactGallery, references: Sequence[Reference]) -> PackedGallery:
        kept, large = small.all_references(), self._new_packed()
        for first in range(0, len(kept), _STEP_ROWS):
            large.enrol(kept[first : first + _STEP_ROWS])
        large.enrol(references)
        return large
