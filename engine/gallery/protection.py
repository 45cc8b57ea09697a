"""Template protection by a secret rotation of vectors (ISO/IEC 24745).

After a random rotation the numbers of any vector look like independent Gaussian ones, which the
packed scan's codebook expects; cosines do not change. A rotation drawn from a secret key makes
two galleries unlinkable and renewable; the key reverses it.

The memory, files and server of a rotated gallery hold rotated vectors only. References come
with rotated vectors, as they are stored; only probes are rotated here. Cosines, and so all
scores, stay the same within single precision. Only the vector is rotated; a template's code is
protected by encryption alone.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.errors import TemplateRefused
from engine.gallery.port import Gallery
from engine.parameters import COMPARED_GROUPS
from engine.template_codec import require_valid
from engine.types import Candidate, GroupId, Hand, PalmTemplate, Reference

SEED: Final = 0x7468656E6172
"""``thenar`` in ASCII. Another seed changes every packed code."""

KEY_BYTES: Final = 32
"""Length of the secret of a keyed rotation."""

_STEPS: Final = float(1 << 24)
"""Matrix elements are rounded to this fraction, so that they do not depend on a machine's
linear algebra; cosines change by less than 1e-6."""


@cache
def fixed_rotation(dimension: int) -> NDArray[np.float32]:
    """Return the fixed orthonormal matrix: shape (dimension, dimension), float32."""
    generator = np.random.Generator(np.random.PCG64(SEED))
    return _orthonormal(generator.standard_normal((dimension, dimension)))


def keyed_rotation(key: bytes, dimension: int) -> NDArray[np.float32]:
    """Return the orthonormal matrix of a key: shape (dimension, dimension), float32.

    Equal keys give equal matrices on every machine. Takes 50 ms for 512 dimensions: keep the
    result, as secret as the key.

    Raises:
        ValueError: the key is not 32 bytes, or the dimension is not positive.
    """
    if len(key) != KEY_BYTES or dimension < 1:
        raise ValueError("a rotation is drawn from 32 bytes, for a positive dimension")
    return _orthonormal(_gaussian(key, dimension * dimension).reshape(dimension, dimension))


def _gaussian(key: bytes, count: int) -> NDArray[np.float64]:
    """Return normal numbers from a key: SHAKE256 (FIPS 202), then Box and Muller 1958."""
    pairs = -(-count // 2)
    domain = b"thenar/rotation/1\0"
    stream = hashlib.shake_256(domain + key).digest(16 * pairs)
    words = np.frombuffer(stream, "<u8").astype(np.uint64)
    # The upper 53 bits plus a half: strictly between 0 and 1, for the logarithm.
    uniform = ((words >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53
    radius = np.sqrt(-2.0 * np.log(uniform[:pairs]))
    angle = 2.0 * np.pi * uniform[pairs:]
    return np.concatenate([radius * np.cos(angle), radius * np.sin(angle)])[:count]


def _orthonormal(gaussian: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return the orthonormal factor, read-only, uniformly distributed. Mezzadri 2007."""
    orthonormal, triangle = np.linalg.qr(gaussian)
    uniform = orthonormal * np.sign(np.diag(triangle))
    matrix = (np.rint(uniform * _STEPS) / _STEPS).astype(np.float32)
    matrix.setflags(write=False)
    return matrix


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
