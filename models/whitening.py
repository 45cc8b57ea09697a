"""Fits the whitening of oriented energy (``engine/features/whitening.py``) to drawn palms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from engine.features.whitening import DIAGONAL, Whitening

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

SHRINKAGE: Final = 0.1
"""Share of the identity in the covariance, because drawn samples differ in other ways than real
ones. From 0.05 to 0.2 the error rates are about the same."""

_MOST: Final = 127
"""Beside the diagonal, which is not kept."""


def fit_whitening(samples: NDArray[np.floating]) -> Whitening:
    """Fit to the oriented energy of drawn palms.

    Args:
        samples: shape (palms, views, dimension), two views of each palm at least.

    Returns:
        The inverse square root of the covariance within palms, in whole numbers; one beside
        the diagonal that eight bits cannot hold is the nearest that they can.
    """
    wide = np.asarray(samples, np.float64)
    matrix = _inverse_root(_within_palms(wide))
    scale = np.sqrt(np.diag(matrix) / DIAGONAL)
    whole = np.rint(matrix / np.outer(scale, scale)).clip(-_MOST, _MOST)
    return Whitening(
        wide.mean(axis=(0, 1)).astype(np.float32),
        scale.astype(np.float32),
        np.tril(whole, -1).astype(np.int8),
    )


def write_whitening(whitening: Whitening, path: Path) -> None:
    """Write the file that ``load_whitening`` reads."""
    below = whitening.lower[np.tril_indices(len(whitening.mean), -1)]
    with path.open("wb") as file:
        np.savez_compressed(
            file, allow_pickle=False, mean=whitening.mean, scale=whitening.scale, below=below
        )


def _within_palms(samples: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the within-palm covariance, shape (dimension, dimension)."""
    palms, views, dimension = samples.shape
    strays = (samples - samples.mean(axis=1, keepdims=True)).reshape(-1, dimension)
    return np.asarray(strays.T @ strays / (palms * (views - 1)))


def _inverse_root(covariance: NDArray[np.float64]) -> NDArray[np.float64]:
    dimension = len(covariance)
    even = covariance * (dimension / np.trace(covariance))
    sizes, axes = np.linalg.eigh((1 - SHRINKAGE) * even + SHRINKAGE * np.eye(dimension))
    return np.asarray((axes / np.sqrt(sizes)) @ axes.T)
