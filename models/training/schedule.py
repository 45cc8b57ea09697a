"""How fast to learn and how wide a margin to ask for, along a training."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from models.training.plan import TrainingPlan

_WARM_UP: Final = 0.01
"""Share of the schedule over which the learning rate rises."""

_LAST_RATE: Final = 0.002
"""Least learning rate, as a share of the highest."""


def rate_at(plan: TrainingPlan, share: float) -> float:
    """Learning rate after that share of the schedule: a short rise, then a cosine."""
    if share < _WARM_UP:
        return plan.rate * max(share / _WARM_UP, 0.02)
    cosine = (1 + math.cos(math.pi * min(share, 1.0))) / 2
    return plan.rate * max(cosine, _LAST_RATE)


def class_weight_at(plan: TrainingPlan, share: float) -> float:
    """How much the classes teach the network after that share, 0 to 1.

    At first their centres are anywhere, and would only disturb what the views teach.
    """
    along = (share - plan.classes_from) / (plan.classes_full - plan.classes_from)
    return min(max(along, 0.0), 1.0)


def margin_at(plan: TrainingPlan, share: float) -> float:
    """Margin after that share: nought at first, since a wide margin stalls a new network."""
    along = (share - plan.margin_from) / (plan.margin_full - plan.margin_from)
    return plan.margin * min(max(along, 0.0), 1.0)
