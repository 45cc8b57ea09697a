"""A stored gallery against a plain one: any order of changes, searches, restarts and kills."""

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from engine.comparison.compare import compare_many, fuse
from engine.errors import DuplicateReference, UnknownReference
from engine.types import Hand
from tests.engine.gallery.durability.test_stored_gallery import Database, position, stored
from tests.support.galleries.gallery_disk import GalleryDisk
from tests.support.palms.templates import reference_id, reference_of, template_of


def plain_search(references, probes):
    """Compare every reference; return groups and scores, best first."""
    ours = [r for r in references if r.template.hand is probes[0].hand]
    scored = []
    for group in {r.group_id for r in ours}:
        templates = [r.template for r in ours if r.group_id == group]
        scores = np.stack([compare_many(probe, templates) for probe in probes])
        scored.append((group, fuse(scores)[0]))
    return sorted(scored, key=lambda each: (-each[1], each[0].bytes))


class StoredMachine(RuleBasedStateMachine):
    """Random life of a gallery that is restarted and killed now and then."""

    limit = 1_000
    numbers, groups, hands = st.integers(0, 60), st.integers(0, 6), st.sampled_from(Hand)

    def __init__(self):
        super().__init__()
        self.disk, self.database = GalleryDisk(), Database()
        self.gallery = stored(self.disk, self.limit)

    @property
    def now(self):
        """The references of the database."""
        return self.database.states[-1]

    @rule(
        erased=st.lists(numbers, max_size=9, unique=True),
        put=st.lists(st.tuples(numbers, groups, hands), max_size=6, unique_by=lambda t: t[0]),
    )
    def change(self, erased, put):
        """Erase some and enrol others in the database, and follow."""
        coming = [reference_of(n, g, hand=hand, noise=0.1) for n, g, hand in put]
        known = set().union(*self.database.states)  # an identifier never comes again
        self.database.change(erased, [r for r in coming if r.reference_id not in known])
        self.database.follow(self.gallery)

    @rule(number=numbers, group=groups)
    def change_wrongly(self, number, group):
        """A reference that is there is not enrolled, one that is not there not erased."""
        if reference_id(number) in self.now:
            with pytest.raises(DuplicateReference):
                self.gallery.enrol([reference_of(number, group)])
        else:
            with pytest.raises(UnknownReference):
                self.gallery.erase([reference_id(number)])

    @rule(seeds=st.lists(groups, min_size=1, max_size=3), hand=hands)
    def search(self, seeds, hand):
        """The answer is the plain gallery's."""
        probes = [template_of(seed, hand=hand, noise=0.1, sample=500) for seed in seeds]
        found = self.gallery.gallery.search(probes)
        expected = plain_search(self.now.values(), probes)
        assert [c.group_id for c in found] == [group for group, _ in expected]
        assert [c.score for c in found] == pytest.approx([score for _, score in expected])

    @rule()
    def checkpoint(self):
        """Write a snapshot."""
        self.gallery.checkpoint()

    @rule()
    def restart(self):
        """End in good order, and begin again where it was."""
        self.gallery.close()
        self.gallery = stored(self.disk, self.limit)
        assert self.gallery.position == position(len(self.database.states) - 1) or (
            self.gallery.position.sequence < 0 and not self.now
        )
        self.database.follow(self.gallery)

    @rule()
    def kill(self):
        """Lose what is in no file, and follow the history again."""
        self.disk = self.disk.after_crash()
        self.gallery = stored(self.disk, self.limit)
        self.database.follow(self.gallery)
        assert self.gallery.verify() == 0

    @invariant()
    def names_agree(self):
        """Nothing is there twice, and nothing is missing."""
        names = [bytes(name[:16]) for name in self.gallery.names()]
        assert sorted(names) == sorted(name.bytes for name in self.now)
        for hand in Hand:
            there = [r for r in self.now.values() if r.template.hand is hand]
            assert self.gallery.gallery.row_count(hand) == len(there)


class PackedMachine(StoredMachine):
    """The same, with packed rows from the first reference on."""

    limit = 0


class GrowingMachine(StoredMachine):
    """The same, with packed rows from the ninth reference on."""

    limit = 8


for machine in (StoredMachine, PackedMachine, GrowingMachine):
    machine.TestCase.settings = settings(max_examples=15, stateful_step_count=25, deadline=None)

TestSmall, TestPacked, TestGrowing = (
    machine.TestCase for machine in (StoredMachine, PackedMachine, GrowingMachine)
)
