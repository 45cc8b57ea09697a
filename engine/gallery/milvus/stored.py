"""A gallery on Milvus that follows a numbered sequence of changes, as ``StoredGallery`` does.

Milvus stores rows and position; this process has no files. Several processes share the gallery:
the caller makes sure that only one applies changes, the others read the position.

A row that does not decrypt is never returned, and reported by ``pop_damaged``.
"""

from __future__ import annotations

from random import SystemRandom
from time import monotonic
from typing import TYPE_CHECKING, Final
from uuid import UUID

import numpy as np

from engine.errors import GalleryFault
from engine.gallery.durability.stored_state import StoredState
from engine.gallery.milvus.gallery import MilvusGallery
from engine.gallery.milvus.table import Level
from engine.gallery.port import UNKNOWN_POSITION, Position
from engine.types import ReferenceId

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from numpy.typing import NDArray

    from engine.gallery.durability.encryption import GalleryCipher
    from engine.gallery.milvus.positions import GalleryPosition
    from engine.gallery.milvus.table import MilvusTable
    from engine.types import ExtractorId

CHECK_INTERVAL_S: Final = 5.0
"""Pause between two checks of the server."""


class MilvusStored(MilvusGallery):
    """Implements ``Gallery``, and the position up to which it follows changes.

    Attributes:
        position: of the last database change in the gallery, or unknown.
    """

    def __init__(
        self,
        table: MilvusTable,
        position: GalleryPosition,
        extractor: ExtractorId,
        dimension: int,
        cipher: GalleryCipher,
        *,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        super().__init__(table, extractor, dimension, cipher, seconds=clock)
        position.create()
        self._position, self._clock = position, clock
        self.position = UNKNOWN_POSITION
        self._damage_count, self._rows = 0, 0
        self._fault, self._next_check = "", clock()

    def refresh(self) -> None:
        """Read the position: another process may have applied changes."""
        position = self._position.read()
        if position != self.position:
            self.note_remote_change()
        self.position = position

    def reach(self, position: Position) -> None:
        """Record the database change up to which all changes were made."""
        if position != self.position:
            self._position.write(position)
            self.position = position

    def reset(self) -> None:
        """Clear the position and remove undecryptable rows; the caller compares the rest."""
        self._position.clear()
        self.position = UNKNOWN_POSITION
        self._damage_count += self.remove_damaged()

    def names(self) -> NDArray[np.uint8]:
        """Return identifier and group of all references, shape (references, 32)."""
        names = b"".join(
            UUID(hex=reference).bytes + UUID(hex=owner).bytes
            for lines in self._table.names()
            for reference, owner in lines
        )
        return np.frombuffer(names, np.uint8).reshape(-1, 32)

    def __contains__(self, reference_id: ReferenceId) -> bool:
        """Return whether a reference is enrolled."""
        return bool(self._table.find([reference_id.hex], [], level=Level.STRONG))

    def pop_damaged(self) -> list[ReferenceId]:
        """Return and clear references whose row did not decrypt: erase and enrol them again."""
        suspects = self.pop_undecryptable()
        self._damage_count += len(suspects)
        return suspects

    def verify(self) -> int:
        """Read every row; return how many do not decrypt, for ``pop_damaged``."""
        return sum(not self.is_sound(row) for rows in self._table.all_rows() for row in rows)

    def maintain(self, erasure_lag_s: float) -> None:
        """Check the server now and then. Milvus itself limits how long it keeps erased rows."""
        if self._clock() < self._next_check or erasure_lag_s < 0:
            return
        self._next_check = self._clock() + CHECK_INTERVAL_S * SystemRandom().uniform(0.8, 1.2)
        try:
            self._rows, self._fault = len(self), ""
        except GalleryFault as fault:
            self._fault = fault.code

    def checkpoint(self) -> None:
        """Return at once: a gallery on Milvus has no files."""

    def other_keys(self, letters: int) -> list[str]:
        """Return the keys (last ``letters`` of a name) of galleries otherwise named alike."""
        return [name[-letters:] for name in self._table.names_with_other_keys(letters)]

    def remove_keys(self, keys: Collection[str]) -> None:
        """Remove the galleries of the same name with these keys, all of one length.

        Positions go first: an empty gallery with a position would look up to date.
        """
        for name in (
            self._table.names_with_other_keys(len(next(iter(keys), ""))) if keys else []
        ):
            if name.endswith(tuple(keys)):
                self._position.with_name(name).clear()
                self._table.with_name(name).drop()

    def remove(self) -> None:
        """Remove the gallery from the server for good."""
        self._position.clear()
        self._table.drop()

    def close(self) -> None:
        """Close the connection."""
        self._table.close()

    def state(self) -> StoredState:
        """Return the gallery's state for metrics."""
        return StoredState(
            rows=self._rows,
            sequence=self.position.sequence,
            disk_bytes=0,
            erasure_age_s=0.0,
            damage_count=self._damage_count,
            fault=self._fault,
            is_reachable=not self._fault,
        )
