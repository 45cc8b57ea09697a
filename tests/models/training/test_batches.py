"""Palms and batches of a training: the same in every process. Needs no torch."""

from dataclasses import replace

import numpy as np
import pytest

from models.console import ModelsError
from models.synthesis.crop.identity import draw_palm
from models.synthesis.crop.style import SENSOR
from models.training.plan import NetworkPlan, SessionRequest, TrainingPlan
from models.training.sample_store import batch_palms, batch_samples, draw_samples

PLAN = TrainingPlan(drawn=64, drawn_views=3, batch_palms=16, batch_views=2, seed=9)


def test_samples_of_a_palm_do_not_depend_on_who_draws_them():
    """A store drawn by other processes in other chunks holds the same samples."""
    together = draw_samples(9, range(3, 6), 2, PLAN.variation)
    alone = draw_samples(9, range(4, 5), 2, PLAN.variation)

    np.testing.assert_array_equal(together[1], alone[0])
    np.testing.assert_array_equal(draw_palm(9, 4), draw_palm(9, 4))


def test_every_palm_is_shown_once_a_round():
    """A palm that is never shown was drawn for nothing."""
    shown = np.concatenate([batch_palms(PLAN, number) for number in range(4)])

    assert sorted(shown.tolist()) == list(range(PLAN.drawn))


def test_palms_of_a_batch_are_seen_by_one_sensor():
    """A feature that all palms of a sensor share must not distinguish palms."""
    plan = replace(PLAN, drawn=4 * SENSOR, batch_palms=SENSOR // 2)

    sensors = [set((batch_palms(plan, number) // SENSOR).tolist()) for number in range(8)]
    assert all(len(sensor) == 1 for sensor in sensors)


def test_no_sample_is_shown_beside_itself():
    """Two equal samples would teach nothing but to be equal."""
    samples = batch_samples(PLAN, 3)

    assert samples.shape == (PLAN.batch_palms, 2)
    assert (samples[:, 0] != samples[:, 1]).all()
    assert set(samples.ravel().tolist()) == {0, 1, 2}


@pytest.mark.parametrize(
    "change",
    [
        {"drawn": 20},
        {"batch_palms": 12},
        {"batch_palms": 0},
        {"batch_palms": 3 * SENSOR // 2, "drawn": 3 * SENSOR},
        {"batch_views": 4},
        {"batch_views": 1},
        {"distilled": -0.5},
        {"softness": 0.0},
    ],
)
def test_a_plan_that_tears_sensors_apart_or_shows_no_pairs_is_refused(change):
    """Batches would not have the size, or not teach, what the plan says."""
    with pytest.raises(ModelsError):
        replace(PLAN, **change)


def test_a_request_changes_only_what_it_names(tmp_path):
    """A resumed training keeps its own plan."""
    plan = replace(PLAN, network=NetworkPlan(dimension=128))
    changed = SessionRequest(tmp_path, samples=5000).changed(plan)

    assert changed == replace(plan, samples=5000)
    moved = SessionRequest(tmp_path, shift=2).changed(plan)
    assert moved == replace(plan, disturbance=replace(plan.disturbance, shift=2))
