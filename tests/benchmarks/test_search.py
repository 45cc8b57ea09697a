"""search: fillers are palms enough, losses are counted, and the command writes what it says."""

import json
from typing import Any, cast

import numpy as np
import pytest

from benchmarks.datasets import DrawnTemplates
from benchmarks.search.gallery import OBSERVED, Mates, choose_mates, exact_ranks, identify
from benchmarks.search.population import Fillers, People, group_of
from benchmarks.search.run import Options, measure_size, render_page
from engine.features.code_bytes import pack_code
from engine.parameters import CODE_CELLS, CODE_DIRECTIONS, CODE_SCALES, ENERGY_CELLS
from engine.types import Candidate
from tests.support.palms.templates import reference_id

DIMENSION = CODE_DIRECTIONS * ENERGY_CELLS**2


def drawn(palm_count=80, shots=3):
    """Random templates as a folder holds them: pictures of one palm are alike."""
    rng = np.random.default_rng(1)
    own = rng.standard_normal((palm_count, 1, DIMENSION))
    vectors = own + 0.3 * rng.standard_normal((palm_count, shots, DIMENSION))
    codes = []
    for _ in range(palm_count):
        cells = rng.integers(0, CODE_DIRECTIONS, (CODE_CELLS, CODE_CELLS))
        shown = [rng.random(cells.shape) < 0.95 for _ in range(shots)]
        codes.append([np.tile(pack_code(cells, each), len(CODE_SCALES)) for each in shown])
    return DrawnTemplates(vectors.astype(np.float16), np.array(codes), {})


def people(count=1000, palm_count=80):
    """Some drawn palms, and fillers."""
    templates = drawn(palm_count)
    return People(Fillers(templates, 3), templates, count)


def test_the_place_of_a_mate_is_counted_exactly():
    """This place decides whether the scan lost the mate."""
    crowd = people()
    mates = choose_mates(crowd, 30, seed=2)
    everybody = np.concatenate(list(crowd.batches())).reshape(crowd.count, 2, -1)
    others = Mates([0] * 30, mates.probes, mates.scores)
    cosines = np.einsum("nd,prd->npr", mates.vectors(range(30)), everybody).max(axis=2)

    for asked, farthest in ((mates, -1), (others, 10)):
        own = cosines[np.arange(30), asked.palms]
        expected = (cosines > own[:, None] + 1e-6).sum(axis=1)
        assert exact_ranks(crowd, asked, range(30)).tolist() == expected.tolist()
        assert expected.max() > farthest


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


def test_a_size_is_measured_and_drawn():
    """Every column of the page comes from a measurement, with the numbers there are."""
    templates = drawn(80)
    fillers = Fillers(templates, 3)
    crowd = People(fillers, templates, 1000)
    options = Options(mates=40, runs=10, exact_runs=3)

    *_, size = measure_size(crowd, THRESHOLDS, options)
    content: dict[str, Any] = {
        "parameters": {
            "extractor": "x",
            "dimension": DIMENSION,
            "instructions": "y",
            "fillers_of_palms": 40,
            "drawn_palms": 50,
            "recipe": "draw",
            "seed": 3,
        },
        "protocol": "search",
        "data": {"manifest_sha256": "0" * 64},
        "machine": {"cores": 2},
        "date": "2026-11-20",
        "code": "z",
        "sizes": [size],
    }
    page = render_page(json.loads(json.dumps(content)))

    assert size["duel"]["whole_search"]["times_faster"] > 0
    assert size["mates"]["fmr_0.0001"]["mated_probes"] == size["drawn_mates"] == 40
    assert size["mates"]["fmr_0.0001"]["lost_by_the_scan"] == 0
    assert size["identification"][OBSERVED]["fnir"]["total"] == 40
    assert size["start"]["rows"] == 2000
    assert size["start"]["disk_bytes_per_row"] > 512
    assert "2,000 rows" in page


@pytest.mark.milvus
def test_a_gallery_on_milvus_is_measured(milvus_url):
    """Every mate is compared: the server's scan is exact. Nothing is left there."""
    options = Options(mates=40, runs=10, exact_runs=3, milvus=milvus_url)

    for _ in range(2):
        *_, size = measure_size(people(), THRESHOLDS, options)
        assert size["mates"]["fmr_0.0001"]["not_among_the_compared"] == 0
