"""How well a network tells drawn palms apart that it has not seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import torch

from models.synthesis.crop.sample import CROP_PX, CropSampler
from models.training.bank import draw_palm
from models.training.feed import INPUT_UNIT, quantised
from models.training.network import template_of

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from torch import Tensor, nn

    from models.training.plan import TrainingPlan

UNSEEN: Final = 50_000_000
"""Number of the first palm for validation: far beyond any bank."""


@dataclass(frozen=True, slots=True)
class Validation:
    """Error rates on unseen drawn palms.

    Attributes:
        eer: equal error rate.
        fnmr: FNMR at FMR 1e-4.
        rank_1: share of samples whose nearest other sample is of the same palm.
    """

    eer: float
    fnmr: float
    rank_1: float


def draw_unseen(plan: TrainingPlan, *, palms: int, views: int) -> NDArray[np.int8]:
    """Draw inputs of palms beyond the bank, shape (palms · views, 1, CROP_PX, CROP_PX)."""
    sampler = CropSampler(plan.variation)
    inputs = np.empty((palms, views, CROP_PX, CROP_PX), np.int8)
    for palm in range(palms):
        layers = draw_palm(plan.seed, UNSEEN + palm)
        rng = np.random.default_rng((plan.seed, 3, palm))
        for view in range(views):
            inputs[palm, view] = quantised(sampler.sample(layers, rng))
    return inputs.reshape(palms * views, 1, CROP_PX, CROP_PX)


@torch.no_grad()
def templates_of(network: nn.Module, inputs: NDArray[np.int8], device: str) -> Tensor:
    """Return the templates of quantised inputs, shape (n, dimension), float32, on the CPU."""
    was_training = network.training
    network.eval()
    parts = [
        template_of(network(torch.from_numpy(part).to(device).float() * INPUT_UNIT)).cpu()
        for part in np.array_split(inputs, max(1, len(inputs) // 128))
    ]
    network.train(was_training)
    return torch.cat(parts)


def validate(templates: Tensor, views: int) -> Validation:
    """Compare all samples with all others.

    Args:
        templates: shape (palms · views, dimension), views of one palm side by side.
        views: samples of each palm.
    """
    scores = (templates @ templates.T).numpy()
    palm = np.arange(len(scores)) // views
    same, above = palm[:, None] == palm, np.triu(np.ones_like(scores, bool), 1)
    mated, other = np.sort(scores[same & above]), np.sort(scores[~same & above])
    fnmr = np.searchsorted(mated, other) / len(mated)
    fmr = 1 - np.arange(len(other)) / len(other)
    cross = int(np.argmin(np.abs(fnmr - fmr)))
    np.fill_diagonal(scores, -2)
    return Validation(
        eer=float(fnmr[cross] + fmr[cross]) / 2,
        fnmr=float(np.mean(mated <= other[-max(1, int(1e-4 * len(other)))])),
        rank_1=float(np.mean(palm[scores.argmax(axis=1)] == palm)),
    )
