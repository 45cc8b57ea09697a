"""chunked: growing never moves what is there."""

from __future__ import annotations

import numpy as np

from engine.gallery.chunked import CHUNK_ROWS, ChunkedArray


def test_growing_leaves_old_rows_where_they_are():
    """A search that reads a row while another is added must not read freed memory."""
    rows = ChunkedArray((2,), np.int32)
    rows.grow_to(1)
    view = rows[0]
    rows.grow_to(3 * CHUNK_ROWS)
    rows[0] = 7, 8

    assert view.tolist() == [7, 8]
    assert len(rows.chunks) == 3


def test_rows_are_taken_and_put_across_chunks():
    """A short list comes from anywhere."""
    rows = ChunkedArray((), np.int64, fill=-1)
    rows.grow_to(2 * CHUNK_ROWS)
    where = np.array([CHUNK_ROWS + 5, 3, CHUNK_ROWS - 1, CHUNK_ROWS])
    rows.put(where, np.array([1, 2, 3, 4]))

    assert rows.take(where).tolist() == [1, 2, 3, 4]
    assert rows.take(np.array([0, CHUNK_ROWS + 1])).tolist() == [-1, -1]
    assert rows.take(np.zeros(0, np.int64)).tolist() == []
