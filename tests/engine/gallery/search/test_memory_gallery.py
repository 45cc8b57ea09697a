"""memory_gallery: what a search answers while the gallery changes, and what it loses."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Event
from unittest.mock import Mock

import numpy as np
import pytest

from engine.comparison.compare import fused_scores
from engine.errors import GalleryFault
from engine.gallery.search import ranking, side_index
from engine.gallery.search.memory_gallery import MemoryGallery
from engine.gallery.search.ranking import chosen_slots, likest_rows
from engine.gallery.search.side_index import SideIndex
from engine.parameters import COMPARED_GROUPS
from tests.support.palms.templates import (
    FAKE_DIMENSION,
    FAKE_EXTRACTOR,
    group_id,
    reference_id,
    reference_of,
    template_of,
)

PATIENCE_S = 60


class SlowCodes(np.ndarray):
    """Codes that are read only when the test lets them."""

    is_read, may_be_read = Event(), Event()

    def __getitem__(self, slots):
        """Wait, then return codes."""
        self.is_read.set()
        assert self.may_be_read.wait(PATIENCE_S)
        return np.asarray(self)[slots]

    def __setitem__(self, slots, codes):
        """Write at once: numpy would read first."""
        np.asarray(self)[slots] = codes


def packed(**options):
    """A gallery whose rows are packed, in small segments."""
    options = {"exact_rows": 0, "segment_rows": 96} | options
    return MemoryGallery(FAKE_EXTRACTOR, FAKE_DIMENSION, **options)


def overtaken_search(change, gallery, probes):
    """Return what a search finds that reads the codes only after a change."""
    records = gallery.rows.records
    codes = records.codes = records.codes.view(SlowCodes)
    codes.is_read.clear()
    codes.may_be_read.clear()
    with ThreadPoolExecutor(1) as pool:
        searching = pool.submit(gallery.search, probes)
        assert codes.is_read.wait(PATIENCE_S)
        change()
        codes.may_be_read.set()
        return [candidate.group_id for candidate in searching.result(PATIENCE_S)]


@pytest.mark.parametrize("probe_count", [1, 3])
def test_a_search_that_an_erasure_overtook_does_not_find_what_was_erased(probe_count):
    """Once an erasure is acknowledged, no answer contains it, even one long under way."""
    gallery = packed()
    gallery.enrol([reference_of(n, group=n) for n in range(10)])
    probes = [template_of(3)] * probe_count

    found = overtaken_search(lambda: gallery.erase([reference_id(3)]), gallery, probes)

    assert group_id(3) not in found
    assert len(found) == COMPARED_GROUPS


def test_a_search_that_a_move_overtook_still_finds_who_was_moved():
    """The last row goes into the hole: the scan had passed the one, not come to the other."""
    gallery = packed()
    gallery.enrol([reference_of(n, group=n) for n in range(200)])

    found = overtaken_search(
        lambda: gallery.erase([reference_id(0)]), gallery, [template_of(199)]
    )

    assert found[0] == group_id(199)


def test_an_erased_template_is_nowhere_in_memory():
    """Erased means overwritten: row, vector and code, not only forgotten."""
    gallery = packed()
    gallery.enrol([reference_of(n, group=n) for n in range(40)])
    gallery.erase([reference_id(n) for n in range(40)])

    records = gallery.rows.records
    segments = [s for hand in gallery.rows.hands for s in hand._segments]
    assert not any(segment.octets.any() for segment in segments)
    for column in (records.vectors, records.coarse, records.codes, records.ids):
        assert not column.any()


def test_an_enrolment_that_fails_leaves_everything_as_it_was(monkeypatch):
    """Without memory an enrolment is refused and damages nothing; the slots are used again."""
    gallery = packed()
    gallery.enrol([reference_of(1, group=1)])
    with monkeypatch.context() as full:
        full.setattr(SideIndex, "prepare", Mock(side_effect=MemoryError))
        with pytest.raises(MemoryError):
            gallery.enrol([reference_of(2, group=2), reference_of(3, group=3)])

    assert len(gallery) == 1
    assert gallery.references_of(group_id(2)) == []
    gallery.enrol([reference_of(2, group=2)])
    assert gallery.search([template_of(2)])[0].group_id == group_id(2)
    assert gallery.rows.records.slot_count == 3


@pytest.mark.parametrize("threads", [1, 3])
def test_packed_and_exact_searches_agree(threads, monkeypatch):
    """The scan loses no palm that would have been found, however many threads share it."""
    monkeypatch.setattr(side_index, "_SHARED_ROWS", 0)
    gallery = packed(threads=threads)
    gallery.enrol([reference_of(n, group=n, noise=0.1) for n in range(1000)])

    for n in range(0, 1000, 50):
        probe = template_of(n, noise=0.1, sample=5000)
        assert gallery.search([probe], count=1) == gallery.find([probe], count=1, exact=True)


def test_a_search_that_a_reload_overtook_begins_again():
    """A reference that is not in the new rows is not found."""
    gallery = packed()
    gallery.enrol([reference_of(n, group=n) for n in range(10)])

    found = overtaken_search(lambda: gallery.load([]), gallery, [template_of(3)])

    assert found == []


def neighbour_of(vector, number, *, distance):
    """The reference of a palm, but its vector lies so far from another."""
    palm = reference_of(number, group=number)
    moved = vector + distance * template_of(10_000 + number).vector
    unit = (moved / np.linalg.norm(moved)).astype(np.float32)
    return replace(palm, template=replace(palm.template, vector=unit))


@pytest.mark.parametrize("number", [7, 8])
def test_a_mate_is_found_though_forty_vectors_are_nearer_and_a_non_mate_costs_as_much(
    number, monkeypatch
):
    """Coarse codes order the list; the cost does not show whether a mate is there."""
    gallery = packed()
    probe = template_of(number, noise=0.2, sample=1)
    mate = neighbour_of(probe.vector, 7, distance=0.2)
    gallery.enrol([mate, *(neighbour_of(probe.vector, n, distance=0.1) for n in range(10, 50))])
    gallery.enrol([reference_of(n, group=n) for n in range(50, 150)])

    comparing = Mock(wraps=fused_scores)
    monkeypatch.setattr(ranking, "fused_scores", comparing)
    first = gallery.search([probe])[0]

    assert (first.group_id == group_id(7)) is (number == 7)
    assert [len(each.args[1]) for each in comparing.call_args_list] == [COMPARED_GROUPS]


def test_a_palm_enrolled_while_the_list_is_compared_is_found():
    """Also one whose vector is farther away than those of all who are compared."""
    gallery = packed()
    probe = template_of(7, noise=0.2, sample=1)
    gallery.enrol([neighbour_of(probe.vector, n, distance=0.1) for n in range(10, 50)])
    gallery.enrol([reference_of(n, group=n) for n in range(50, 150)])
    mate = neighbour_of(probe.vector, 7, distance=0.2)

    found = overtaken_search(lambda: gallery.enrol([mate]), gallery, [probe])

    assert found[0] == group_id(7)


@pytest.mark.parametrize("options", [{"segment_rows": 33}, {"segment_rows": 0}, {"threads": 0}])
def test_senseless_sizes_are_refused(options):
    """Half a block cannot be scanned."""
    with pytest.raises(GalleryFault):
        packed(**options)


@pytest.mark.parametrize("probe_count", [1, 3])
def test_of_rows_that_a_server_scanned_the_same_groups_are_compared(probe_count):
    """A gallery on a server sends the nearest rows' cosines, groups and coarse codes."""
    gallery = packed()
    gallery.enrol([reference_of(n, group=n // 2) for n in range(40)])
    records, slots = gallery._rows.records, np.arange(40)
    probes = [template_of(n) for n in range(probe_count)]
    vectors, codes = np.stack([p.vector for p in probes]), [p.code for p in probes]

    here = chosen_slots(records, 0, vectors, codes, slots, COMPARED_GROUPS)
    cosines, coarse = records.products(slots, vectors), records.coarse[slots]
    there = likest_rows(cosines, coarse, records.groups[slots], codes, COMPARED_GROUPS)

    assert here.tolist() == there.tolist() != []
