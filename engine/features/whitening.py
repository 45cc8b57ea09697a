"""What differs between pictures of one palm is made small in all directions alike.

Light and misplacement change some sums of the oriented energy much more than others, and all
palms have some in common; both are taken away: within-class covariance normalisation (Hatch et
al. 2006). The numbers are fitted to drawn palms by ``thenar models even``, to no person's.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

WHITENING_FILE: Final = Path(__file__).with_name("whitening.npz")

DIAGONAL: Final = 256
"""What stands on the diagonal of the whole numbers; the others fit eight bits below it."""


@dataclass(frozen=True, slots=True)
class Whitening:
    """A symmetric matrix of 8 bits a number, and what is taken away first.

    The matrix is ``scale[:, None] * (lower + lower.T + DIAGONAL * identity) * scale``.

    Attributes:
        mean: of the vectors of drawn palms, shape (dimension,), float32.
        scale: of rows and columns, shape (dimension,), float32.
        lower: below the diagonal, elsewhere 0, shape (dimension, dimension), int8.
    """

    mean: NDArray[np.float32] = field(repr=False)
    scale: NDArray[np.float32] = field(repr=False)
    lower: NDArray[np.int8] = field(repr=False)

    def apply(self, vectors: NDArray[np.floating]) -> NDArray[np.float32]:
        """Even vectors: those of different palms become nearly orthogonal.

        Args:
            vectors: shape (…, dimension), L2 norm 1.

        Returns:
            Same shape, float32, L2 norm 1; the mean of drawn palms itself becomes zero.
        """
        scaled = (np.asarray(vectors, np.float32) - self.mean) * self.scale
        lower = self.lower.astype(np.float32)
        turned = scaled @ lower + scaled @ lower.T + np.float32(DIAGONAL) * scaled
        whitened = turned * self.scale
        lengths = np.linalg.norm(whitened, axis=-1, keepdims=True)
        return np.asarray(whitened / np.maximum(lengths, np.finfo(np.float32).eps), np.float32)


@cache
def load_whitening(path: Path = WHITENING_FILE) -> Whitening:
    """Read an evening; that of the shipped oriented energy unless told otherwise."""
    with np.load(path) as file:
        mean, scale, below = file["mean"], file["scale"], file["below"]
    lower = np.zeros((len(mean), len(mean)), np.int8)
    lower[np.tril_indices(len(mean), -1)] = below
    return Whitening(mean, scale, lower)


def whiten(vectors: NDArray[np.floating]) -> NDArray[np.float32]:
    """Even oriented energies, shape (…, 384). See ``Whitening.apply``."""
    return load_whitening().apply(vectors)
