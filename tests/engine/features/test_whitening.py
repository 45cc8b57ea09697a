"""The matrix that whitened the vectors of the previous extractor."""

from __future__ import annotations

import numpy as np

from engine.features.whitening import DIAGONAL, load_whitening
from tests.support.palms.reference_extractor import whiten


def test_the_matrix_is_the_one_that_is_described():
    """Symmetric, of whole numbers: what the shipped graph computes, too."""
    whitening = load_whitening()
    lower = whitening.lower.astype(np.float64)
    matrix = lower + lower.T + DIAGONAL * np.eye(384)
    matrix *= np.outer(whitening.scale, whitening.scale)
    vector = np.random.default_rng(3).normal(0, 0.05, 384)
    expected = (vector - whitening.mean) @ matrix

    np.testing.assert_allclose(whiten(vector), expected / np.linalg.norm(expected), atol=1e-5)
    assert not np.triu(whitening.lower).any()
    assert np.linalg.eigvalsh(matrix).min() > 0
