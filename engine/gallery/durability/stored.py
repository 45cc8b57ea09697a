"""A gallery that is also on disk, so that a start takes seconds.

Changes go to memory, which serves, and to the file as steps. ``checkpoint`` rewrites changed
blocks and drops the steps, so that erased references leave the disk. Write faults do not stop
the service. Unreadable data are missing and reported (``is_whole``): the database has them.
"""

from __future__ import annotations

from dataclasses import replace
from random import SystemRandom
from time import monotonic
from typing import TYPE_CHECKING

import numpy as np

from engine.gallery.durability.durable import DurableGallery
from engine.gallery.search.packed import PackedGallery
from engine.gallery.shadow import ShadowSearch
from engine.parameters import COMPARED_GROUPS, EXACT_GALLERY_ROWS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from engine.gallery.durability.gallery_file import GalleryFile
    from engine.gallery.durability.stored_codes import StoredCodes
    from engine.gallery.durability.stored_state import StoredState
    from engine.types import Candidate, GroupId, Hand, PalmTemplate, Reference, ReferenceId


class StoredGallery(DurableGallery):
    """Implements ``Gallery``; follows a numbered sequence of changes.

    Each change is a step of its own, unless made within ``step``. ``DurableGallery`` documents
    the other arguments.

    Args:
        shadow_share: of searches, 0 to 1, to repeat exactly. See ``ShadowSearch``.
    """

    def __init__(
        self,
        file: GalleryFile,
        *,
        shadow_share: float = 0.0,
        limit: int = EXACT_GALLERY_ROWS,
        new_packed: Callable[[StoredCodes], PackedGallery] | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        super().__init__(file, limit=limit, new_packed=new_packed, clock=clock)
        self._shadow = ShadowSearch(
            lambda: self._gallery, shadow_share, chance=SystemRandom().random
        )

    def enrol(self, references: Sequence[Reference]) -> None:
        """Add references."""
        with self.step():
            self._gallery.enrol(references)
            self._step.add(references)

    def replace(self, references: Sequence[Reference]) -> None:
        """Replace references of the same identifiers."""
        with self.step():
            self._gallery.replace(references)
            self._step.remove([r.reference_id for r in references])
            self._step.add(references)
            self._erasure_age.start()

    def erase(self, reference_ids: Sequence[ReferenceId]) -> None:
        """Remove references."""
        with self.step():
            self._gallery.erase(reference_ids)
            self._step.remove(reference_ids)
            if reference_ids:
                self._erasure_age.start()

    def erase_group(self, group_id: GroupId) -> int:
        """Remove a group; return how many references it had."""
        with self.step():
            leaving = [r.reference_id for r in self._gallery.references_of(group_id)]
            self.erase(leaving)
            return len(leaving)

    def search(
        self,
        probes: Sequence[PalmTemplate],
        *,
        count: int = COMPARED_GROUPS,
        exact: bool = False,
    ) -> list[Candidate]:
        """Find the most similar groups; ``exact``: without the packed scan."""
        if exact:
            return self._gallery.search(probes, count=count, exact=True)
        return self._shadow.search(probes, count=count)

    def state(self) -> StoredState:
        """Return the gallery's state for metrics."""
        return replace(super().state(), shadow=self._shadow.counts)

    def close(self) -> None:
        """Finish repeated searches and write what is pending."""
        self._shadow.close()
        super().close()

    def references_of(self, group_id: GroupId) -> list[Reference]:
        """Return a group's references."""
        return self._gallery.references_of(group_id)

    def row_count(self, hand: Hand) -> int:
        """Return how many references of one hand are enrolled."""
        return self._gallery.row_count(hand)

    def __len__(self) -> int:
        """Return how many references are enrolled."""
        return len(self._gallery)

    def __contains__(self, reference_id: ReferenceId) -> bool:
        """Return whether a reference is enrolled."""
        return reference_id in self._gallery

    def names(self) -> NDArray[np.uint8]:
        """Return identifier and group of all references, shape (references, 32)."""
        behind = self._gallery.active
        if isinstance(behind, PackedGallery):
            return behind.slot_columns.all_names()
        names = b"".join(
            r.reference_id.bytes + r.group_id.bytes for r in behind.all_references()
        )
        return np.frombuffer(names, np.uint8).reshape(-1, 32)
