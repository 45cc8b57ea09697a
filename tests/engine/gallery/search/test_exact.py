"""exact: what only the exhaustive gallery does."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import faiss
import numpy as np

from engine.gallery.search.exact import ExactGallery
from engine.gallery.search.exact_index import ExactIndex
from tests.support.palms.templates import (
    FAKE_DIMENSION,
    FAKE_EXTRACTOR,
    reference_id,
    reference_of,
    template_of,
)


def test_a_search_uses_one_thread_in_whatever_thread_it_runs():
    """OpenMP's thread count is each thread's own; two workers spinning cost hundredfold."""

    def threads_after_search() -> int:
        faiss.omp_set_num_threads(4)
        gallery.search([template_of(1)])
        return int(faiss.omp_get_max_threads())

    gallery = ExactGallery(FAKE_EXTRACTOR, FAKE_DIMENSION)
    gallery.enrol([reference_of(1, group=1)])
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(threads_after_search).result() == 1


def test_rows_stay_those_of_their_references_whoever_leaves():
    """A row that moved into a hole is its own reference's, also when it leaves in its turn."""
    chance, rows = np.random.default_rng(1), ExactIndex(FAKE_DIMENSION)
    there: set[int] = set()
    for _ in range(40):
        coming = {int(n) for n in chance.integers(0, 60, 8)} - there
        rows.add([reference_of(n, group=n) for n in sorted(coming)])
        there |= coming
        leaving = [int(n) for n in chance.permutation(sorted(there))[: len(there) // 3]]
        rows.remove(reference_id(n) for n in [*leaving, 99])
        there -= set(leaving)

        assert len(rows) == len(there)
        for number in range(60):
            (nearest,) = rows.nearest([template_of(number)], 1)
            assert (nearest.reference_id == reference_id(number)) is (number in there)


def test_an_erased_vector_is_not_left_behind_the_last_row():
    """FAISS keeps what it no longer counts; whoever read the memory would still find it."""
    rows = ExactIndex(FAKE_DIMENSION)
    rows.add([reference_of(n, group=n) for n in range(3)])
    rows.remove([reference_id(0), reference_id(2)])
    kept = faiss.rev_swig_ptr(rows._index.get_xb(), 3 * FAKE_DIMENSION).reshape(3, -1)

    assert np.array_equal(kept[0], reference_of(1, group=1).template.vector)
    assert not kept[1:].any()
