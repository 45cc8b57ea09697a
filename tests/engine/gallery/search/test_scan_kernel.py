"""scan_kernel: our own scan finds what FAISS's finds, where there are its instructions."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import faiss
import numpy as np
import pytest

from engine.gallery.search import scan_kernel
from engine.gallery.search.codebook import centroids
from engine.gallery.search.scan_kernel import WIDTH, Nearest, can_scan, prepare
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
@pytest.mark.parametrize(("threads", "probe_count"), [(1, 1), (3, 1), (3, 20)])
def test_both_ways_agree_on_who_is_nearest(threads, probe_count):
    """Whichever scans, the same people are found."""
    rows, probes = filled(384, 1, threads=threads), vectors(2_000, 384)[:probe_count]
    ours = rows.nearest_rows(probes, 20, None)
    rows._is_compiled = False
    theirs = rows.nearest_rows(probes, 20, None)
    cosines = probes @ vectors(2_000, 384).T

    for probe, (one, other) in enumerate(zip(ours, theirs, strict=True)):
        assert len(one) == len(other) == 20
        assert probe in one
        # Estimates differ in the third digit, so the last of a list may be another row.
        assert abs(cosines[probe, one].mean() - cosines[probe, other].mean()) < 0.005


@needs_instructions
def test_one_list_goes_through_all_segments():
    """Estimates are sums of what the probe's table holds, in whichever segment a row lies."""
    rows, probe = filled(384, 1), vectors(1, 384, seed=2)
    rotated = rows._encoder.rotated(probe)
    table = (centroids(384, 1) @ rotated.reshape(-1, 4, 1))[:, :, 0]
    codes = np.concatenate([segment.read_many(np.arange(320)) for segment in rows._segments])
    exact = table[np.arange(len(table)), codes].sum(axis=1)[: len(rows)]
    nearest = Nearest(table, 7)
    for number, segment in enumerate(rows._segments):
        nearest.scan(np.array([[segment.address_of(0), segment.count, 320 * number]]))
    estimates, found = nearest.best()

    assert np.abs(estimates - exact[found]).max() < 0.01
    assert np.sort(exact)[-7] - 0.01 < exact[found].min()


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


@needs_instructions
def test_the_first_search_need_not_compile():
    """Whoever signs in first would wait for seconds."""
    prepare()
    kernels: list[Any] = [scan_kernel._scan, scan_kernel._kept]
    before = [len(kernel.signatures) for kernel in kernels]
    filled(384, 1).nearest_rows(vectors(2, 384), 20, None)

    assert min(before) > 0
    assert [len(kernel.signatures) for kernel in kernels] == before
