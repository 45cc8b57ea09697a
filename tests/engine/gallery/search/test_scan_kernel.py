"""scan_kernel: our own scan finds what FAISS's finds, where there are its instructions."""

from concurrent.futures import ThreadPoolExecutor

import faiss
import numpy as np
import pytest

from engine.gallery.search.scan_kernel import WIDTH, can_scan
from engine.gallery.search.side_index import SideIndex, scanned_rows

needs_instructions = pytest.mark.skipif(
    WIDTH == 0, reason="no AVX2 on this machine: FAISS scans"
)


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


@needs_instructions
@pytest.mark.parametrize(
    ("dimension", "bits"), [(16, 2), (256, 2), (384, 1), (384, 2), (512, 2)]
)
@pytest.mark.parametrize("count", [1, 30, 1_999, 5_000])
def test_our_scan_finds_what_faiss_finds(dimension, bits, count):
    """Estimates, too; rows behind the last one that is shown are not there."""
    rows, probes = filled(dimension, bits), vectors(3, dimension, seed=1)
    probes = rows._encoder.rotated(probes)
    ours = rows._scan_compiled(range(len(rows._segments)), probes, count)
    theirs = rows._scan_faiss(range(len(rows._segments)), probes, count)

    for probe in range(3):
        best = np.sort(theirs[0][probe][theirs[1][probe] >= 0])[::-1][:count]
        found = ours[1][probe]
        assert len(found) == len(set(found.tolist())) == min(count, len(rows))
        assert found.max() < len(rows)
        assert np.abs(np.sort(ours[0][probe])[::-1] - best).max() < 0.01


@needs_instructions
def test_equal_rows_do_not_crowd_the_list_out():
    """A thousand copies of one palm: the list is as long as was asked, and no longer."""
    rows = SideIndex(384, 1, threads=1, segment_rows=1_024)
    rows.prepare(np.arange(1_000), np.repeat(vectors(1, 384), 1_000, axis=0))
    rows.add(1_000)

    assert len(rows.nearest_rows(vectors(1, 384), 10, None)[0]) == 10


def test_a_scan_by_faiss_uses_one_thread_of_openmp_in_whatever_thread_it_runs():
    """OpenMP's thread count is each thread's own; two workers spinning cost hundredfold."""

    def threads_after_scan() -> int:
        faiss.omp_set_num_threads(4)
        rows.nearest_rows(vectors(1, 16), 1, None)
        return int(faiss.omp_get_max_threads())

    rows = filled(16, 2)
    rows._is_compiled = False
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(threads_after_scan).result() == 1


def test_rows_that_do_not_fit_the_instructions_are_left_to_faiss():
    """Two parts are 32 octets of a block: half of what AVX-512 looks up at once."""
    assert can_scan(96) == (WIDTH > 0)
    assert can_scan(2) == (WIDTH == 32)


def test_more_rows_are_handed_on_where_there_are_more():
    """A mate's rank grows with the gallery."""
    assert [scanned_rows(rows) for rows in (10, 1_000_000, 10_000_000)] == [400, 1600, 16_000]
