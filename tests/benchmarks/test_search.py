"""search: mosaics are palms enough, losses are counted, and the command writes what it says."""

from __future__ import annotations

import json
import re
from typing import Any, cast

import numpy as np
import pytest
from typer.testing import CliRunner

from benchmarks.__main__ import app
from benchmarks.datasets.drawn import EXTRACTOR
from benchmarks.datasets.manifest import DatasetFault
from benchmarks.measurement.targets import Target
from benchmarks.measurement.timing import read_bandwidth, resident_bytes, time_calls
from benchmarks.search.identification import OBSERVED, identify
from benchmarks.search.instructions import count_instructions, read_count, search_random
from benchmarks.search.large import measure_large
from benchmarks.search.milvus import measure_gallery
from benchmarks.search.options import Options, Servers
from benchmarks.search.peers.choose import SkippedPeer, peers
from benchmarks.search.peers.scans import PackedScan, flat
from benchmarks.search.population.drawn import PARENT_PALMS, DrawnPalms
from benchmarks.search.population.filling import RepeatedCodes
from benchmarks.search.population.mates import (
    Mates,
    choose_mates,
    count_failures,
    exact_ranks,
    search_mates,
)
from benchmarks.search.population.mosaics import Mosaics, group_templates
from benchmarks.search.population.people import People, group_of, names_of
from benchmarks.search.report.page import render_page
from benchmarks.search.run import measure_size
from benchmarks.search.scans import SoughtMates, measure_scan
from benchmarks.search.targets import search_targets
from engine.features.code_bytes import pack_code, seen_of
from engine.parameters import (
    CODE_CELLS,
    CODE_DIRECTIONS,
    COMPARED_GROUPS,
    ENERGY_CELLS,
)
from engine.types import Candidate
from tests.support.palms.templates import reference_id

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
    return DrawnPalms(EXTRACTOR, made.vectors.reshape(shape), made.codes.reshape(shape))


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
    with pytest.raises(DatasetFault):
        templates(palm_count=3)
    with pytest.raises(DatasetFault):
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
    wanted = SoughtMates.from_exact_scan(exact, mates.vectors(range(50)), mates.palms)
    measured = [
        measure_scan(one, wanted, runs=10, seconds=1) for one in (Blind(), packed, exact)
    ]

    assert [scan["mates_not_in_short_list"] for scan in measured] == [50, 0, 0]
    assert [scan["mates_lost"] for scan in measured] == [50, 0, 0]
    assert all(scan["mates_near"] == 50 for scan in measured)


def test_the_place_of_a_mate_is_counted_exactly():
    """Whether the scan lost somebody is decided by this."""
    crowd = people()
    mates = choose_mates(crowd, 30, seed=1)
    everybody = np.concatenate(list(crowd.batches())).reshape(crowd.count, 2, -1)
    strangers = Mates([0] * 30, mates.probes, mates.scores)
    cosines = np.einsum("nd,prd->npr", mates.vectors(range(30)), everybody).max(axis=2)

    for asked, farthest in ((mates, 0), (strangers, 10)):
        own = cosines[np.arange(30), asked.palms]
        expected = (cosines > own[:, None] + 1e-6).sum(axis=1)
        assert exact_ranks(crowd, asked, range(30)).tolist() == expected.tolist()
        assert expected.max() > farthest


class Absent:
    """A gallery that finds a palm only if it scans exactly, or not even then."""

    def __init__(self, *palms: int) -> None:
        self._found = [Candidate(reference_id(palm), group_of(palm), 1.0) for palm in palms]

    def search(self, _probes, *, exact=False):
        """Find what it has."""
        return self._found if exact else []


def test_the_scan_has_lost_whom_an_exact_one_finds():
    """With one of the nearest vectors, or farther away; else it was the order of the list."""
    crowd = people()
    mates = choose_mates(crowd, 30, seed=1)
    asked = Mates([*mates.palms[:5], *25 * [0]], mates.probes, mates.scores)
    places = exact_ranks(crowd, asked, range(30))
    reasons = [("lost", "lost_far")[n] for n in np.digitize(places, (COMPARED_GROUPS,))]
    assert len(set(reasons)) == 2

    everybody = cast("Any", Absent(*asked.palms))
    assert list(search_mates(everybody, crowd, asked, range(30)).values()) == reasons
    nobody = search_mates(cast("Any", Absent()), crowd, asked, range(30))
    assert set(nobody.values()) == {"not_compared"}


def test_failures_are_counted_above_the_threshold_only():
    """A mate below the threshold is a matter of accuracy, not of the search."""
    mates = Mates([1, 2, 3, 4, 5], [], [0.9, 0.5, 0.8, 0.7, 0.65])
    failures = {0: "lost", 1: "lost", 2: "outranked", 3: "not_compared", 4: "lost_far"}

    rate_numbers = count_failures(failures, mates, 0.6)

    assert rate_numbers["above_threshold"] == 4
    assert rate_numbers["lost_by_the_scan"] == rate_numbers["lost_farther_down"] == 1
    assert (
        rate_numbers["outranked_by_a_stranger"] == rate_numbers["not_among_the_compared"] == 1
    )


def test_parents_of_mosaics_are_no_probes():
    """Quarters of theirs are enrolled a thousand times, which no stranger's are."""
    mates = choose_mates(people(2000, PARENT_PALMS + 40), 30, seed=1)

    assert min(mates.palms) >= PARENT_PALMS


class Listed:
    """A gallery that returns one candidate list after the other."""

    def __init__(self, *lists: dict[int, float]) -> None:
        self._lists = iter(lists)

    def search(self, _probes, *, count):
        """Return the next list."""
        scores = next(self._lists)
        assert len(scores) <= count
        return [Candidate(reference_id(p), group_of(p), score) for p, score in scores.items()]


def test_a_search_is_non_mated_without_its_own_palm():
    """A mate who is outranked or not compared is missed at every threshold."""
    mates = Mates([1, 1, 1], [cast("Any", None)] * 3, [])
    gallery = Listed({1: 0.75, 2: 0.5}, {2: 0.875, 1: 0.75}, {2: 0.625})

    rates = identify(cast("Any", gallery), mates)

    assert rates.nonmated.tolist() == [0.5, 0.625, 0.875]
    assert rates.mated.tolist() == [0.0, 0.0, 0.75]


THRESHOLDS = {"fpir_0.001": 0.69, "fmr_0.0001": 0.65}


def test_sizes_are_measured_and_drawn():
    """Every column of the page comes from a measurement, with the numbers there are."""
    options = Options(
        mates=40, runs=10, flat_runs=3, changes=10, servers=None, cache=None, bandwidth=10.0
    )
    mosaics = Mosaics(templates(), 3)
    told: list[str] = []
    size = measure_size(2000, mosaics, drawn(50), THRESHOLDS, options, told.append)
    large = measure_large(4000, mosaics, drawn(50), THRESHOLDS, options, told.append)
    content: dict[str, Any] = {
        "parameters": {
            "extractor": "x",
            "dimension": DIMENSION,
            "instructions": "y",
            "mosaics_of_palms": 12,
            "drawn_palms": 50,
            "seed": 3,
        },
        "protocol": "search",
        "data": {"manifest_sha256": "0" * 64},
        "machine": {"cores": 2},
        "date": "2026-11-20",
        "code": "z",
        "read_bandwidth_gb_per_s": 10.0,
        "instructions": {"rows": 1, "a_search": None, "why": "nobody counts"},
        "densified": mosaics.as_json(),
        "sizes": [size],
        "larger": [large],
        "bars": [target.as_json() for target in search_targets(size)],
    }
    other = {**content, "sizes": [{**size, "rows": 123_456}], "larger": []}
    page = render_page(json.loads(json.dumps({**content, "others": [other]})))

    assert size["duel"]["whole_search"]["times_faster"] > 0
    assert [scan["method"] for scan in size["scans"]] == [
        "IndexFlatIP", "packed, 1 bit", "packed, 2 bit",
    ]  # fmt: skip
    assert size["scans"][0]["times_faster"] == 1.0
    assert size["mates"]["fmr_0.0001"]["mated_probes"] == size["drawn_mates"] == 40
    assert size["mates"]["fmr_0.0001"]["lost_by_the_scan"] == 0
    assert size["identification"][OBSERVED]["fnir"]["total"] == 40
    assert size["start"]["rows"] == size["start_of_the_bar"]["rows"] == 2000
    assert size["start_of_the_bar"]["dimension"] == 256
    assert size["whole_search_two_threads"]["p50_ms"] > 0
    assert large["times_the_read"] > 0
    assert large["mates"]["fmr_0.0001"]["above_threshold"] == 40
    assert page.count("<svg") == 2
    assert "2,000 rows" in page
    assert "nobody counts" in page
    assert page.count("×</b><td>≥ 15<td>≥ 30") == 1
    assert page.index("<svg") < page.index("<table")


def test_bars_are_met_or_missed():
    """A table that could only praise would be worth nothing."""
    targets = [
        Target("a", 31.0, 15, 30, "×", is_floor=True),
        Target("a", 20.0, 15, 30, "×", is_floor=True),
        Target("a", 14.0, 15, 30, "×", is_floor=True),
        Target("b", 0.05, 1, 0.05, "ms"),
        Target("b", 0.9, 1, 0.05, "ms"),
        Target("b", 1.1, 1, 0.05, "ms"),
        Target("c", 70, None, 75, "%", is_floor=True),
    ]

    assert [target.verdict() for target in targets] == [
        "goal met", "met", "missed", "goal met", "met", "missed", "goal missed",
    ]  # fmt: skip


def test_names_are_made_many_at_once():
    """Ten million UUIDs one by one would take a minute."""
    rows = np.array([0, 1, 2_000_001, 19_999_999])
    names = names_of(rows)
    crowd = people()
    (first, *_) = crowd.new_references(1)

    assert [bytes(name[16:]) for name in names] == [
        group_of(row // 2).bytes for row in rows.tolist()
    ]
    (same,) = names_of(np.array([crowd.rows]))
    assert same.tobytes() == first.reference_id.bytes + first.group_id.bytes
    assert len({name.tobytes() for name in names}) == 4


def test_codes_that_stand_for_others_are_opened_under_their_own_names():
    """A code that did not open would be compared as one that shows no skin."""

    class ResponseStart:
        def get(self, slots, names):
            """Give out names instead of codes."""
            assert slots.max() < 10
            return names

    codes = RepeatedCodes(ResponseStart(), 10, names_of)  # type: ignore[arg-type]
    slots = np.array([3, 13, 999])
    own = names_of(slots)

    assert codes.get(slots, own).tolist() == names_of(np.array([3, 3, 9])).tolist()


def test_instructions_are_counted_or_it_is_said_why_not():
    """A virtual machine without counters is no reason to fail, and none to invent a number."""
    told = count_instructions(DIMENSION, rows=2_000, searches=5)
    absent = count_instructions(DIMENSION, perf="no-such-program")

    assert (told["a_search"] is None) == bool(told["why"])
    assert told["a_search"] is None or told["a_search"] > 10_000
    assert absent["why"] == "perf is not installed"
    assert read_count("# started\n\n123456,,instructions:u,1000,100.00,,\n") == 123456
    assert read_count("<not supported>,,instructions:u,0,100.00,,\n") is None
    assert search_random(DIMENSION, 2_000, 5) == 5


def test_clocks_and_memory_are_read():
    """Numbers that are always nought would look splendid."""
    spent = time_calls(lambda _: sum(range(20_000)), 5)

    assert spent.cpu_ms > 0
    assert spent.p50_ms <= spent.p99_ms == spent.p999_ms
    assert read_bandwidth(rounds=1) > 0.1
    assert resident_bytes() > 1_000_000


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


def found_by(peer, crowd, cache=None):
    """Fill a peer, and count palms out of twenty that it finds."""
    peer.fill(crowd.rows, crowd.batches, cache)
    peer.set_effort(peer.efforts[-1])
    probes = np.stack([probe.vector for probe in crowd.probes(np.arange(20))])
    found = peer.nearest(probes, 10)
    return sum((rows // 2 == palm).any() for palm, rows in enumerate(found))


def test_peers_that_are_there_find_what_they_were_given(tmp_path):
    """A peer that is asked wrongly would lose everything, and we would look splendid."""
    crowd, left_out = people(), []
    for peer in peers(DIMENSION, Servers()):
        if isinstance(peer, SkippedPeer):
            left_out.append(peer.name)
            continue
        assert found_by(peer, crowd, tmp_path / "kept") >= 18
        peer.close()
    again = [peer for peer in peers(DIMENSION, Servers()) if not isinstance(peer, SkippedPeer)]

    assert left_out[-4:] == [
        "pgvector exact", "pgvector graph", "Milvus exact", "Milvus graph",
    ]  # fmt: skip
    for peer in again:  # from what was kept: nobody is added
        peer.fill(crowd.rows, lambda: iter(()), tmp_path / "kept")
        peer.set_effort(peer.efforts[0])
        assert len(peer.nearest(crowd.probes(np.arange(1))[0].vector[None], 10)[0]) == 10


def test_a_server_that_is_away_is_left_out():
    """By name, and whatever else is there is measured."""
    away = Servers(pgvector="postgresql://127.0.0.1:9/none", milvus="http://127.0.0.1:9")
    found = [peer for peer in peers(DIMENSION, away) if isinstance(peer, SkippedPeer)]

    assert len([peer for peer in found if re.match("pgvector|Milvus", peer.name)]) == 4
    assert "127.0.0.1" not in repr(found)


@pytest.mark.milvus
def test_a_milvus_server_finds_what_it_was_given(milvus_url):
    """Every row by its exact search, nearly every one by its graph; nothing is left there."""
    servers = Servers(milvus=milvus_url)
    measured = [peer for peer in peers(DIMENSION, servers) if "Milvus" in peer.name]
    assert [isinstance(peer, SkippedPeer) for peer in measured] == [False, False]
    for peer in measured:
        assert not isinstance(peer, SkippedPeer)
        assert found_by(peer, people()) >= 18
        peer.close()


@pytest.mark.milvus
def test_a_gallery_on_milvus_is_measured(milvus_url):
    """Every mate is compared: the server's scan is exact."""
    from engine.gallery.milvus.connect import open_gallery  # noqa: PLC0415 - an extra

    gallery = open_gallery(milvus_url, "bench", EXTRACTOR, DIMENSION, key=bytes(32))
    measured = measure_gallery(gallery, people(), 100, 10)

    assert measured["mates"].keys() <= {"first", "outranked"}
    assert len(gallery) == 2000
