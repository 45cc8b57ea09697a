"""Error rates of a network on unseen drawn palms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from models.training.network import split, template_of


@dataclass(frozen=True, slots=True)
class Validation:
    """Error rates on unseen drawn palms.

    Attributes:
        eer: equal error rate.
        fnmr: FNMR at FMR 1e-4.
        rank_1: share of samples whose nearest other sample is mated.
    """

    eer: float
    fnmr: float
    rank_1: float


@torch.no_grad()
def templates_of(network: nn.Module, cells: NDArray[np.int8], device: str) -> Tensor:
    """Return the templates of samples, shape (n, dimension), float32, on the CPU."""
    was_training = network.training
    network.eval()
    parts = []
    for some in np.array_split(cells, max(1, len(cells) // 128)):
        responses, seen = split(torch.from_numpy(some).to(device))
        with torch.autocast(device, torch.bfloat16):
            vectors = network(responses, seen)
        parts.append(template_of(vectors).cpu())
    network.train(was_training)
    return torch.cat(parts)


def validate(templates: Tensor, views: int) -> Validation:
    """Compare all samples with all others; views of one palm are side by side."""
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
