"""Palms and batches of a training: the same in every process. Needs no torch."""

from dataclasses import replace

import numpy as np

from models.synthesis.crop.identity import draw_palm
from models.synthesis.crop.style import SENSOR
from models.training.plan import TrainingPlan
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
