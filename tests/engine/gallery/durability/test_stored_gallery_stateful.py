"""A stored gallery against a plain one: any order of changes, searches, restarts, kills.

And a table of everything that must be refused, after which nothing is different: not in memory,
not on disk.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from engine.comparison.compare import compare_many
from engine.comparison.multi_sample import fuse
from engine.errors import (
    DuplicateReference,
    ExtractorMismatch,
    GalleryFault,
    TemplateRefused,
    UnknownReference,
)
from engine.gallery.durability.state import RowFormat
from engine.gallery.durability.stored import StoredGallery
from engine.gallery.search.packed import PackedGallery
from engine.parameters import CODE_BYTES
from engine.types import ExtractorId, Hand, Reference, ReferenceId
from tests.support.galleries.gallery_disk import GalleryDisk
from tests.support.palms.templates import (
    FAKE_DIMENSION,
    FAKE_EXTRACTOR,
    group_id,
    other_extractor,
    reference_id,
    reference_of,
    template_of,
)

MODEL = RowFormat(FAKE_EXTRACTOR, FAKE_DIMENSION, CODE_BYTES, 2)
KEY = bytes(range(32))


def opened(files, limit):
    """Open a gallery."""

    def packed(codes):
        return PackedGallery(FAKE_EXTRACTOR, FAKE_DIMENSION, codes=codes, segment_rows=32)

    return StoredGallery(files.file(MODEL, KEY), limit=limit, new_packed=packed)


class PlainGallery:
    """References in a dictionary; a search compares every one and looks at every vector."""

    def __init__(self, references=()):
        self.references = dict(references)

    def search(self, probes):
        """Return groups and scores, best first."""
        ours = [r for r in self.references.values() if r.template.hand is probes[0].hand]
        groups = {r.group_id for r in ours}
        scored = []
        for group in groups:
            templates = [r.template for r in ours if r.group_id == group]
            scores = np.stack([compare_many(probe, templates) for probe in probes])
            scored.append((group, fuse(scores)[0]))
        return sorted(scored, key=lambda each: (-each[1], each[0].bytes))


class StoredMachine(RuleBasedStateMachine):
    """Random life of a gallery that is restarted now and then."""

    limit = 1_000
    numbers, groups, hands = st.integers(0, 25), st.integers(0, 6), st.sampled_from(Hand)

    def __init__(self):
        super().__init__()
        self.files = GalleryDisk()
        self.gallery = opened(self.files, self.limit)
        self.gallery.checkpoint()
        self.plain = PlainGallery()
        self.sequence, self.durable = 0, 0
        self.states: dict[int, dict[ReferenceId, Reference]] = {-1: {}, 0: {}}
        with self.gallery.step(0):
            pass
        self.sync()

    @rule(
        erased=st.lists(numbers, max_size=3, unique=True),
        put=st.lists(st.tuples(numbers, groups, hands), max_size=4, unique_by=lambda t: t[0]),
    )
    def step(self, erased, put):
        """Erase some, and enrol or replace some, as one step."""
        self.sequence += 1
        references = [reference_of(n, g, hand=hand, noise=0.1) for n, g, hand in put]
        with self.gallery.step(self.sequence):
            leaving = [reference_id(n) for n in erased if reference_id(n) in self.gallery]
            self.gallery.erase(leaving)
            self.gallery.replace([r for r in references if r.reference_id in self.gallery])
            new = [r for r in references if r.reference_id not in self.gallery]
            self.gallery.enrol(new)
        for name in leaving:
            del self.plain.references[name]
        self.plain.references.update((r.reference_id, r) for r in references)
        self.states[self.sequence] = dict(self.plain.references)

    @rule(number=numbers, group=groups)
    def enrol_again(self, number, group):
        """One that is there is refused."""
        if reference_id(number) in self.plain.references:
            with pytest.raises(DuplicateReference):
                self.gallery.enrol([reference_of(number, group)])

    @rule(number=numbers)
    def erase_unknown(self, number):
        """One that is not there cannot be erased or replaced."""
        if reference_id(number) not in self.plain.references:
            with pytest.raises(UnknownReference):
                self.gallery.erase([reference_id(number)])
            with pytest.raises(UnknownReference):
                self.gallery.replace([reference_of(number, 1)])

    @rule(seeds=st.lists(groups, min_size=1, max_size=2), hand=hands)
    def search(self, seeds, hand):
        """The answer is the plain gallery's."""
        probes = [template_of(seed, hand=hand, noise=0.1, sample=500) for seed in seeds]
        found = self.gallery.search(probes)
        expected = self.plain.search(probes)
        assert [c.group_id for c in found] == [group for group, _ in expected]
        assert [c.score for c in found] == pytest.approx([score for _, score in expected])

    @rule()
    def sync(self):
        """From now on nothing of this may be lost."""
        if self.gallery.sync():
            self.durable = self.sequence

    @rule()
    def checkpoint(self):
        """Write a snapshot."""
        self.gallery.checkpoint()
        self.durable = self.sequence

    @rule()
    def restart(self):
        """End in good order, and begin again."""
        self.gallery.close()
        self.durable = self.sequence
        self.gallery = opened(self.files, self.limit)
        assert self.gallery.sequence == self.sequence
        self._reopened()

    @rule()
    def kill(self):
        """Lose what was not synced, and begin again."""
        self.files = self.files.after_crash()
        self.gallery = opened(self.files, self.limit)
        assert self.gallery.sequence >= self.durable
        self._reopened()

    def _reopened(self):
        self.sequence = self.gallery.sequence
        self.plain = PlainGallery(self.states[self.sequence])
        if self.sequence % 2:
            self.gallery.checkpoint()
            self.durable = self.sequence

    @invariant()
    def sizes_agree(self):
        """Nothing is there twice, and nothing is missing."""
        assert len(self.gallery) == len(self.plain.references)
        names = {bytes(name[:16]) for name in self.gallery.names()}
        assert names == {name.bytes for name in self.plain.references}


class PackedMachine(StoredMachine):
    """The same, with packed rows from the first reference on."""

    limit = 0


class GrowingMachine(StoredMachine):
    """The same, with packed rows from the ninth reference on."""

    limit = 8


for machine in (StoredMachine, PackedMachine, GrowingMachine):
    machine.TestCase.settings = settings(max_examples=15, stateful_step_count=25, deadline=None)

TestStored = StoredMachine.TestCase
TestPacked = PackedMachine.TestCase
TestGrowing = GrowingMachine.TestCase


def vector(change):
    """A reference whose vector is changed."""
    good = reference_of(50, 50)
    return replace(good, template=replace(good.template, vector=change(good.template.vector)))


BAD = {
    "nan": (
        lambda v: np.where(np.arange(v.size) == 3, np.nan, v).astype("f4"),
        TemplateRefused,
    ),
    "infinite": (lambda v: np.where(v > 0, np.inf, v).astype("f4"), TemplateRefused),
    "zero": (lambda v: np.zeros_like(v), TemplateRefused),
    "too long": (lambda v: v * np.float32(1000), TemplateRefused),
    "too short": (lambda v: v * np.float32(0.5), TemplateRefused),
    "of fewer numbers": (lambda v: v[:8] / np.linalg.norm(v[:8]), TemplateRefused),
    "of another type": (lambda v: v.astype(np.float64), TemplateRefused),
    "a matrix": (lambda v: v[None], TemplateRefused),
}


@pytest.mark.parametrize("limit", [0, 1_000])
@pytest.mark.parametrize("case", BAD)
def test_a_bad_vector_is_refused_everywhere_and_changes_nothing(case, limit):
    """In a row it would win every search, or never be found; in a probe it would match."""
    change, fault = BAD[case]
    files = GalleryDisk()
    gallery = opened(files, limit)
    gallery.enrol([reference_of(1, 1), reference_of(50, 2)])
    gallery.checkpoint()
    before, bad = files.contents(), vector(change)

    with pytest.raises(fault):
        gallery.enrol([reference_of(3, 3), replace(bad, reference_id=reference_id(51))])
    with pytest.raises(fault):
        gallery.replace([reference_of(1, 5), bad])
    with pytest.raises(fault):
        gallery.search([bad.template])
    gallery.sync()

    assert files.contents() == before
    assert len(gallery) == len(opened(files, limit)) == 2


@pytest.mark.parametrize("limit", [0, 1_000])
@pytest.mark.parametrize(
    ("act", "fault"),
    [
        (lambda g: g.enrol([reference_of(1, 9)]), DuplicateReference),
        (lambda g: g.enrol([reference_of(8, 9), reference_of(8, 9)]), DuplicateReference),
        (lambda g: g.replace([reference_of(1, 9), reference_of(1, 8)]), DuplicateReference),
        (lambda g: g.replace([reference_of(7, 9)]), UnknownReference),
        (lambda g: g.erase([reference_id(1), reference_id(7)]), UnknownReference),
        (lambda g: g.search([]), GalleryFault),
        (lambda g: g.search([template_of(1)], count=0), GalleryFault),
        (lambda g: g.search([template_of(1)], count=-3), GalleryFault),
        (
            lambda g: g.search([template_of(1), template_of(1, hand=Hand.RIGHT)]),
            ExtractorMismatch,
        ),
        (
            lambda g: g.search([other_extractor(template_of(1), ExtractorId("fake-2"))]),
            ExtractorMismatch,
        ),
    ],
)
def test_a_wrong_call_is_refused_and_changes_nothing(act, fault, limit):
    """Each fault by its own name; no half of it is done."""
    files = GalleryDisk()
    gallery = opened(files, limit)
    gallery.enrol([reference_of(1, 1), reference_of(2, 2)])
    gallery.checkpoint()
    before = files.contents()

    with pytest.raises(fault):
        act(gallery)
    gallery.sync()

    assert files.contents() == before
    assert len(gallery) == 2


@pytest.mark.parametrize("limit", [0, 1_000])
def test_an_empty_gallery_and_a_list_longer_than_it_are_no_faults(limit):
    """FAISS would fill both up with rows that do not exist."""
    gallery = opened(GalleryDisk(), limit)
    nobody = gallery.search([template_of(1)], count=50)
    gallery.enrol([reference_of(1, 1)])
    found = gallery.search([template_of(1)], count=1_000_000)

    assert nobody == []
    assert [candidate.group_id for candidate in found] == [group_id(1)]
