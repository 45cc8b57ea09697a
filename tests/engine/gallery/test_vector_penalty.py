"""Galleries compare as ``compare`` does, vectors included: the score that decides is one."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from engine.comparison.compare import compare, compare_codes
from engine.gallery.search.memory_gallery import MemoryGallery
from engine.types import Reference
from tests.support.palms.templates import group_id, reference_id
from tests.support.palms.vector_templates import DIMENSION, EXTRACTOR, penalised_template

CLOSE = 1e-5
"""How far vectors in half precision may move a score."""


KINDS: dict[str, Callable[[], Any]] = {
    "small": lambda: MemoryGallery(EXTRACTOR, DIMENSION),
    "packed": lambda: MemoryGallery(EXTRACTOR, DIMENSION, exact_rows=0, segment_rows=32),
}


@pytest.fixture(params=[*KINDS, pytest.param("milvus", marks=pytest.mark.milvus)])
def gallery(request):
    """Make an empty gallery whose vectors lower scores."""
    if request.param == "milvus":
        return request.getfixturevalue("new_penalised_milvus_gallery")()
    return KINDS[request.param]()


def reference_of(palm: int, **options: float) -> Reference:
    """The reference of a palm, its own group."""
    template = penalised_template(palm, sample=1, **options)
    return Reference(reference_id(palm), group_id(palm), template)


def test_the_score_is_that_of_a_comparison(gallery):
    """In memory or on a server, in half precision or not."""
    likenesses = np.linspace(-0.9, 1, 20)
    references = [
        reference_of(palm, noise=0.2, likeness=float(likeness))
        for palm, likeness in enumerate(likenesses)
    ]
    gallery.enrol(references)
    lowered = 0
    for reference in references:
        probe = penalised_template(reference.group_id.int - group_id(0).int)
        found = {line.group_id: line.score for line in gallery.search([probe])}
        expected = compare(probe, reference.template)
        codes = 1 - compare_codes(probe.code, reference.template.code[None])[0]
        lowered += bool(codes > expected + CLOSE)

        assert found[reference.group_id] == pytest.approx(expected, abs=CLOSE)

    assert 8 < lowered < 20
