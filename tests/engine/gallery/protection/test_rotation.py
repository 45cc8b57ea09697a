"""Rotations keep every cosine; without the key the vectors of a rotated gallery say nothing."""

import hashlib
from dataclasses import replace

import numpy as np
import pytest

from engine.errors import TemplateRefused
from engine.gallery.protection import VectorRotation, fixed_rotation, keyed_rotation
from tests.support.palms.templates import FAKE_DIMENSION, template_of

KEY, OTHER = bytes(range(32)), bytes(32)

DIGEST = (  # SHA-256
    "bf954f934434d2e22292202867ba2a6a3c8bddfa030bb3d1e3d69ebc92b4680f"
)
"""Of the rotation of ``KEY`` in 64 dimensions, in steps of 1/1024."""


@pytest.mark.parametrize("dimension", [1, 2, 15, 384, 512])
def test_a_keyed_rotation_is_orthonormal(dimension: int) -> None:
    """Then lengths and cosines are kept, and turning back is multiplying by the transpose."""
    matrix = keyed_rotation(KEY, dimension).astype(np.float64)

    assert matrix.shape == (dimension, dimension)
    assert np.abs(matrix @ matrix.T - np.eye(dimension)).max() < 2e-6


def test_the_same_key_gives_the_same_rotation_on_every_machine() -> None:
    """A gallery that is searched on two machines must not be rotated in two ways."""
    digest = hashlib.sha256((keyed_rotation(KEY, 64) * 1024).round().astype("<i2").tobytes())

    assert digest.hexdigest() == DIGEST


def test_two_keys_and_the_fixed_rotation_are_unrelated() -> None:
    """Vectors rotated by different keys do not compare: mated cosines are as non-mated ones."""
    vectors = np.random.default_rng(1).standard_normal((500, 384)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    rotated = [
        vectors @ matrix.T
        for matrix in (
            keyed_rotation(KEY, 384),
            keyed_rotation(OTHER, 384),
            fixed_rotation(384),
        )
    ]

    for one, other in ((0, 1), (0, 2), (1, 2)):
        cosines = (rotated[one] * rotated[other]).sum(axis=1)
        assert abs(float(cosines.mean())) < 5 / np.sqrt(500 * 384)
        assert float(cosines.std()) == pytest.approx(1 / np.sqrt(384), rel=0.2)


@pytest.mark.parametrize(("key", "dimension"), [(b"short", 8), (bytes(33), 8), (KEY, 0)])
def test_what_is_no_key_is_refused(key: bytes, dimension: int) -> None:
    """A short key could be guessed, so it must not be usable at all."""
    with pytest.raises(ValueError, match="32 bytes"):
        keyed_rotation(key, dimension)


def test_a_vector_of_another_size_is_refused() -> None:
    """A matrix product would raise an error that no caller catches."""
    short = replace(template_of(1), vector=np.eye(1, 8, dtype=np.float32)[0])

    with pytest.raises(TemplateRefused):
        VectorRotation(KEY, FAKE_DIMENSION).rotate([short])
