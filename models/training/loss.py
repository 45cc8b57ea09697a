"""What the network is taught: own class by a margin, views of one palm together.

ArcFace (Deng et al. 2019) over a part of the classes (Partial FC, An et al. 2021), plus the
supervised contrastive loss (Khosla et al. 2020) within the batch.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional


class MarginLoss(nn.Module):
    """ArcFace over the classes of the batch and a random choice of others."""

    def __init__(
        self, classes: int, dimension: int, *, scale: float, classes_seen: int
    ) -> None:
        """Begin with random class centres.

        Args:
            classes: how many palms there are.
            dimension: numbers in a template.
            scale: of the cosines.
            classes_seen: classes that a batch is told from.
        """
        super().__init__()
        self.centres = nn.Parameter(torch.randn(classes, dimension) * 0.01)
        self._scale, self._seen = scale, min(classes_seen, classes)

    def forward(
        self, templates: Tensor, labels: Tensor, margin: float, chance: torch.Generator
    ) -> tuple[Tensor, Tensor]:
        """Return the loss and the share of samples nearest to their own class's centre.

        Args:
            templates: shape (n, dimension), of norm 1.
            labels: shape (n,): classes.
            margin: radians, nought or more.
            chance: chooses the other classes.
        """
        seen, own = self._choose(labels, chance)
        centres = functional.normalize(self.centres[seen], dim=1)
        cosines = templates @ centres.T
        row = torch.arange(len(labels), device=labels.device)
        cosine = cosines[row, own].clamp(-1 + 1e-6, 1 - 1e-6)
        angle = torch.acos(cosine) + margin
        # Beyond pi the cosine would rise again: continue downwards (ArcFace, easy form).
        pushed = torch.where(angle < torch.pi, torch.cos(angle), -2 - torch.cos(angle))
        logits = cosines.index_put((row, own), pushed) * self._scale
        right = (cosines.argmax(dim=1) == own).float().mean()
        return functional.cross_entropy(logits, own), right

    def _choose(self, labels: Tensor, chance: torch.Generator) -> tuple[Tensor, Tensor]:
        """Return the classes seen and where each label stands among them."""
        count = len(self.centres)
        if self._seen == count:
            return torch.arange(count, device=labels.device), labels
        priority = torch.rand(count, generator=chance)
        priority[labels.cpu()] = 2.0
        seen = priority.topk(self._seen).indices.sort().values.to(labels.device)
        return seen, torch.searchsorted(seen, labels)


def contrastive_loss(templates: Tensor, labels: Tensor, temperature: float) -> Tensor:
    """Pull the views of one palm together, against all other samples of the batch.

    Args:
        templates: shape (n, dimension), of norm 1.
        labels: shape (n,): classes; each has two samples at least.
        temperature: of the cosines.
    """
    logits = templates @ templates.T / temperature
    itself = torch.eye(len(labels), dtype=torch.bool, device=labels.device)
    logits = logits.masked_fill(itself, -1e4)
    mated = (labels[:, None] == labels[None]) & ~itself
    likelihood = functional.log_softmax(logits, dim=1)
    return -((likelihood * mated).sum(dim=1) / mated.sum(dim=1)).mean()
