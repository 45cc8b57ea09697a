"""The short list: who comes before a mate, among real rows and drawn ones."""

from __future__ import annotations

import numpy as np
import pytest
from typer.testing import CliRunner

from benchmarks.__main__ import app
from benchmarks.accuracy.scoring.methods import VECTOR
from benchmarks.studies.short_list import LIST_ROWS, find_ranks, measured
from tests.benchmarks.accuracy.test_compare_all import made_up


def unit(vectors):
    """Vectors of norm 1, float32."""
    return (vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)).astype(np.float32)


@pytest.fixture
def searched():
    """Palms of sixteen numbers, and as many drawn strangers as two lists hold."""
    plan, features = made_up(shots=8)
    drawn = unit(np.random.default_rng(3).normal(0, 1, (2 * LIST_ROWS, 16)))
    return plan, features.vectors[VECTOR], drawn


def test_rows_before_the_mate_are_counted_one_by_one(searched):
    """Against the plainest count there is."""
    plan, real, drawn = searched
    found = find_ranks(plan, real, drawn, single=True)
    place = 0
    for probe in np.flatnonzero(plan.is_probe):
        references = np.arange(plan.starts[probe], plan.gallery_ends[probe])
        own = plan.identities[references] == plan.identities[probe]
        for mate in references[own] if plan.identities[probe] >= 0 else ():
            limit = real[mate] @ real[probe]
            assert found.mate[place] == pytest.approx(limit)
            assert found.own[place] == sum(real[references[~own]] @ real[probe] >= limit)
            assert found.drawn[place] == sum(drawn @ real[probe] >= limit)
            place += 1
    assert place == len(found.mate) == 6 * 5 * 3


def test_the_best_reference_counts_where_a_palm_has_several(searched):
    """As in the service: a palm is found by any of its rows."""
    plan, real, drawn = searched
    best, single = (find_ranks(plan, real, drawn, single=one) for one in (False, True))

    np.testing.assert_allclose(best.mate, single.mate.reshape(-1, 3).max(axis=1))


def test_stretching_undoes_that_drawn_palms_are_less_alike(searched):
    """Drawn rows whose cosines were halved give way to as many as before."""
    plan, real, drawn = searched
    # Another dimension, in which only drawn palms are long, halves every cosine with them.
    wide = np.hstack([real, np.zeros((len(real), 1), np.float32)])
    far = np.hstack([drawn / 2, np.full((len(drawn), 1), 0.75**0.5, np.float32)])
    before = find_ranks(plan, real, drawn, single=True)
    after = find_ranks(plan, wide, far, single=True)

    assert np.all(after.drawn <= before.drawn)
    np.testing.assert_array_equal(after.stretched, before.stretched)


def test_shares_are_counted_and_quantiles_told(searched):
    """A list as long as the gallery finds everybody; a shorter one does not."""
    plan, real, drawn = searched
    numbers = measured(plan, real, drawn)
    crowd = measured(plan, real, np.repeat(drawn, 40, axis=0))

    inside = numbers["one_reference_of_the_mate"]["among_drawn"]
    assert inside["total"] == 90
    assert crowd["one_reference_of_the_mate"]["among_drawn"]["count"] < inside["count"]
    assert numbers["cosines_of_strangers"]["real_real"] == sorted(
        numbers["cosines_of_strangers"]["real_real"]
    )


def test_a_folder_without_drawn_palms_is_refused(tmp_path):
    """Before anything is acquired."""
    (tmp_path / "manifest.csv").write_text("path,identity,session,hand,kind\n")
    folder = str(tmp_path)
    options = ["--drawn", folder, "--out", folder]
    done = CliRunner().invoke(app, ["short-list", folder, *options])

    assert done.exit_code == 1
    assert not list(tmp_path.glob("*.json"))
