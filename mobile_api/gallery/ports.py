"""What a follower of the database needs of a gallery: where it is, and how it is put right."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.gallery.durability.stored_state import StoredState
from engine.gallery.port import Gallery
from engine.types import ReferenceId
from mobile_api.storage.key_ring import KeyId


class GalleryStore(Protocol):
    """A gallery that outlives this process: on its disk, or on a server.

    Attributes:
        sequence: of the change of the database up to which it is; −1: not known.
        mark: of that change.
        is_whole: false if something of it could not be read.
    """

    sequence: int
    mark: bytes
    is_whole: bool

    def refresh(self) -> None:
        """Learn what other processes did to it, where they can."""

    def step(
        self, sequence: int | None = None, mark: bytes = b""
    ) -> AbstractContextManager[None]:
        """Make the changes within the context one step, up to this change of the database."""

    def begin_anew(self) -> None:
        """Trust nothing of it; what it still holds afterwards is sound, but may be outdated."""

    def names(self) -> NDArray[np.uint8]:
        """Return identifier and group of all references, shape (references, 32)."""

    def damaged(self) -> list[ReferenceId]:
        """Return, once, references that did not open: to be erased and brought again."""

    def __contains__(self, reference_id: ReferenceId) -> bool:
        """Tell whether a reference is enrolled."""

    def tend(self, erasure_lag_s: float) -> None:
        """Do what is due: to be called several times a second."""

    def verify(self) -> int:
        """Read everything; return how many parts are not what was written."""

    def checkpoint(self) -> None:
        """Write now what is to be written."""

    def state(self) -> StoredState:
        """Return how it is doing."""

    def close(self) -> None:
        """Write what is left, and let go."""


@dataclass(frozen=True, slots=True)
class KeyedGallery:
    """A gallery of one extractor and one key.

    Attributes:
        gallery: takes and gives plain vectors.
        stored: what is behind it.
        key_id: by whose rotation its vectors are turned.
    """

    gallery: Gallery
    stored: GalleryStore
    key_id: KeyId
