"""What one training is: everything that decides its result, in one value."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from models.errors import PlanRefused
from models.synthesis.crop.style import FAMILY
from models.synthesis.crop.variation import Variation


@dataclass(frozen=True, slots=True)
class NetworkPlan:
    """Shape of the network.

    Attributes:
        stem: ``direct`` quarters the picture by one 9×9 convolution, ``wide`` adds another
            convolution, ``fine`` halves it twice.
        widths: channels at 28, 14 and 7 pixels.
        blocks: residual blocks at 28, 14 and 7 pixels.
        head_channels: channels that are kept of each of the 7×7 places.
        dimension: numbers in a template.
    """

    stem: str = "direct"
    widths: tuple[int, int, int] = (48, 112, 176)
    blocks: tuple[int, int, int] = (0, 1, 1)
    head_channels: int = 32
    dimension: int = 256


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """One training.

    Attributes:
        network: shape of the network.
        variation: how much samples of one palm differ.
        seed: of everything that is chance.
        drawn: how many palms are drawn; whole families of eight.
        flips: how many palms each drawn one stands for, 1 to 4: itself, and flipped in x, in y,
            in both. A flipped palm is another palm.
        samples: how many samples are seen: the length of the schedule.
        batch_palms: palms in a batch.
        batch_views: samples of each palm in a batch.
        rate: highest learning rate.
        decay: weight decay.
        scale: of the cosines before the softmax.
        margin: added to the angle of the own class, in the end.
        margin_from: share of the schedule after which the margin begins to grow.
        margin_full: share of the schedule after which it is full.
        classes_seen: classes that one batch is told from (partial softmax); all, if fewer.
        classes_from: share of the schedule after which the classes begin to teach the network;
            their own centres learn from the start.
        classes_full: share of the schedule after which they teach fully.
        contrast: weight of the supervised contrastive term.
        temperature: of the contrastive term.
    """

    network: NetworkPlan = field(default_factory=NetworkPlan)
    variation: Variation = field(default_factory=Variation)
    seed: int = 1
    drawn: int = 12_000
    flips: int = 2
    samples: int = 1_500_000
    batch_palms: int = 64
    batch_views: int = 2
    rate: float = 0.1
    decay: float = 5e-4
    scale: float = 32.0
    margin: float = 0.4
    margin_from: float = 0.2
    margin_full: float = 0.6
    classes_seen: int = 2048
    classes_from: float = 0.08
    classes_full: float = 0.25
    contrast: float = 1.0
    temperature: float = 0.07

    def __post_init__(self) -> None:
        """Refuse a plan that would tear families apart.

        Raises:
            PlanRefused: palms drawn, or palms in a batch, are no whole families.
        """
        if self.drawn % FAMILY or self.batch_palms % FAMILY or not self.batch_palms:
            msg = f"palms are drawn and taught in whole families of {FAMILY}"
            raise PlanRefused(msg)

    @property
    def identities(self) -> int:
        """Palms the network learns to tell apart."""
        return self.drawn * self.flips

    @property
    def batch(self) -> int:
        """Samples in a batch."""
        return self.batch_palms * self.batch_views


@dataclass(frozen=True, slots=True)
class SittingRequest:
    """What a person asks for when starting a sitting.

    Attributes:
        out: checkpoint; the drawn palms and the log lie beside it.
        resume: checkpoint to continue from.
        device: ``cpu`` or ``cuda``.
        minutes: after which the sitting ends.
        fit: end the schedule within ``minutes``, whatever the machine can do.
        workers: processes that draw.
        compiled: let torch compile the network.
        samples: length of the schedule, if not the plan's.
        drawn: palms to draw, if not the plan's.
        seed: of all chance, if not the plan's.
        batch_palms: palms in a batch, if not the plan's; a multiple of eight.
        rate: highest learning rate, if not the plan's.
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

    def changed(self, plan: TrainingPlan) -> TrainingPlan:
        """Return a plan with what was asked for in place of its own values."""
        return replace(
            plan,
            samples=plan.samples if self.samples is None else self.samples,
            drawn=plan.drawn if self.drawn is None else self.drawn,
            seed=plan.seed if self.seed is None else self.seed,
            batch_palms=plan.batch_palms if self.batch_palms is None else self.batch_palms,
            rate=plan.rate if self.rate is None else self.rate,
        )
