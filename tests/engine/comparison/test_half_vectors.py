"""half_vectors: inner products as numpy computes them."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from engine.comparison.kernels.half_vectors import products

halves = arrays.arrays(
    np.float16, (7, 40), elements=st.floats(-1, 1, width=16, allow_subnormal=True)
)


def test_every_finite_half_is_widened():
    """By shifts alone: no instruction that plain virtual machines lack."""
    halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    halves = halves[np.isfinite(halves)]

    found = products(halves[:, None], np.arange(len(halves)), np.ones((1, 1), np.float32))

    assert (found[0] == halves.astype(np.float32)).all()
