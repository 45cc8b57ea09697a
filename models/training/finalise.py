"""The last step of a training: joins network and oriented energy.

The two err differently. Both vectors are concatenated and whitened by within-class covariance
normalisation (Hatch et al. 2006), shrunk towards the identity; then the directions in which
drawn palms differ most are kept.

Error rates are measured on unseen drawn palms.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from engine.features.competitive_code import describe_lines, find_lines
from engine.parameters import ROI_SIZE_PX
from models.training.network import Joint, split, template_of
from models.training.plan import TrainingPlan
from models.training.sample_store import cells_of, draw_samples


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


def validate(templates: Tensor, views: int) -> dict[str, float]:
    """Compare all samples with all others; views of one palm are side by side.

    Returns:
        The equal error rate, the FNMR at FMR 1e-4, and the share of samples whose nearest other
        sample is mated.
    """
    scores = (templates @ templates.T).numpy()
    palm = np.arange(len(scores)) // views
    same, above = palm[:, None] == palm, np.triu(np.ones_like(scores, bool), 1)
    mated, other = np.sort(scores[same & above]), np.sort(scores[~same & above])
    fnmr = np.searchsorted(mated, other) / len(mated)
    fmr = 1 - np.arange(len(other)) / len(other)
    cross = int(np.argmin(np.abs(fnmr - fmr)))
    np.fill_diagonal(scores, -2)
    return {
        "eer": float(fnmr[cross] + fmr[cross]) / 2,
        "fnmr": float(np.mean(mated <= other[-max(1, int(1e-4 * len(other)))])),
        "rank_1": float(np.mean(palm[scores.argmax(axis=1)] == palm)),
    }


F32 = NDArray[np.float32]
F64 = NDArray[np.float64]

FINALISING_PALM: Final = 60_000_128
"""First palm to finalise with: neither in a store nor among the unseen ones."""

SHRINKAGE: Final = 0.5
"""Shrinkage of the covariance towards the identity, in means of its eigenvalues, because drawn
samples differ in other ways than real ones."""

_VIEWS: Final = 3
_CHUNK: Final = 128


def finalise(
    network: nn.Module,
    joint: Joint,
    plan: TrainingPlan,
    device: str,
    advance: Callable[[int], None],
) -> None:
    """Fit the joint to drawn palms, in place; ``advance`` gets the number of palms drawn."""
    parts = []
    for first in range(FINALISING_PALM, FINALISING_PALM + plan.settled, _CHUNK):
        numbers = range(first, min(first + _CHUNK, FINALISING_PALM + plan.settled))
        parts.append(_joined(network, joint, plan, numbers, device))
        advance(len(numbers))
    joined = np.concatenate(parts).astype(np.float64)
    mean, matrix = fit_joint(joined.reshape(-1, _VIEWS, joined.shape[1]), plan.network.kept)
    joint.mean.copy_(torch.from_numpy(mean))
    joint.matrix.copy_(torch.from_numpy(matrix))


def fit_joint(samples: F64, kept: int) -> tuple[F64, F64]:
    """Return the mean, shape (dimension,), and the matrix, (dimension, kept), of a joint.

    ``samples`` has shape (palms, views, dimension).
    """
    palms, views, dimension = samples.shape
    mean = samples.mean(axis=(0, 1))
    strays = (samples - samples.mean(axis=1, keepdims=True)).reshape(-1, dimension)
    within = strays.T @ strays / (palms * (views - 1))
    sizes, axes = np.linalg.eigh(within)
    floor = SHRINKAGE * np.trace(within) / dimension
    evened = (axes / np.sqrt(sizes + floor)) @ axes.T
    spread = np.cov(((samples - mean) @ evened).reshape(-1, dimension).T)
    most = np.linalg.eigh(spread)[1][:, ::-1][:, :kept]
    return mean, evened @ most


def _joined(
    network: nn.Module, joint: Joint, plan: TrainingPlan, numbers: range, device: str
) -> F32:
    """Return concatenated vectors of some palms, shape (palms · views, dimension)."""
    crops = draw_samples(plan.seed, numbers, _VIEWS, plan.variation, plan.breadth)
    regions = crops.reshape(-1, ROI_SIZE_PX, ROI_SIZE_PX).astype(np.float32)
    found = [find_lines(region) for region in regions]
    templates = templates_of(network, np.stack([cells_of(lines) for lines in found]), device)
    energy = np.stack([describe_lines(lines) for lines in found])
    both = joint.beside(templates, torch.from_numpy(energy))
    return np.asarray(both.numpy(), np.float32)
