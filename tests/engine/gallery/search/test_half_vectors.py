"""half_vectors: inner products as numpy computes them, wherever the rows lie."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from engine.gallery.rows.chunked_array import ChunkedArray
from engine.gallery.rows.half_vectors import products
from engine.gallery.rows.records import Records
from tests.support.palms.templates import FAKE_DIMENSION, reference_of

halves = arrays.arrays(
    np.float16, (7, 40), elements=st.floats(-1, 1, width=16, allow_subnormal=True)
)


@settings(max_examples=50, deadline=None)
@given(vectors=halves, rows=st.lists(st.integers(0, 6), max_size=9))
def test_every_number_is_widened_as_numpy_does(vectors, rows):
    """Zeros of both signs and the smallest numbers included."""
    probes = np.random.default_rng(0).standard_normal((2, 40)).astype(np.float32)
    expected = probes @ vectors[rows].astype(np.float32).T

    place = np.array([vectors.ctypes.data]), 20
    found = products(place, np.array(rows, np.int64), probes)

    assert found.shape == (2, len(rows))
    assert np.abs(found - expected).max(initial=0) < 1e-5


def test_records_find_their_rows_in_every_chunk():
    """A short list comes from anywhere; an empty slot resembles nobody."""
    records = Records(FAKE_DIMENSION)
    records.vectors = ChunkedArray((FAKE_DIMENSION,), np.float16)
    slots = records.reserve(3)
    records.fill(slots, [reference_of(n, n) for n in range(3)], [0, 0])
    far = records.vectors.chunk_rows + 5
    records.vectors.grow_to(far + 1)
    records.vectors[far] = reference_of(9, 9).template.vector
    probes = np.stack([reference_of(n, n).template.vector for n in (1, 9)])

    found = records.products(np.array([0, far, 1, 2, far - 1]), probes)

    assert found.argmax(axis=1).tolist() == [2, 1]
    assert np.abs(found.max(axis=1) - 1).max() < 1e-3
    assert not found[:, 4].any()
