"""shadow: a scan that loses people is found out."""

import pytest

from engine.gallery.durability.state import ShadowCounts, ShadowSearch
from engine.gallery.search.memory_gallery import MemoryGallery
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


def repeated(gallery, seeds, share=1.0):
    """Return the counts after some searches were offered and repeated."""
    shadow = ShadowSearch(share, chance=lambda: 0.5)
    for seed in seeds:
        shadow.offer([template_of(seed)])
    shadow.repeat(gallery)
    return shadow.counts


@pytest.mark.parametrize(
    ("gallery", "seeds", "share", "counts"),
    [
        pytest.param(filled(), range(5), 1.0, ShadowCounts(repeated=5), id="sound"),
        pytest.param(
            Forgetful(), [1], 1.0, ShadowCounts(repeated=1, differing=1), id="loses people"
        ),
        pytest.param(
            Forgetful(times=2), [1], 1.0, ShadowCounts(repeated=1), id="changed between the two"
        ),
        pytest.param(Forgetful(), [99], 1.0, ShadowCounts(repeated=1), id="not enrolled"),
        pytest.param(filled(), range(5), 0.4, ShadowCounts(), id="beyond the share"),
        pytest.param(
            filled(), range(20), 1.0, ShadowCounts(repeated=8, dropped=12), id="piling up"
        ),
    ],
)
def test_only_a_scan_that_loses_people_differs(gallery, seeds, share, counts):
    """Differences are an alarm; what waits is bounded, and what is dropped is counted."""
    assert repeated(gallery, seeds, share) == counts
