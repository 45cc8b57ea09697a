"""Ports of a stored gallery: what the replica needs of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.gallery.durability.state import StoredState
from engine.gallery.port import ChangeableGallery, Gallery, Position
from engine.types import ReferenceId
from mobile_api.storage.key_file import KeyId


class GalleryStore(ChangeableGallery, Protocol):
    """A gallery that outlives this process, on disk or on a server; vectors are rotated.

    Attributes:
        position: the last database change in it; unknown if it may lack references.
    """

    position: Position

    def refresh(self) -> None:
        """Load what other processes changed, if they can."""

    def reach(self, position: Position) -> None:
        """Record the database change up to which all changes were made."""

    def reset(self) -> None:
        """Distrust everything; what it still holds then is intact, but may be outdated."""

    def names(self) -> NDArray[np.uint8]:
        """Return reference and group identifiers, uint8, shape (references, 32)."""

    def pop_damaged(self) -> list[ReferenceId]:
        """Return, once, damaged references: to be erased and loaded again."""

    def maintain(self, erasure_lag_s: float) -> None:
        """Do what is due; called several times a second."""

    def verify(self) -> int:
        """Read everything; return how many parts are damaged."""

    def checkpoint(self) -> None:
        """Write everything now."""

    def state(self) -> StoredState:
        """Return the metrics."""

    def close(self) -> None:
        """Write the rest and close."""


@dataclass(frozen=True, slots=True)
class KeyedGallery:
    """A gallery of one extractor and one key.

    Attributes:
        gallery: searches, and returns plain vectors.
        stored: what stores it, with rotated vectors.
        key_id: of the key that rotates them.
    """

    gallery: Gallery
    stored: GalleryStore
    key_id: KeyId
