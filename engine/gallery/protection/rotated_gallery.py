"""Searches a gallery whose vectors are rotated by a secret key.

References come with rotated vectors, as they are stored; only probes are rotated here. Cosines,
and so all scores, stay the same within single precision. Only the vector is rotated; a
template's code is protected by encryption alone.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from engine.errors import TemplateRefused
from engine.gallery.protection.rotation import keyed_rotation
from engine.parameters import COMPARED_GROUPS
from engine.template_codec import require_valid

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from engine.gallery.port import Gallery
    from engine.types import Candidate, GroupId, Hand, PalmTemplate, Reference


class VectorRotation:
    """Rotates vectors of one dimension by the rotation of a key (32 bytes), and back."""

    def __init__(self, key: bytes, dimension: int) -> None:
        self._rotation = keyed_rotation(key, dimension)

    def rotate(self, templates: Sequence[PalmTemplate]) -> list[PalmTemplate]:
        """Return templates with rotated vectors. Raises ``TemplateRefused``."""
        return self._multiplied(templates, self._rotation.T)

    def rotate_back(self, templates: Sequence[PalmTemplate]) -> list[PalmTemplate]:
        """Return templates with their original vectors. Raises ``TemplateRefused``."""
        return self._multiplied(templates, self._rotation)

    def _multiplied(
        self, templates: Sequence[PalmTemplate], matrix: NDArray[np.float32]
    ) -> list[PalmTemplate]:
        if not templates:
            return []
        sound = [require_valid(template) for template in templates]
        if any(template.vector.shape != (len(matrix),) for template in sound):
            raise TemplateRefused("the template's vector is not of the rotation's dimension")
        vectors = np.stack([template.vector for template in sound]) @ matrix
        return [replace(t, vector=v) for t, v in zip(sound, vectors, strict=True)]


class RotatedGallery:
    """Implements ``Gallery`` in front of a gallery that holds rotated vectors."""

    def __init__(self, gallery: Gallery, rotation: VectorRotation) -> None:
        self._gallery, self._rotation = gallery, rotation

    def search(
        self, probes: Sequence[PalmTemplate], *, count: int = COMPARED_GROUPS
    ) -> list[Candidate]:
        """Find the most similar groups, best first."""
        return self._gallery.search(self._rotation.rotate(probes), count=count)

    def references_of(self, group_id: GroupId) -> list[Reference]:
        """Return a group's references with their original vectors."""
        references = self._gallery.references_of(group_id)
        templates = self._rotation.rotate_back([r.template for r in references])
        return [replace(r, template=t) for r, t in zip(references, templates, strict=True)]

    def row_count(self, hand: Hand) -> int:
        """Return how many references of one hand are enrolled."""
        return self._gallery.row_count(hand)

    def __len__(self) -> int:
        """Return how many references are enrolled."""
        return len(self._gallery)
