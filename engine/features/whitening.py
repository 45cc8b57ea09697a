"""Whitens templates by the within-palm covariance (WCCN; Hatch et al. 2006).

Fitted to drawn palms, never to a person's, for the previous extractor.
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
"""All other numbers of the integer matrix fit eight bits."""


@dataclass(frozen=True, slots=True)
class Whitening:
    """A mean and a symmetric matrix, in eight bits.

    ``scale[:, None] * (lower + lower.T + DIAGONAL * identity) * scale``; ``lower`` is strictly
    lower triangular, int8.
    """

    mean: NDArray[np.float32] = field(repr=False)
    scale: NDArray[np.float32] = field(repr=False)
    lower: NDArray[np.int8] = field(repr=False)


@cache
def load_whitening(path: Path = WHITENING_FILE) -> Whitening:
    """Read a whitening, by default the shipped one."""
    with np.load(path) as file:
        mean, scale, below = file["mean"], file["scale"], file["below"]
    lower = np.zeros((len(mean), len(mean)), np.int8)
    lower[np.tril_indices(len(mean), -1)] = below
    return Whitening(mean, scale, lower)
