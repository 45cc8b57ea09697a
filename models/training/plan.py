"""What one training is: everything that decides its result, in one value."""

from __future__ import annotations

from dataclasses import dataclass, field

from models.synthesis.crop.variation import Variation


@dataclass(frozen=True, slots=True)
class NetworkPlan:
    """Shape of the network.

    Attributes:
        stem: ``fine`` halves the picture twice, ``wide`` quarters it by one 9×9 convolution.
        widths: channels at 28, 14 and 7 pixels.
        blocks: residual blocks at 28, 14 and 7 pixels.
        head_channels: channels that are kept of each of the 7×7 places.
        dimension: numbers in a template.
    """

    stem: str = "wide"
    widths: tuple[int, int, int] = (64, 128, 192)
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
        identities: how many palms are drawn.
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
        contrast: weight of the supervised contrastive term.
        temperature: of the contrastive term.
    """

    network: NetworkPlan = field(default_factory=NetworkPlan)
    variation: Variation = field(default_factory=Variation)
    seed: int = 1
    identities: int = 20_000
    samples: int = 1_500_000
    batch_palms: int = 64
    batch_views: int = 2
    rate: float = 0.1
    decay: float = 5e-4
    scale: float = 32.0
    margin: float = 0.4
    margin_from: float = 0.05
    margin_full: float = 0.40
    classes_seen: int = 4096
    contrast: float = 0.2
    temperature: float = 0.07

    @property
    def batch(self) -> int:
        """Samples in a batch."""
        return self.batch_palms * self.batch_views
