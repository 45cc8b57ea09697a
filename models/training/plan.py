"""What one training is: everything that decides its result, in one value."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from models.errors import PlanRefused
from models.synthesis.crop.style import SENSOR, STYLE_GROUP
from models.synthesis.crop.variation import Variation


@dataclass(frozen=True, slots=True)
class NetworkPlan:
    """Shape of the network.

    Attributes:
        widths: channels at 16 and 8 places a side.
        blocks: residual blocks at 16 and 8 places a side.
        head_channels: channels that are kept of each of the 8×8 places.
        energy_cells: cells a side that line energy is gathered in.
        energy_sigma: how far they gather, in cells of the competitive code.
        dimension: numbers that the network itself gives.
        share: of the network in the squared length of what is joined; oriented energy's is the
            rest.
        kept: numbers in a template, once network and oriented energy are joined.
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
    """How much the lines of a sample are disturbed beyond what was drawn.

    Attributes:
        gain: deviation of the logarithm of what each direction shows.
        fade: most that lines fade by, in patches.
        foreign: most weight of the lines of another palm.
        shift: most cells that the region is moved by.
    """

    gain: float = 0.2
    fade: float = 0.6
    foreign: float = 0.4
    shift: int = 1


def _wide_variation() -> Variation:
    """Return more misplacement and worse pictures than drawn palms have by themselves."""
    return Variation(
        turn_rad=0.065, shift=0.075, zoom=0.055, tilt=0.045, bend=0.018, strong_share=0.2,
        visibility=0.26, blur_px=1.6, covered_share=0.15,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """One training.

    Attributes:
        network: shape of the network.
        variation: how much drawn samples of one palm differ.
        breadth: how far drawn sensors differ in tightness, as a multiple of what is usual.
        disturbance: how much more their lines are disturbed while learning.
        seed: of everything that is chance.
        drawn: how many palms are drawn; whole sensors.
        drawn_views: samples drawn of each palm.
        settled: palms of their own that the template is settled by in the end.
        unseen: palms of their own that the training is judged by.
        samples: how many samples are seen: the length of the schedule.
        batch_palms: palms in a batch: a part of a sensor's, or whole sensors.
        batch_views: samples of each palm in a batch.
        rate: highest learning rate.
        decay: weight decay.
        margin: by how much samples of one palm must be nearer, in the end.
        margin_from: share of the schedule after which the margin begins to grow.
        margin_full: share of the schedule after which it is full.
        temperature: of the contrastive loss.
        distilled: weight of what the competitive code teaches beside the labels; 0: nothing.
        softness: of the code's scores as a teacher, in scores.
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
        """Refuse a plan that would tear sensors or families apart.

        Raises:
            PlanRefused: palms in a batch are neither whole sensors nor a part of one; a batch
                shows no pairs; the code would teach backwards.
        """
        side = min(SENSOR, self.batch_palms)
        fits = side > 0 and not SENSOR % side and not self.batch_palms % side
        if not fits or side % STYLE_GROUP or self.drawn % side or self.drawn < self.batch_palms:
            msg = f"palms are drawn and taught in whole sensors of {SENSOR}, or equal parts"
            raise PlanRefused(msg)
        if not 2 <= self.batch_views <= self.drawn_views:
            msg = "a batch shows two samples of each palm at least, and no more than are drawn"
            raise PlanRefused(msg)
        if self.distilled < 0 or self.softness <= 0:
            msg = "the code teaches with a weight of nought or more, and some softness"
            raise PlanRefused(msg)

    @property
    def batch(self) -> int:
        """Samples in a batch."""
        return self.batch_palms * self.batch_views


@dataclass(frozen=True, slots=True)
class SessionRequest:
    """What a person asks for when starting a session.

    Attributes:
        out: checkpoint; the drawn samples and the log lie beside it.
        resume: checkpoint to continue from.
        device: ``cpu`` or ``cuda``.
        minutes: after which the session ends.
        fit: end the schedule within ``minutes``, whatever the machine can do.
        workers: processes that draw.
        compiled: let torch compile the network.
        samples: length of the schedule, if not the plan's.
        drawn: palms to draw, if not the plan's.
        seed: of all chance, if not the plan's.
        batch_palms: palms in a batch, if not the plan's.
        rate: highest learning rate, if not the plan's.
        distilled: weight of what the competitive code teaches, if not the plan's.
        shift: most cells that the region is moved by while learning, if not the plan's.
    """

    out: Path
    resume: Path | None = None
    device: str = "cpu"
    minutes: float | None = None
    fit: bool = False
    workers: int = 1
    compiled: bool = False
    samples: int | None = None
    drawn: int | None = None
    seed: int | None = None
    batch_palms: int | None = None
    rate: float | None = None
    distilled: float | None = None
    shift: int | None = None

    def changed(self, plan: TrainingPlan) -> TrainingPlan:
        """Return a plan with what was asked for in place of its own values."""
        return replace(
            plan,
            samples=plan.samples if self.samples is None else self.samples,
            drawn=plan.drawn if self.drawn is None else self.drawn,
            seed=plan.seed if self.seed is None else self.seed,
            batch_palms=plan.batch_palms if self.batch_palms is None else self.batch_palms,
            rate=plan.rate if self.rate is None else self.rate,
            distilled=plan.distilled if self.distilled is None else self.distilled,
            disturbance=plan.disturbance
            if self.shift is None
            else replace(plan.disturbance, shift=self.shift),
        )
