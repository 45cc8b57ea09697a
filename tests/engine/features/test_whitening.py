"""What evens the oriented energy: its algebra, and what it is for."""

from __future__ import annotations

import numpy as np
import pytest

from engine.features.whitening import DIAGONAL, load_whitening, whiten


def test_evened_vectors_have_length_one_whatever_their_shape():
    """A gallery takes no others."""
    vectors = np.random.default_rng(1).normal(0, 1, (2, 3, 384)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=2, keepdims=True)
    whitened = whiten(vectors)

    assert whitened.dtype == np.float32
    assert np.linalg.norm(whitened, axis=2) == pytest.approx(1, abs=1e-5)
    np.testing.assert_allclose(whiten(vectors[1, 2]), whitened[1, 2], atol=1e-6)


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


def test_the_mean_of_all_palms_is_no_division_by_zero():
    """Nothing is left of it: length 0, which is refused wherever templates are read."""
    assert not whiten(load_whitening().mean).any()
