"""Losses: supervised contrastive, and distillation from the competitive code.

Khosla et al. 2020 within a batch of one sensor, with a margin (Wang et al. 2018); Hinton et
al. 2015.
"""

from __future__ import annotations

import torch
from torch import Tensor


def contrastive_loss(
    templates: Tensor, labels: Tensor, temperature: float, margin: float = 0.0
) -> Tensor:
    """Return the supervised contrastive loss of a batch.

    Args:
        templates: shape (n, dimension), of norm 1.
        labels: shape (n,): palms; each has two samples at least.
        temperature: of the softmax over the batch.
        margin: by which mated samples must be nearer, as a cosine.
    """
    itself = torch.eye(len(labels), dtype=torch.bool, device=labels.device)
    same = (labels[:, None] == labels) & ~itself
    cosines = templates @ templates.T
    asked = torch.where(same, cosines - margin, cosines) / temperature
    asked = asked.masked_fill(itself, -torch.inf)
    certainty = asked - torch.logsumexp(asked, dim=1, keepdim=True)
    own = torch.where(same, certainty, 0.0).sum(dim=1) / same.sum(dim=1)
    return -own.mean()


def distilling_loss(
    templates: Tensor, scores: Tensor, temperature: float, softness: float
) -> Tensor:
    """Return how far similarities within a group differ from a teacher's.

    Args:
        templates: shape (n, dimension), of norm 1, groups side by side.
        scores: shape (groups, m, m) with groups · m = n: the teacher's.
        temperature: of the network's softmax over the group.
        softness: of the teacher's, in scores.
    """
    groups, size, _ = scores.shape
    itself = torch.eye(size, dtype=torch.bool, device=templates.device)
    grouped = templates.reshape(groups, size, -1)
    cosines = (grouped @ grouped.mT / temperature).masked_fill(itself, -torch.inf)
    wanted = torch.softmax((scores / softness).masked_fill(itself, -torch.inf), dim=2)
    certainty = torch.log_softmax(cosines, dim=2).masked_fill(itself, 0.0)
    return -(wanted * certainty).sum(dim=2).mean()
