"""side_index: a scan of all segments finds who is nearest, however many threads share it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import faiss
import numpy as np
import pytest

from engine.gallery.search.pq_layout import Encoder, new_index
from engine.gallery.search.side_index import SideIndex


def vectors(count, dimension, seed=0):
    """Random vectors of unit length."""
    rows = np.random.default_rng(seed).standard_normal((count, dimension)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def filled(dimension, bits, count=2_000, threads=1):
    """Packed rows of random vectors, in several segments; the last block is not full."""
    rows = SideIndex(dimension, bits, threads=threads, segment_rows=320)
    rows.prepare(np.arange(count + 50), vectors(count + 50, dimension))
    rows.add(count)
    return rows


@pytest.mark.parametrize(("dimension", "bits"), [(16, 2), (256, 2), (384, 1), (512, 1)])
@pytest.mark.parametrize("count", [1, 30, 1_999, 5_000])
@pytest.mark.parametrize("threads", [1, 3])
def test_the_nearest_rows_are_found_in_all_segments(dimension, bits, count, threads):
    """Rows behind the last one that is shown are not there."""
    rows, probes = filled(dimension, bits, threads=threads), vectors(3, dimension, seed=1)
    with ThreadPoolExecutor(2) as pool:
        found = rows.nearest_rows(probes, count, pool if threads > 1 else None)
    whole, encoder = new_index(dimension, bits), Encoder(dimension, bits)
    whole.add(encoder.rotated(vectors(2_000, dimension)))
    _, expected = whole.search(encoder.rotated(probes), min(count, 2_000))

    for ours, theirs in zip(found, expected, strict=True):
        assert len(ours) == len(set(ours.tolist())) == min(count, len(rows))
        assert ours.max() < len(rows)
        # Equal estimates may be in another order, so the last of a list may differ.
        assert len(set(ours.tolist()) & set(theirs.tolist())) >= 0.9 * len(ours)


def test_equal_rows_do_not_crowd_the_list_out():
    """A thousand copies of one palm: the list is as long as was asked, and no longer."""
    rows = SideIndex(384, 1, threads=1, segment_rows=1_024)
    rows.prepare(np.arange(1_000), np.repeat(vectors(1, 384), 1_000, axis=0))
    rows.add(1_000)

    assert len(rows.nearest_rows(vectors(1, 384), 10, None)[0]) == 10


def test_a_scan_uses_one_thread_of_openmp_in_whatever_thread_it_runs():
    """OpenMP's thread count is each thread's own; two workers spinning cost hundredfold."""

    def threads_after_scan() -> int:
        faiss.omp_set_num_threads(4)
        rows.nearest_rows(vectors(1, 16), 1, None)
        return int(faiss.omp_get_max_threads())

    rows = filled(16, 2)
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(threads_after_scan).result() == 1
