"""shadow: a scan that loses people is found out."""

from __future__ import annotations

from threading import Event

from engine.gallery.search.packed import PackedGallery
from engine.gallery.shadow import ShadowCounts, ShadowSearch
from engine.parameters import COMPARED_GROUPS
from tests.support.palms.templates import (
    FAKE_DIMENSION,
    FAKE_EXTRACTOR,
    reference_of,
    template_of,
)


def filled() -> PackedGallery:
    """A gallery of thirty palms."""
    gallery = PackedGallery(FAKE_EXTRACTOR, FAKE_DIMENSION, segment_rows=32)
    gallery.enrol([reference_of(n, group=n) for n in range(30)])
    return gallery


class Forgetful:
    """A gallery whose quick search never finds the palm itself."""

    def __init__(self) -> None:
        self.gallery, self.may_search = filled(), Event()
        self.may_search.set()

    def search(self, probes, *, count=20, exact=False):
        """Leave the best out, unless asked to be exact."""
        if exact:
            assert self.may_search.wait(60)
            return self.gallery.search(probes, count=count)
        return self.gallery.search(probes, count=count + 1)[1:]


def test_a_sound_scan_shows_no_difference():
    """Differences are an alarm: there must be none without a reason."""
    shadow = ShadowSearch(filled, 1.0, chance=lambda: 0.5)
    found = [shadow.search([template_of(n)]) for n in range(5)]
    shadow.close()

    assert [len(candidates) for candidates in found] == [COMPARED_GROUPS] * 5
    assert shadow.counts.differing == 0
    assert shadow.counts.repeated + shadow.counts.dropped == 5
    assert shadow.counts.repeated > 0


def test_a_scan_that_loses_people_is_counted():
    """The one thing it is for."""
    shadow = ShadowSearch(Forgetful, 1.0, chance=lambda: 0.5)
    shadow.search([template_of(1)])
    shadow.close()

    assert shadow.counts == ShadowCounts(repeated=1, differing=1)


def test_which_strangers_are_compared_is_no_difference():
    """Nobody is missed where nobody is alike; the lists end where the scan's estimates do."""
    shadow = ShadowSearch(Forgetful, 1.0, chance=lambda: 0.5)
    shadow.search([template_of(1_000)])
    shadow.close()

    assert shadow.counts == ShadowCounts(repeated=1)


def test_only_a_share_is_repeated():
    """Exact searches are slow; one in a thousand says enough."""
    chances = iter([0.09, 0.1, 0.9])
    shadow = ShadowSearch(filled, 0.1, chance=lambda: next(chances))
    for _ in range(3):
        shadow.search([template_of(1)])
    shadow.close()

    assert shadow.counts == ShadowCounts(repeated=1)


def test_probes_do_not_pile_up():
    """Biometric data wait nowhere: what cannot be repeated soon is counted and let go."""
    gallery = Forgetful()
    gallery.may_search.clear()
    shadow = ShadowSearch(lambda: gallery, 1.0, chance=lambda: 0.0)
    for _ in range(20):
        shadow.search([template_of(1)])
    gallery.may_search.set()
    shadow.close()

    assert shadow.counts.dropped >= 20 - 9
    assert shadow.counts.dropped + shadow.counts.repeated == 20


def test_a_failing_repetition_is_counted_and_the_next_one_is_made():
    """A fault in the shadow must not end it, nor reach a login."""

    class Failing:
        def search(self, probes, *, count=20, exact=False):
            if exact and len(probes) == 2:
                raise ArithmeticError
            return []

    shadow = ShadowSearch(Failing, 1.0, chance=lambda: 0.0)
    shadow.search([template_of(1)] * 2)
    shadow.search([template_of(1)])
    shadow.close()

    assert shadow.counts == ShadowCounts(repeated=1, failed=1)
