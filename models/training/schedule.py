"""Learning rate and margin over a training."""

from __future__ import annotations

import math
from typing import Final

from models.training.plan import TrainingPlan

_WARM_UP: Final = 0.03
"""Share of the schedule over which the learning rate rises."""

_LAST_RATE: Final = 0.002
"""Least learning rate, as a share of the highest."""


def rate_at(plan: TrainingPlan, share: float) -> float:
    """Return the learning rate at a share of the schedule: a short rise, then a cosine."""
    if share < _WARM_UP:
        return plan.rate * max(share / _WARM_UP, 0.02)
    cosine = (1 + math.cos(math.pi * min(share, 1.0))) / 2
    return plan.rate * max(cosine, _LAST_RATE)


def margin_at(plan: TrainingPlan, share: float) -> float:
    """Return the margin at a share: 0 at first, since a wide margin stalls a new network."""
    along = (share - plan.margin_from) / (plan.margin_full - plan.margin_from)
    return plan.margin * min(max(along, 0.0), 1.0)
