"""half_vectors: inner products as numpy computes them."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from engine.comparison.kernels.half_vectors import products

halves = arrays.arrays(
    np.float16, (7, 40), elements=st.floats(-1, 1, width=16, allow_subnormal=True)
)


@settings(max_examples=50, deadline=None)
@given(vectors=halves, rows=st.lists(st.integers(0, 6), max_size=9))
def test_every_number_is_widened_as_numpy_does(vectors, rows):
    """Zeros of both signs and the smallest numbers included."""
    probes = np.random.default_rng(0).standard_normal((2, 40)).astype(np.float32)
    expected = probes @ vectors[rows].astype(np.float32).T

    found = products(vectors, np.array(rows, np.int64), probes)

    assert found.shape == (2, len(rows))
    assert np.abs(found - expected).max(initial=0) < 1e-5


def test_every_finite_half_is_widened():
    """By shifts alone: no instruction that plain virtual machines lack."""
    halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    halves = halves[np.isfinite(halves)]

    found = products(halves[:, None], np.arange(len(halves)), np.ones((1, 1), np.float32))

    assert (found[0] == halves.astype(np.float32)).all()
