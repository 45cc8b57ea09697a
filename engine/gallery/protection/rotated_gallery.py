"""A gallery whose vectors are turned by a secret rotation: nothing behind it sees true ones.

What is enrolled is turned before the gallery behind gets it, probes are turned before they are
searched with, and what comes out again is turned back. Cosines stay what they were, so every
score does, within the rounding of single precision. Only the vector is turned: a template's
code passes as it is, and is protected by encryption alone.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from engine.errors import TemplateRefused
from engine.gallery.protection.rotation import keyed_rotation
from engine.template_codec import require_valid

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from engine.gallery.port import Gallery
    from engine.types import Candidate, GroupId, Hand, PalmTemplate, Reference, ReferenceId


class VectorRotation:
    """Turns vectors of one dimension by the rotation of a key, and back.

    Args:
        key: 32 bytes, see ``keyed_rotation``.
        dimension: of the vectors.
    """

    def __init__(self, key: bytes, dimension: int) -> None:
        self._rotation = keyed_rotation(key, dimension)

    def rotate(self, templates: Sequence[PalmTemplate]) -> list[PalmTemplate]:
        """Return templates with turned vectors.

        Raises:
            TemplateRefused: a vector is not finite, of unit length and of the right size.
        """
        return self._multiplied(templates, self._rotation.T)

    def rotate_back(self, templates: Sequence[PalmTemplate]) -> list[PalmTemplate]:
        """Return templates as they were before they were turned.

        Raises:
            TemplateRefused: a vector is not finite, of unit length and of the right size.
        """
        return self._multiplied(templates, self._rotation)

    def _multiplied(
        self, templates: Sequence[PalmTemplate], matrix: NDArray[np.float32]
    ) -> list[PalmTemplate]:
        """Return templates whose vectors are multiplied by a matrix from the right."""
        if not templates:
            return []
        sound = [require_valid(template) for template in templates]
        if any(template.vector.shape != (len(matrix),) for template in sound):
            raise TemplateRefused("the template's vector is not of the rotation's dimension")
        vectors = np.stack([template.vector for template in sound]) @ matrix
        return [replace(t, vector=v) for t, v in zip(sound, vectors, strict=True)]


class RotatedGallery:
    """Implements ``Gallery`` in front of another one.

    Args:
        gallery: holds turned vectors only.
        turner: by the gallery's key.
    """

    def __init__(self, gallery: Gallery, turner: VectorRotation) -> None:
        self._gallery, self._turner = gallery, turner

    def enrol(self, references: Sequence[Reference]) -> None:
        """Add references. See ``Gallery.enrol``."""
        self._gallery.enrol(self._turned(references))

    def replace(self, references: Sequence[Reference]) -> None:
        """Put references in the place of those of the same names. See ``Gallery.replace``."""
        self._gallery.replace(self._turned(references))

    def erase(self, reference_ids: Sequence[ReferenceId]) -> None:
        """Remove references. See ``Gallery.erase``."""
        self._gallery.erase(reference_ids)

    def erase_group(self, group_id: GroupId) -> int:
        """Remove a group. See ``Gallery.erase_group``."""
        return self._gallery.erase_group(group_id)

    def search(self, probes: Sequence[PalmTemplate], *, count: int = 20) -> list[Candidate]:
        """Find the most similar groups, best first. See ``Gallery.search``."""
        return self._gallery.search(self._turner.rotate(probes), count=count)

    def references_of(self, group_id: GroupId) -> list[Reference]:
        """Return a group's references, turned back. See ``Gallery.references_of``."""
        references = self._gallery.references_of(group_id)
        templates = self._turner.rotate_back([r.template for r in references])
        return [replace(r, template=t) for r, t in zip(references, templates, strict=True)]

    def row_count(self, hand: Hand) -> int:
        """Return how many references one hand has. See ``Gallery.row_count``."""
        return self._gallery.row_count(hand)

    def __len__(self) -> int:
        """Return how many references there are."""
        return len(self._gallery)

    def _turned(self, references: Sequence[Reference]) -> list[Reference]:
        """Return references with turned vectors."""
        templates = self._turner.rotate([r.template for r in references])
        return [replace(r, template=t) for r, t in zip(references, templates, strict=True)]
