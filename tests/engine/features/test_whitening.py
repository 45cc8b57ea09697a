"""What evens the oriented energy: its algebra, and what it is for."""

from __future__ import annotations

import numpy as np
import pytest

from engine.features.whitening import DIAGONAL, load_whitening, whiten
from models.whitening import fit_whitening


def strayed(palms: int, views: int = 3) -> np.ndarray:
    """Palms of eight numbers whose views differ thirty times as much in the first."""
    rng = np.random.default_rng(2)
    noise = rng.normal(0, 1, (palms, views, 8)) * np.array([3, *(0.1,) * 7])
    return np.asarray(rng.normal(0, 1, (palms, 1, 8)) + noise)


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


def test_views_of_one_palm_come_closer_than_other_palms():
    """What strays along one direction tells nothing there afterwards."""
    samples = strayed(400)
    whitened = fit_whitening(samples).apply(samples)
    plain = samples - samples.mean(axis=(0, 1))
    plain = plain / np.linalg.norm(plain, axis=2, keepdims=True)

    def hits(vectors: np.ndarray) -> float:
        cosines = vectors[:, 0] @ vectors[:, 1].T
        return float(np.mean(cosines.argmax(axis=1) == np.arange(len(vectors))))

    assert hits(whitened) > 0.9 > 0.5 > hits(plain)


def test_numbers_that_vary_as_one_are_told_apart():
    """Their number in the matrix is below what eight bits hold: it must not become positive."""
    samples = strayed(400)
    samples[..., 1] = samples[..., 0]
    lower = fit_whitening(samples).lower

    assert lower[1, 0] == -127


def test_the_mean_of_all_palms_is_no_division_by_zero():
    """Nothing is left of it: length 0, which is refused wherever templates are read."""
    assert not whiten(load_whitening().mean).any()
