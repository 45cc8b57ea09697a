"""chunked: growing never moves what is there."""

import numpy as np

from engine.gallery.rows.chunked_array import CHUNK_OCTETS, ChunkedArray


def test_growing_leaves_old_rows_where_they_are():
    """A search that reads a row while another is added must not read freed memory."""
    rows = ChunkedArray((2,), np.int32)
    rows.grow_to(1)
    view = rows[0]
    rows.grow_to(3 * rows.chunk_rows)
    rows[0] = 7, 8

    assert view.tolist() == [7, 8]
    assert len(rows.chunks) == 3


def test_rows_are_taken_and_put_across_chunks():
    """A short list comes from anywhere."""
    rows = ChunkedArray((), np.int64, fill=-1)
    chunk = rows.chunk_rows
    rows.grow_to(2 * chunk)
    where = np.array([chunk + 5, 3, chunk - 1, chunk])
    rows.put(where, np.array([1, 2, 3, 4]))

    assert rows.take(where).tolist() == [1, 2, 3, 4]
    assert rows.take(np.array([0, chunk + 1])).tolist() == [-1, -1]
    assert rows.take(np.zeros(0, np.int64)).tolist() == []


def test_a_chunk_takes_no_more_address_space_than_it_may():
    """A machine of a gigabyte must be able to begin a gallery of wide rows."""
    for width in (1, 768, 1024):
        rows = ChunkedArray((width,), np.uint8)

        assert rows.chunk_rows * width <= CHUNK_OCTETS
        assert rows.chunk_rows * width * 2 > CHUNK_OCTETS or rows.chunk_rows == 1 << 20
