"""Chooses the palms and samples of each batch, from the seed and the batch's number only."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from models.synthesis.crop.style import SENSOR
from models.training.plan import TrainingPlan

F16 = NDArray[np.float16]
I8 = NDArray[np.int8]
I64 = NDArray[np.int64]


def batch_palms(plan: TrainingPlan, number: int) -> I64:
    """Return the palms of a batch, shape (batch_palms,).

    Neighbours, seen by one sensor, so that the sensor does not distinguish them. Each round
    contains every palm once, in an order shuffled by the seed.
    """
    side = min(SENSOR, plan.batch_palms)
    parts, count = plan.drawn // side, plan.batch_palms // side
    at = np.arange(number * count, (number + 1) * count)
    orders = {
        r: np.random.default_rng((plan.seed, 3, r)).permutation(parts)
        for r in np.unique(at // parts).tolist()
    }
    chosen = np.array([orders[i // parts][i % parts] for i in at.tolist()], np.int64)
    return (chosen[:, None] * side + np.arange(side)).ravel()


def batch_samples(plan: TrainingPlan, number: int) -> I64:
    """Return distinct samples of each palm, shape (batch_palms, batch_views)."""
    chance = np.random.default_rng((plan.seed, 4, number))
    order = chance.random((plan.batch_palms, plan.drawn_views)).argsort(axis=1)
    return order[:, : plan.batch_views]


def draw_batch(store: I8, plan: TrainingPlan, number: int) -> tuple[I8, I64]:
    """Return a batch: cells, shape (batch, 7, 32, 32), and palms, shape (batch,)."""
    palms = batch_palms(plan, number)
    rows = np.repeat(palms, plan.batch_views)
    return np.asarray(store[rows, batch_samples(plan, number).ravel()]), rows


def draw_scores(scores: F16, plan: TrainingPlan, number: int) -> F16:
    """Return the teacher's scores of a batch, shape (groups, m, m), groups · m = batch."""
    side = plan.drawn // len(scores)
    palms, samples = batch_palms(plan, number), batch_samples(plan, number)
    rows = (palms % side)[:, None] * plan.drawn_views + samples
    grouped = rows.reshape(-1, side * plan.batch_views)
    which = palms[::side] // side
    return np.asarray(scores[which[:, None, None], grouped[:, :, None], grouped[:, None]])
