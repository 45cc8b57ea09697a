"""What every gallery does: who is found, in which order, and what is never half done.

The same tests for every implementation of the port; what only one of them has is tested in the
file of its name.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Event
from typing import cast

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from engine.comparison.compare import compare
from engine.errors import (
    DuplicateReference,
    ExtractorMismatch,
    GalleryFault,
    TemplateRefused,
    UnknownReference,
)
from engine.gallery.port import Gallery
from engine.gallery.protection.rotated_gallery import RotatedGallery, VectorRotation
from engine.gallery.search.adaptive import AdaptiveGallery
from engine.gallery.search.exact import ExactGallery
from engine.gallery.search.packed import PackedGallery
from engine.parameters import SHORT_LIST_ROWS
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
    """A packed gallery whose segments are so small that a few references fill several."""
    return PackedGallery(FAKE_EXTRACTOR, FAKE_DIMENSION, segment_rows=32, **options)


KINDS: dict[str, Callable[[], Gallery]] = {
    "exact": lambda: ExactGallery(FAKE_EXTRACTOR, FAKE_DIMENSION),
    "packed": packed,
    "packed-on-two-threads": lambda: packed(threads=2),
    "packed-in-one-bit": lambda: packed(bits=1, threads=2),
    "adaptive": lambda: AdaptiveGallery(
        FAKE_EXTRACTOR, FAKE_DIMENSION, limit=7, new_packed=packed
    ),
    "turned": lambda: RotatedGallery(
        packed(), VectorRotation(bytes(range(32)), FAKE_DIMENSION)
    ),
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


def test_it_is_a_gallery(new_gallery):
    """Callers know the port only."""
    gallery: Gallery = new_gallery()

    assert len(gallery) == 0


def test_every_palm_is_found_first(filled_gallery):
    """Identification: the owner of the palm heads the list, whoever else is enrolled."""
    gallery = filled_gallery(50)

    for group in range(50):
        best, *_ = gallery.search([template_of(group, noise=0.05, sample=99)])
        assert best.group_id == group_id(group)
        assert best.reference_id in (reference_id(2 * group), reference_id(2 * group + 1))


def test_the_score_is_the_exact_comparison(new_gallery):
    """The vector only makes the short list; the threshold was calibrated on ``compare``."""
    gallery = new_gallery()
    reference = reference_of(1, group=1, noise=0.05)
    gallery.enrol([reference])
    probe = template_of(1, noise=0.05, sample=9)

    (found,) = gallery.search([probe])

    assert found.score == pytest.approx(compare(probe, reference.template))


def test_a_group_comes_once_and_the_list_is_sorted(filled_gallery):
    """A candidate list names palms, not pictures of palms."""
    found = filled_gallery(30).search([template_of(3, noise=0.05, sample=9)], count=10)

    assert len(found) == len({candidate.group_id for candidate in found}) == 10
    assert [c.score for c in found] == sorted((c.score for c in found), reverse=True)


def test_probes_of_one_login_are_fused(filled_gallery):
    """One bad frame among good ones must not throw the palm out, nor win it."""
    gallery = filled_gallery(10)
    good, bad = template_of(3), template_of(12345)

    (alone, *_), (fused, *_) = gallery.search([good]), gallery.search([good, bad])

    assert alone.group_id == fused.group_id == group_id(3)
    assert fused.score < alone.score


def test_left_and_right_never_meet(new_gallery):
    """A left palm is not found with a right one, though the arrays be equal."""
    gallery = new_gallery()
    gallery.enrol([reference_of(1, group=1), reference_of(2, group=2, hand=Hand.RIGHT)])

    (left,) = gallery.search([template_of(2)])
    (right,) = gallery.search([template_of(1, hand=Hand.RIGHT)])

    assert left.group_id == group_id(1)
    assert right.group_id == group_id(2)
    assert (gallery.row_count(Hand.LEFT), gallery.row_count(Hand.RIGHT)) == (1, 1)


def test_an_empty_gallery_finds_nobody(new_gallery):
    """FAISS answers −1 there, and −1 is Python's last row."""
    gallery = new_gallery()

    assert gallery.search([template_of(1)]) == []

    gallery.enrol([reference_of(1, group=1)])
    gallery.erase([reference_id(1)])
    assert gallery.search([template_of(1)]) == []


def test_a_gallery_smaller_than_the_short_list_pads_nothing(filled_gallery):
    """Asking for more rows than there are must not invent candidates."""
    assert SHORT_LIST_ROWS > 6
    assert len(filled_gallery(3).search([template_of(1)], count=1000)) == 3


def test_an_erased_group_is_found_no_more_and_others_still_are(filled_gallery):
    """Removal moves rows: every remaining row must keep its own name."""
    gallery = filled_gallery(40)

    assert gallery.erase_group(group_id(7)) == 2
    assert gallery.erase_group(group_id(7)) == 0

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


def test_a_replaced_reference_is_found_by_its_new_template_only(filled_gallery):
    """Enrolling anew must not leave the old palm in the gallery, nor lose the person."""
    gallery = filled_gallery(20)

    gallery.replace([reference_of(4, group=77), reference_of(5, group=77, hand=Hand.RIGHT)])

    assert gallery.search([template_of(77)])[0].reference_id == reference_id(4)
    (right,) = gallery.search([template_of(77, hand=Hand.RIGHT)])
    assert (right.reference_id, right.group_id) == (reference_id(5), group_id(77))
    assert gallery.references_of(group_id(2)) == []
    assert len(gallery.references_of(group_id(77))) == 2
    assert (len(gallery), gallery.row_count(Hand.LEFT)) == (40, 39)


@pytest.mark.parametrize(
    ("batch", "fault"),
    [
        ([reference_of(0, group=9), reference_of(99, group=9)], UnknownReference),
        ([reference_of(0, group=9), reference_of(0, group=9)], DuplicateReference),
    ],
)
def test_replacement_is_all_or_nothing(batch, fault, filled_gallery):
    """A half-replaced person would be two people's mixture."""
    gallery = filled_gallery(2)

    with pytest.raises(fault):
        gallery.replace(batch)

    assert gallery.references_of(group_id(9)) == []
    assert len(gallery.references_of(group_id(0))) == 2


def test_nothing_may_be_enrolled_erased_or_replaced(filled_gallery):
    """An empty list is a change that changes nothing."""
    gallery = filled_gallery(2)

    gallery.enrol([])
    gallery.erase([])
    gallery.replace([])

    assert len(gallery) == 4


def test_many_come_and_go_in_one_call(new_gallery):
    """A start enrols thousands at once; a tenant that leaves takes many along."""
    gallery = new_gallery()
    gallery.enrol([reference_of(n, group=n) for n in range(120)])
    gallery.erase([reference_id(n) for n in range(120) if n % 3])

    assert len(gallery) == 40
    for n in range(120):
        found = gallery.search([template_of(n)])[0].group_id == group_id(n)
        assert found == (n % 3 == 0)


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
    """FAISS crashes on a search beside an ``add``; requests do not wait for each other."""
    gallery = filled_gallery(20)
    stop = Event()

    def come_and_go(visitors: list[Reference]) -> int:
        rounds = 0
        while not stop.is_set():
            gallery.enrol(visitors)
            gallery.erase([visitor.reference_id for visitor in visitors[:10]])
            for group in {visitor.group_id for visitor in visitors[10:]}:
                gallery.erase_group(group)
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


class GalleryMachine(RuleBasedStateMachine):
    """Random enrolments, erasures and searches, against a dictionary and plain comparison."""

    numbers = st.integers(0, 30)
    groups = st.integers(0, 8)
    hands = st.sampled_from(Hand)

    kind = "exact"

    def __init__(self) -> None:
        super().__init__()
        self.gallery = KINDS[self.kind]()
        self.plain: dict[object, Reference] = {}

    @rule(batch=st.lists(st.tuples(numbers, groups, hands), max_size=5))
    def enrol(self, batch):
        """Add some, unless one of them is already there."""
        references = [reference_of(n, g, hand=hand, noise=0.1) for n, g, hand in batch]
        ids = [reference.reference_id for reference in references]
        if len(set(ids)) < len(ids) or any(i in self.plain for i in ids):
            with pytest.raises(DuplicateReference):
                self.gallery.enrol(references)
            return
        self.gallery.enrol(references)
        self.plain.update(zip(ids, references, strict=True))

    @rule(batch=st.lists(numbers, max_size=4))
    def erase(self, batch):
        """Remove some, unless one of them is not there."""
        ids = [reference_id(number) for number in batch]
        if any(i not in self.plain for i in ids):
            with pytest.raises(UnknownReference):
                self.gallery.erase(ids)
            return
        self.gallery.erase(ids)
        for i in set(ids):
            del self.plain[i]

    @rule(batch=st.lists(st.tuples(numbers, groups, hands), max_size=3))
    def replace(self, batch):
        """Exchange some, unless one of them is not there or comes twice."""
        references = [reference_of(n, g, hand=hand, noise=0.1) for n, g, hand in batch]
        ids = [reference.reference_id for reference in references]
        if len(set(ids)) < len(ids):
            with pytest.raises(DuplicateReference):
                self.gallery.replace(references)
        elif any(i not in self.plain for i in ids):
            with pytest.raises(UnknownReference):
                self.gallery.replace(references)
        else:
            self.gallery.replace(references)
            self.plain.update(zip(ids, references, strict=True))

    @rule(group=groups)
    def erase_group(self, group):
        """Remove a group, known or not."""
        leaving = [i for i, r in self.plain.items() if r.group_id == group_id(group)]
        assert self.gallery.erase_group(group_id(group)) == len(leaving)
        for i in leaving:
            del self.plain[i]

    @rule(seeds=st.lists(groups, min_size=1, max_size=3), hand=hands)
    def search(self, seeds, hand):
        """The list is the one that comparing with everything gives."""
        probes = [template_of(seed, hand=hand, noise=0.1, sample=500) for seed in seeds]
        expected = {}
        for group in {r.group_id for r in self.plain.values() if r.template.hand is hand}:
            templates = [
                r.template
                for r in self.plain.values()
                if r.group_id == group and r.template.hand is hand
            ]
            best = [max(compare(probe, template) for template in templates) for probe in probes]
            expected[group] = sum(best) / len(best)

        found = self.gallery.search(probes, count=100)

        assert {c.group_id: c.score for c in found} == pytest.approx(expected, abs=1e-6)
        assert [c.score for c in found] == sorted((c.score for c in found), reverse=True)
        assert all(self.plain[c.reference_id].group_id == c.group_id for c in found)

    @invariant()
    def counts_agree(self):
        """What is counted for the threshold is what is there."""
        assert len(self.gallery) == len(self.plain)
        for hand in Hand:
            there = [r for r in self.plain.values() if r.template.hand is hand]
            assert self.gallery.row_count(hand) == len(there)
        for group in range(9):
            ids = {r.reference_id for r in self.gallery.references_of(group_id(group))}
            assert ids == {i for i, r in self.plain.items() if r.group_id == group_id(group)}


def machine_of(kind):
    """The machine for one implementation, as a test case."""
    machine = cast(type[GalleryMachine], type(kind, (GalleryMachine,), {"kind": kind}))
    case = machine.TestCase
    case.settings = settings(max_examples=15, stateful_step_count=20, deadline=None)
    return case


TestExact = machine_of("exact")
TestPacked = machine_of("packed")
TestPackedOnTwoThreads = machine_of("packed-on-two-threads")
TestAdaptive = machine_of("adaptive")
