"""exact: what only the exhaustive gallery does."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import faiss

from engine.gallery.exact import ExactGallery
from tests.fakes.templates import FAKE_DIMENSION, FAKE_EXTRACTOR, reference_of, template_of


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
