"""search: mosaics are palms enough, losses are counted, and the command writes what it says."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from benchmarks.__main__ import app
from benchmarks.mosaics import Mosaics, TooFewPalms, group_templates
from benchmarks.peers import HnswlibIndex, PackedScan, Peer, UsearchIndex, flat
from benchmarks.search.drawn import DrawnPalms
from benchmarks.search.measure import Mates, choose_mates, count_failures, measure_scan
from benchmarks.search.page import render_page
from benchmarks.search.people import People
from benchmarks.search.run import Options, measure_repeated, measure_size
from benchmarks.speed import read_bandwidth, resident_octets, time_calls
from engine.calibrate import load_calibration
from engine.codes import pack_code, seen_of
from engine.extract import CLASSICAL_EXTRACTOR
from engine.parameters import CODE_CELLS, CODE_DIRECTIONS, ENERGY_CELLS

DIMENSION = CODE_DIRECTIONS * ENERGY_CELLS**2


def templates(palm_count=12, shots=3):
    """Random templates: pictures of one palm are alike."""
    rng = np.random.default_rng(1)
    vectors, codes, names = [], [], []
    for palm in range(palm_count):
        own = rng.standard_normal(DIMENSION)
        cells = rng.integers(0, CODE_DIRECTIONS, (CODE_CELLS, CODE_CELLS))
        for _ in range(shots):
            vector = own + 0.3 * rng.standard_normal(DIMENSION)
            vectors.append((vector / np.linalg.norm(vector)).astype(np.float32))
            codes.append(pack_code(cells, rng.random(cells.shape) < 0.95))
            names.append(f"palm {palm}")
    return group_templates(np.stack(vectors), np.stack(codes), names)


def drawn(palm_count=12):
    """The same palms as a folder of templates holds them."""
    made = templates(palm_count)
    shape = palm_count, 3, -1
    return DrawnPalms(
        CLASSICAL_EXTRACTOR, made.vectors.reshape(shape), made.codes.reshape(shape)
    )


def people(count=1000, palm_count=12):
    """Some drawn palms, and mosaics."""
    return People(Mosaics(templates(), 3), drawn(palm_count), count)


def test_pictures_of_one_mosaic_are_alike_and_others_are_not():
    """A search would have nothing to find, or everything."""
    mosaics = Mosaics(templates(), 3)
    first, codes = mosaics.pictures(np.arange(100), 0)
    second, _ = mosaics.pictures(np.arange(100), 1)
    cosines = first @ second.T
    others = cosines[~np.eye(100, dtype=bool)]

    assert np.allclose(np.linalg.norm(first, axis=1), 1, atol=1e-5)
    assert np.diag(cosines).min() > 0.6
    assert abs(np.median(others)) < 0.1
    assert all(0.5 < seen_of(code).mean() < 1 for code in codes[:5])
    again, _ = mosaics.pictures(np.arange(100), 0)
    assert np.array_equal(first, again)


def test_too_few_palms_make_no_mosaics():
    """Three palms would give a gallery of relatives."""
    with pytest.raises(TooFewPalms):
        templates(palm_count=3)
    with pytest.raises(TooFewPalms):
        templates(shots=2)


def test_mates_are_compared_with_their_own_references():
    """The score that must not be lost is the one that a whole search would give."""
    crowd = people()
    mates = choose_mates(crowd, 50, seed=1)

    assert len(set(mates.palms)) == len(mates.probes) == 50
    assert min(mates.scores) > 0.7
    assert mates.above(2.0) == []


def test_a_lossy_search_is_seen_to_lose():
    """The column of misses is worth nothing if it cannot count one."""
    crowd = people()
    mates = choose_mates(crowd, 50, seed=1)

    class Blind:
        name, row_bytes = "blind", 0

        def add(self, vectors):
            """Forget."""

        def nearest(self, probes, count):
            """Find nothing."""
            return [np.zeros(0, np.int64)] * len(probes)

    packed, exact = PackedScan(DIMENSION, 2), flat(DIMENSION)
    for vectors in crowd.batches():
        packed.add(vectors)
        exact.add(vectors)
    missed = [
        measure_scan(one, mates, range(50), runs=10, checked=50)["mates_not_in_short_list"]
        for one in (Blind(), packed, exact)
    ]

    assert missed == [50, 0, 0]


def test_failures_are_counted_above_the_threshold_only():
    """A mate below the threshold is a matter of accuracy, not of the search."""
    mates = Mates([1, 2, 3, 4], [], [0.9, 0.5, 0.8, 0.7])
    failures = {0: "lost", 1: "lost", 2: "outranked", 3: "not_compared"}

    counted = count_failures(failures, mates, 0.6)

    assert counted["above_threshold"] == 3
    assert counted["lost_by_the_scan"] == 1
    assert counted["outranked_by_a_stranger"] == counted["not_among_the_compared"] == 1


def test_one_size_is_measured_and_drawn():
    """Every column of the page comes from a measurement, with the numbers there are."""
    options = Options(
        mates=40, runs=10, flat_runs=3, changes=10, with_peers=False, bandwidth=10.0
    )
    size = measure_size(
        2000,
        Mosaics(templates(), 3),
        drawn(50),
        load_calibration(CLASSICAL_EXTRACTOR),
        options,
        lambda _: None,
    )
    content: dict[str, Any] = {
        "parameters": {
            "extractor": "x",
            "dimension": DIMENSION,
            "instructions": "y",
            "mosaics_of_palms": 12,
            "drawn_palms": 50,
        },
        "machine": {"cores": 2},
        "date": "2026-11-20",
        "code": "z",
        "read_bandwidth_gb_per_s": 10.0,
        "densified": Mosaics(templates(), 3).as_json(),
        "sizes": [size],
        "larger": [measure_repeated(4000, Mosaics(templates(), 3), drawn(), options)],
    }
    page = render_page(json.loads(json.dumps(content)))

    assert size["duel"]["whole_search"]["times_faster"] > 0
    assert size["scans"][0]["method"] == "IndexFlatIP"
    assert size["scans"][0]["times_faster"] == 1.0
    assert size["mates"]["fmr_0.0001"]["mated_probes"] == size["drawn_mates"] == 40
    assert size["start"]["rows"] == 2000
    assert size["whole_search_two_threads"]["p50_ms"] > 0
    assert content["larger"][0]["times_the_read"] > 0
    assert page.count("<svg") == 2
    assert "2,000 rows" in page


def test_clocks_and_memory_are_read():
    """Numbers that are always nought would look splendid."""
    spent = time_calls(lambda _: sum(range(20_000)), 5)

    assert spent.cpu_ms > 0
    assert spent.p50_ms <= spent.p99_ms == spent.p999_ms
    assert read_bandwidth(rounds=1) > 0.1
    assert resident_octets() > 1_000_000


@pytest.mark.parametrize("options", [["--rows", "2001"], []])
def test_a_senseless_command_says_so(tmp_path, options):
    """Sizes that cannot be filled, and folders that hold no palms."""
    done = CliRunner().invoke(app, ["search", str(tmp_path), *options])

    assert done.exit_code != 0


def test_who_is_enrolled_first_is_a_drawn_palm_as_the_extractor_saw_it():
    """Mosaics would not say what the search loses of real templates."""
    crowd, palms = people(palm_count=12), drawn()
    probes = crowd.probes(np.arange(20))
    enrolled = crowd.templates(0)

    assert crowd.drawn_count == 12
    for palm in range(12):
        assert np.array_equal(probes[palm].code, palms.codes[palm, 2])
        assert np.array_equal(enrolled[2 * palm + 1].vector, palms.vectors[palm, 1])
    assert not any(np.array_equal(probes[13].code, code) for code in palms.codes[:, 2])
    assert set(choose_mates(crowd, 12, seed=1).palms) == set(range(12))


@pytest.mark.parametrize("module", ["hnswlib", "usearch"])
def test_peers_that_are_installed_find_what_they_were_given(module):
    """A peer that is asked wrongly would lose everything, and we would look splendid."""
    pytest.importorskip(module)
    kinds: dict[str, Callable[[int], Peer]]
    kinds = {"hnswlib": HnswlibIndex, "usearch": UsearchIndex}
    peer = kinds[module](DIMENSION)
    crowd = people()
    for vectors in crowd.batches():
        peer.add(vectors)
    probes = np.stack([probe.vector for probe in crowd.probes(np.arange(20))])
    found = peer.nearest(probes, 10)

    assert sum((rows // 2 == palm).any() for palm, rows in enumerate(found)) >= 18
