"""A training's plan: everything that decides its result.

Learning rate and margin follow a schedule.
"""

import math
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from models.console import ModelsError
from models.synthesis.crop.style import SENSOR, STYLE_GROUP, Variation


@dataclass(frozen=True, slots=True)
class NetworkPlan:
    """Shape of the network.

    Attributes:
        widths: channels at 16 and 8 cells a side.
        blocks: residual blocks at 16 and 8 cells a side.
        head_channels: channels kept of each of the 8×8 cells.
        energy_cells: cells a side of line energy.
        energy_sigma: their reach, in cells of the competitive code.
        dimension: length of the network's own vector.
        share: of the network in the squared norm of the joint; the rest is oriented energy's.
        kept: length of a template.
    """

    widths: tuple[int, int] = (64, 128)
    blocks: tuple[int, int] = (2, 1)
    head_channels: int = 32
    energy_cells: int = 8
    energy_sigma: float = 2.0
    dimension: int = 256
    share: float = 0.8
    kept: int = 384


@dataclass(frozen=True, slots=True)
class Disturbance:
    """The disturbance of a sample's lines, beyond what was drawn.

    Attributes:
        gain: deviation of the logarithm of each direction's gain.
        fade: most that lines fade by, in patches.
        foreign: most weight of another palm's lines.
        shift: most cells that the region is shifted by.
    """

    gain: float = 0.2
    fade: float = 0.6
    foreign: float = 0.4
    shift: int = 1


def _wide_variation() -> Variation:
    return Variation(
        turn_rad=0.065, shift=0.075, zoom=0.055, tilt=0.045, bend=0.018, strong_share=0.2,
        visibility=0.26, blur_px=1.6, covered_share=0.15,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """One training.

    Attributes:
        variation: how much drawn samples of one palm differ.
        breadth: spread of the sensors' tightness, as a multiple of the usual one.
        seed: of all randomness.
        drawn: palms to draw; whole sensors.
        drawn_views: samples drawn of each palm.
        settled: separate palms for the final joint.
        unseen: separate palms for validation.
        samples: samples to see: the length of the schedule.
        batch_palms: palms in a batch: part of a sensor's, or whole sensors.
        batch_views: samples of each palm in a batch.
        rate: highest learning rate.
        decay: weight decay.
        margin: final margin of the contrastive loss.
        margin_from: share of the schedule at which the margin begins to grow.
        margin_full: share of the schedule at which it is full.
        temperature: of the contrastive loss.
        distilled: weight of the competitive code as a teacher.
        softness: of the teacher's scores.
    """

    network: NetworkPlan = field(default_factory=NetworkPlan)
    variation: Variation = field(default_factory=_wide_variation)
    breadth: float = 1.5
    disturbance: Disturbance = field(default_factory=Disturbance)
    seed: int = 6
    drawn: int = 16_384
    drawn_views: int = 8
    settled: int = 6_144
    unseen: int = 384
    samples: int = 1_000_000
    batch_palms: int = SENSOR
    batch_views: int = 2
    rate: float = 0.002
    decay: float = 0.02
    margin: float = 0.1
    margin_from: float = 0.2
    margin_full: float = 0.6
    temperature: float = 0.07
    distilled: float = 1.5
    softness: float = 0.02

    def __post_init__(self) -> None:
        """Refuse a contradictory plan.

        Raises:
            ModelsError: a batch is neither whole sensors nor a part of one, or has no mated
                pairs; the distillation weight is negative.
        """
        side = min(SENSOR, self.batch_palms)
        fits = side > 0 and not SENSOR % side and not self.batch_palms % side
        if not fits or side % STYLE_GROUP or self.drawn % side or self.drawn < self.batch_palms:
            msg = f"a batch has whole sensors of {SENSOR} palms, or an equal part of one"
            raise ModelsError(msg)
        if not 2 <= self.batch_views <= self.drawn_views:
            msg = "a batch has at least two samples of each palm, and no more than are drawn"
            raise ModelsError(msg)
        if self.distilled < 0 or self.softness <= 0:
            msg = "the weight of the code must not be negative, and its softness positive"
            raise ModelsError(msg)

    @property
    def batch(self) -> int:
        """Samples in a batch."""
        return self.batch_palms * self.batch_views


@dataclass(frozen=True, slots=True)
class SessionRequest:
    """Options of one session; None keeps the plan's value.

    After ``minutes`` it stops and saves a checkpoint; with ``fit`` the schedule is shortened to
    them. The log is beside the checkpoint ``out``.
    """

    out: Path
    resume: Path | None = None
    device: str = "cpu"
    minutes: float | None = None
    fit: bool = False
    workers: int = 1
    samples: int | None = None
    drawn: int | None = None
    seed: int | None = None
    shift: int | None = None

    def changed(self, plan: TrainingPlan) -> TrainingPlan:
        """Return a plan with the requested values."""
        given = {
            name: value
            for name in ("samples", "drawn", "seed")
            if (value := getattr(self, name)) is not None
        }
        if self.shift is not None:
            given["disturbance"] = replace(plan.disturbance, shift=self.shift)
        return replace(plan, **given)


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
