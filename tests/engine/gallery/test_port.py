"""The contract of every gallery: candidates, their order, and atomic changes.

The same tests for every implementation of the port; what only one of them has is tested in the
file of its name.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Event
from typing import Any

import numpy as np
import pytest

from engine.errors import (
    DuplicateReference,
    ExtractorMismatch,
    GalleryFault,
    TemplateRefused,
    UnknownReference,
)
from engine.gallery.protection import RotatedGallery, VectorRotation
from engine.gallery.search.memory_gallery import MemoryGallery
from engine.types import ExtractorId, Hand, Reference
from tests.support.palms.templates import (
    FAKE_DIMENSION,
    FAKE_EXTRACTOR,
    group_id,
    other_extractor,
    reference_id,
    reference_of,
    template_of,
)


def packed(**options):
    """A gallery whose rows are packed, in segments that a few references fill."""
    return MemoryGallery(
        FAKE_EXTRACTOR, FAKE_DIMENSION, exact_rows=0, segment_rows=96, **options
    )


class Keyed(RotatedGallery):
    """A gallery under a key; its references come rotated, as from a database."""

    def __init__(self) -> None:
        self._key, self._inner = VectorRotation(bytes(range(32)), FAKE_DIMENSION), packed()
        super().__init__(self._inner, self._key)

    def enrol(self, references):
        """Add references."""
        rotated = [replace(r, template=self._rotated(r.template)) for r in references]
        self._inner.enrol(rotated)

    def erase(self, reference_ids):
        """Remove references."""
        self._inner.erase(reference_ids)

    def _rotated(self, template):
        if template.vector.size == FAKE_DIMENSION and np.isfinite(template.vector).all():
            return replace(template, vector=template.vector @ self._key._rotation.T)
        return template


KINDS: dict[str, Callable[[], Any]] = {
    "small": lambda: MemoryGallery(FAKE_EXTRACTOR, FAKE_DIMENSION),
    "packed": packed,
    "packed-on-two-threads": lambda: packed(threads=2),
    "growing": lambda: MemoryGallery(
        FAKE_EXTRACTOR, FAKE_DIMENSION, exact_rows=50, segment_rows=32
    ),
    "rotated": Keyed,
}


@pytest.fixture(params=[*KINDS, pytest.param("milvus", marks=pytest.mark.milvus)])
def new_gallery(request):
    """Make an empty gallery of the fake extractor."""
    if request.param == "milvus":
        return request.getfixturevalue("new_milvus_gallery")
    return KINDS[request.param]


@pytest.fixture
def filled_gallery(new_gallery):
    """Make a gallery with two references of each group's left hand."""

    def filled(group_count):
        gallery = new_gallery()
        gallery.enrol(
            [reference_of(n, group=n // 2, noise=0.05) for n in range(2 * group_count)]
        )
        return gallery

    return filled


def test_every_palm_is_found_first(filled_gallery):
    """Given 50 people, when each shows a palm again, then its owner heads the list."""
    gallery = filled_gallery(50)

    for group in range(50):
        best, *_ = gallery.search([template_of(group, noise=0.05, sample=99)])
        assert best.group_id == group_id(group)
        assert best.reference_id in (reference_id(2 * group), reference_id(2 * group + 1))


def test_a_group_comes_once_and_the_list_is_sorted(filled_gallery):
    """A candidate list names palms, not pictures of palms."""
    found = filled_gallery(30).search([template_of(3, noise=0.05, sample=9)], count=10)

    assert len(found) == len({candidate.group_id for candidate in found}) == 10
    assert [c.score for c in found] == sorted((c.score for c in found), reverse=True)


def test_probes_of_one_login_are_fused(filled_gallery):
    """One bad frame among good ones must not throw the palm out."""
    gallery = filled_gallery(10)
    good, bad = template_of(3), template_of(12345)

    (alone, *_), (fused, *_) = gallery.search([good]), gallery.search([good, bad])

    assert alone.group_id == fused.group_id == group_id(3)
    assert fused.score == alone.score


def test_left_and_right_never_meet(new_gallery):
    """A left palm is not found with a right one, though the arrays be equal."""
    gallery = new_gallery()
    gallery.enrol([reference_of(1, group=1), reference_of(2, group=2, hand=Hand.RIGHT)])

    (left,) = gallery.search([template_of(2)])
    (right,) = gallery.search([template_of(1, hand=Hand.RIGHT)])

    assert left.group_id == group_id(1)
    assert right.group_id == group_id(2)
    assert (gallery.row_count(Hand.LEFT), gallery.row_count(Hand.RIGHT)) == (1, 1)


def test_an_empty_gallery_has_no_candidates(new_gallery):
    """FAISS answers −1 there, and −1 is Python's last row."""
    gallery = new_gallery()

    assert gallery.search([template_of(1)]) == []

    gallery.enrol([reference_of(1, group=1)])
    gallery.erase([reference_id(1)])
    assert gallery.search([template_of(1)]) == []


def test_an_erased_group_is_found_no_more_and_others_still_are(filled_gallery):
    """Removal moves rows: every remaining row must keep its own name."""
    gallery = filled_gallery(40)

    gallery.erase([reference_id(14), reference_id(15)])

    assert gallery.references_of(group_id(7)) == []
    for group in set(range(40)) - {7}:
        assert gallery.search([template_of(group)])[0].group_id == group_id(group)
    assert all(c.group_id != group_id(7) for c in gallery.search([template_of(7)], count=99))


def test_erasing_one_reference_keeps_the_others_of_its_group(filled_gallery):
    """A person may withdraw one hand only."""
    gallery = filled_gallery(2)

    gallery.erase([reference_id(0), reference_id(0)])

    assert [r.reference_id for r in gallery.references_of(group_id(0))] == [reference_id(1)]
    assert len(gallery) == 3


@pytest.mark.parametrize(
    ("last", "fault"),
    [
        (reference_of(0, group=5), DuplicateReference),
        (reference_of(100, group=6), DuplicateReference),
        ("extractor", ExtractorMismatch),
        ("dimension", TemplateRefused),
        ("nan", TemplateRefused),
        ("infinite", TemplateRefused),
        ("huge", TemplateRefused),
    ],
)
def test_enrolment_is_all_or_nothing(last, fault, filled_gallery):
    """One bad sample among good ones leaves no half-enrolled person behind."""
    gallery = filled_gallery(2)
    template = template_of(9)
    broken = {
        "extractor": other_extractor(template, ExtractorId("other-1")),
        "dimension": replace(template, vector=np.eye(1, 8, dtype=np.float32)[0]),
        "nan": replace(template, vector=template.vector * np.float32("nan")),
        "infinite": replace(template, vector=template.vector * np.float32("inf")),
        "huge": replace(template, vector=template.vector * np.float32(1000)),
    }
    if isinstance(last, str):
        last = Reference(reference_id(101), group_id(9), broken[last])

    with pytest.raises(fault):
        gallery.enrol([reference_of(100, group=5), last])

    assert len(gallery) == gallery.row_count(Hand.LEFT) == 4
    assert gallery.references_of(group_id(5)) == []
    assert all(c.group_id != group_id(5) for c in gallery.search([template_of(5)]))


def test_a_nearly_unit_vector_is_enrolled_as_unit(new_gallery):
    """A row of norm 1.009 would have an advantage over everybody's."""
    gallery = new_gallery()
    reference = reference_of(1, group=1)
    longer = replace(reference.template, vector=reference.template.vector * np.float32(1.009))
    gallery.enrol([replace(reference, template=longer)])

    (kept,) = gallery.references_of(group_id(1))

    assert np.linalg.norm(kept.template.vector) == pytest.approx(1, abs=1e-6)


def test_erasure_is_all_or_nothing(filled_gallery):
    """An unknown identifier is a fault of the caller; nothing may have happened then."""
    gallery = filled_gallery(2)

    with pytest.raises(UnknownReference):
        gallery.erase([reference_id(0), reference_id(77)])

    assert len(gallery) == gallery.row_count(Hand.LEFT) == 4


def test_a_senseless_search_is_refused(filled_gallery):
    """No probe, no line, two hands, a foreign or broken template: each by its own error."""
    gallery = filled_gallery(2)
    probe = template_of(1)

    with pytest.raises(GalleryFault):
        gallery.search([])
    with pytest.raises(GalleryFault):
        gallery.search([probe], count=0)
    with pytest.raises(ExtractorMismatch):
        gallery.search([probe, template_of(1, hand=Hand.RIGHT)])
    with pytest.raises(ExtractorMismatch):
        gallery.search([other_extractor(probe, ExtractorId("other-1"))])
    with pytest.raises(TemplateRefused):
        gallery.search([replace(probe, vector=probe.vector[:4])])
    with pytest.raises(TemplateRefused):
        gallery.search([replace(probe, vector=probe.vector * np.float32("inf"))])


def test_searches_are_right_while_people_come_and_go(filled_gallery):
    """Nor while a gallery grows beyond exact searches and back."""
    gallery = filled_gallery(20)
    stop = Event()

    def come_and_go(visitors: list[Reference]) -> int:
        rounds = 0
        while not stop.is_set():
            gallery.enrol(visitors)
            gallery.erase([visitor.reference_id for visitor in visitors[:10]])
            gallery.erase([visitor.reference_id for visitor in visitors[10:]])
            rounds += 1
        return rounds

    def search() -> int:
        right = 0
        for n in range(15):
            found = gallery.search([probes[n % 20]], count=1)
            right += found[0].group_id == group_id(n % 20)
        return right

    probes = [template_of(n) for n in range(20)]
    crowds = [
        [reference_of(first + n, group=first + n // 2) for n in range(20)]
        for first in (10_000, 20_000)
    ]
    with ThreadPoolExecutor(4) as pool:
        writers = [pool.submit(come_and_go, crowd) for crowd in crowds]
        readers = [pool.submit(search) for _ in range(2)]
        right = [reader.result() for reader in readers]
        stop.set()
        rounds = [writer.result() for writer in writers]

    assert right == [15, 15]
    assert min(rounds) > 0
    assert len(gallery) == 40
