"""adaptive: crossing the limit is nothing anybody notices."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from engine.errors import DuplicateReference
from engine.gallery.search.adaptive import AdaptiveGallery
from engine.gallery.search.packed import PackedGallery
from tests.support.palms.templates import (
    FAKE_DIMENSION,
    FAKE_EXTRACTOR,
    group_id,
    reference_id,
    reference_of,
    template_of,
)


def adaptive(limit: int) -> AdaptiveGallery:
    """A gallery with a low limit."""
    return AdaptiveGallery(
        FAKE_EXTRACTOR,
        FAKE_DIMENSION,
        limit=limit,
        new_packed=lambda: PackedGallery(FAKE_EXTRACTOR, FAKE_DIMENSION, segment_rows=32),
    )


def test_it_is_exact_up_to_the_limit_and_packed_above():
    """Small galleries need no second copy of every vector."""
    gallery = adaptive(limit=3)
    gallery.enrol([reference_of(n, group=n) for n in range(3)])
    before = gallery.is_packed
    gallery.enrol([reference_of(3, group=3)])

    assert (before, gallery.is_packed) == (False, True)
    assert [gallery.search([template_of(n)])[0].group_id for n in range(4)] == [
        group_id(n) for n in range(4)
    ]
    gallery.erase([reference_id(n) for n in range(4)])
    assert gallery.is_packed
    assert len(gallery) == 0


def test_a_refused_enrolment_does_not_cross_the_limit():
    """All or nothing holds for the change of the gallery, too."""
    gallery = adaptive(limit=3)
    gallery.enrol([reference_of(n, group=n) for n in range(3)])

    with pytest.raises(DuplicateReference):
        gallery.enrol([reference_of(4, group=4), reference_of(0, group=0)])

    assert not gallery.is_packed
    assert len(gallery) == 3


def test_searches_go_on_while_it_grows():
    """Growth is served through: every palm that was enrolled is found at every instant."""
    gallery, grown = adaptive(limit=300), Event()
    gallery.enrol([reference_of(n, group=n) for n in range(20)])

    def search() -> int:
        wrong = rounds = 0
        while not grown.is_set() or rounds < 20:
            found = gallery.search([template_of(rounds % 20)], count=1)
            wrong += found[0].group_id != group_id(rounds % 20)
            rounds += 1
        return wrong

    with ThreadPoolExecutor(2) as pool:
        searching = [pool.submit(search) for _ in range(2)]
        for n in range(20, 400, 10):
            gallery.enrol([reference_of(m, group=m) for m in range(n, n + 10)])
            gallery.erase([reference_id(n)])
        grown.set()
        assert [done.result(60) for done in searching] == [0, 0]

    assert gallery.is_packed
    assert gallery.search([template_of(20)])[0].group_id != group_id(20)


def test_an_exact_search_is_possible_on_both_sides_of_the_limit():
    """An audit asks the same question of a small gallery and of a large one."""
    for limit in (5, 500):
        gallery = adaptive(limit)
        gallery.enrol([reference_of(n, group=n, noise=0.1) for n in range(50)])
        probe = template_of(9, noise=0.1, sample=99)
        assert gallery.search([probe], exact=True)[0] == gallery.search([probe])[0]


def test_its_packed_gallery_is_made_with_its_own_dimension():
    """Whoever gives no factory gets packed rows of the same templates."""
    gallery = AdaptiveGallery(FAKE_EXTRACTOR, FAKE_DIMENSION, limit=0)
    gallery.enrol([reference_of(1, group=1)])

    assert gallery.is_packed
    assert gallery.search([template_of(1)])[0].group_id == group_id(1)
