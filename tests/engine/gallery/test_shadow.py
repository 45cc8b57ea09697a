"""shadow: a scan that loses people is found out."""

from __future__ import annotations

from engine.gallery.search.memory_gallery import MemoryGallery
from engine.gallery.shadow import ShadowCounts, ShadowSearch
from tests.support.palms.templates import (
    FAKE_DIMENSION,
    FAKE_EXTRACTOR,
    reference_of,
    template_of,
)


def filled() -> MemoryGallery:
    """A gallery of thirty palms."""
    gallery = MemoryGallery(FAKE_EXTRACTOR, FAKE_DIMENSION, exact_rows=0, segment_rows=32)
    gallery.enrol([reference_of(n, group=n) for n in range(30)])
    return gallery


class Forgetful:
    """A gallery whose quick search never finds the palm itself, some times at first."""

    def __init__(self, times: int = 9) -> None:
        self.gallery, self.times = filled(), times

    def find(self, probes, *, count, exact):
        """Leave the best out, unless asked to be exact."""
        self.times -= not exact
        if exact or self.times < 0:
            return self.gallery.find(probes, count=count)
        return self.gallery.find(probes, count=count + 1)[1:]


def repeated(gallery, seeds=(1,), share=1.0):
    """Return the counts after some searches were offered and repeated."""
    shadow = ShadowSearch(share, chance=lambda: 0.5)
    for seed in seeds:
        shadow.offer([template_of(seed)])
    for _ in range(20):
        shadow.repeat_one(gallery)
    return shadow.counts


def test_a_sound_scan_shows_no_difference():
    """Differences are an alarm: there must be none without a reason."""
    assert repeated(filled(), range(5)) == ShadowCounts(repeated=5)


def test_a_scan_that_loses_people_is_counted():
    """The one thing it is for."""
    assert repeated(Forgetful()) == ShadowCounts(repeated=1, differing=1)


def test_a_difference_that_does_not_last_is_none():
    """The gallery may change between two searches."""
    assert repeated(Forgetful(times=2)) == ShadowCounts(repeated=1)


def test_who_is_compared_without_a_mate_is_chance():
    """Nobody resembles this palm, whoever heads the list."""
    assert repeated(Forgetful(), [99]) == ShadowCounts(repeated=1)


def test_only_the_share_is_repeated():
    """The rest costs nothing."""
    assert repeated(filled(), range(5), share=0.4) == ShadowCounts()


def test_probes_do_not_pile_up():
    """What waits is bounded, and what is dropped is counted."""
    assert repeated(filled(), range(20)) == ShadowCounts(repeated=8, dropped=12)


def test_a_search_that_fails_is_counted_and_the_next_is_repeated():
    """Maintenance goes on."""

    class Broken(Forgetful):
        def find(self, probes, *, count, exact):
            if self.times == 9:
                self.times = 0
                raise OSError
            return super().find(probes, count=count, exact=exact)

    assert repeated(Broken(), range(2)) == ShadowCounts(repeated=1, failed=1)
