"""The training loop: batch, step, validation, checkpoint.

Deterministic for a plan, device and thread count, except with ``fit``.

Lines of a sample are disturbed beyond what was drawn: creases fade, lines of other palms
appear, a sensor favours some directions, the region is a cell off. Filters are linear, so line
responses can be changed instead of skin: a thousand times as fast as drawing.

The losses are supervised contrastive, and distillation from the competitive code: Khosla et al.
2020 within a batch of one sensor, with a margin (Wang et al. 2018); Hinton et al. 2015.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from engine.parameters import CODE_CELLS, CODE_DIRECTIONS
from models.training.finalise import templates_of, validate
from models.training.network import (
    PalmNet,
    load_weights,
    read_plan,
    save_checkpoint,
    split,
    template_of,
)
from models.training.plan import Disturbance, SessionRequest, TrainingPlan, margin_at, rate_at
from models.training.sample_store import (
    draw_batch,
    draw_lines,
    draw_scores,
    open_scores,
    open_store,
)

_REACH: Final = 10
"""Most cells that foreign lines are moved by."""

_MOVES: Final = 4
"""Parts of a batch that are moved alike."""


def disturb(
    responses: Tensor, seen: Tensor, by: Disturbance, chance: torch.Generator
) -> tuple[Tensor, Tensor]:
    """Disturb samples: responses (n, 6, 32, 32) and seen (n, 32, 32), each differently."""
    responses = responses * _gains(len(responses), by.gain, chance)
    responses = responses * _fading(len(responses), by.fade, chance)
    responses = _crossed(responses, by.foreign, chance)
    return _moved(responses, seen, by.shift, chance)


def _gains(count: int, spread: float, chance: torch.Generator) -> Tensor:
    size = spread * torch.rand(count, 1, 1, 1, generator=chance)
    return torch.exp(size * _smooth(count, CODE_DIRECTIONS, 4, chance))


def _fading(count: int, most: float, chance: torch.Generator) -> Tensor:
    edge = 1.0 - 0.6 * torch.rand(count, 1, 1, 1, generator=chance)
    patches = (_smooth(count, 1, 6, chance) > edge).float()
    return 1 - patches * most * torch.rand(count, 1, 1, 1, generator=chance)


def _crossed(responses: Tensor, most: float, chance: torch.Generator) -> Tensor:
    count = len(responses)
    others = responses[torch.randperm(count, generator=chance)]
    kind = int(torch.randint(0, 4, (1,), generator=chance))
    mirrored = [-i % CODE_DIRECTIONS for i in range(CODE_DIRECTIONS)]
    for axis in [3] * (kind & 1) + [2] * (kind >> 1):
        others = others[:, mirrored].flip(axis)
    away = torch.randint(-_REACH, _REACH + 1, (2,), generator=chance).tolist()
    others = torch.roll(others, away, (2, 3))
    weight = most * torch.rand(count, 1, 1, 1, generator=chance)
    weight = weight * (_smooth(count, 1, 5, chance) * 0.5 + 0.5).clamp(0, 1.5)
    return (responses + weight * others) / torch.sqrt(1 + weight * weight)


def _moved(
    responses: Tensor, seen: Tensor, most: int, chance: torch.Generator
) -> tuple[Tensor, Tensor]:
    order = torch.randperm(len(responses), generator=chance)
    responses, seen = responses.clone(), seen.clone()
    for part in order.chunk(_MOVES):
        down, right = torch.randint(-most, most + 1, (2,), generator=chance).tolist()
        responses[part] = torch.roll(responses[part], (down, right), (2, 3))
        seen[part] = torch.roll(seen[part], (down, right), (1, 2)) * _inside(down, right)
    return responses, seen


def _inside(down: int, right: int) -> Tensor:
    """Return which cells of a shifted region are its own, shape (32, 32)."""
    at = torch.arange(CODE_CELLS)
    rows = (at >= down) & (at < CODE_CELLS + down)
    columns = (at >= right) & (at < CODE_CELLS + right)
    return (rows[:, None] & columns).float()


def _smooth(count: int, planes: int, cells: int, chance: torch.Generator) -> Tensor:
    """Smooth noise of about unit deviation, shape (count, planes, 32, 32)."""
    coarse = torch.randn(count, planes, cells, cells, generator=chance)
    size = (CODE_CELLS, CODE_CELLS)
    return functional.interpolate(coarse, size, mode="bicubic", align_corners=True)


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


UNSEEN_PALM: Final = 50_000_128
"""First palm for validation, the first of a sensor, far beyond any store."""

_VALIDATE_EVERY: Final = 40_000
"""Samples between two validations, each with a checkpoint."""

_LOG_EVERY: Final = 20
_GRADIENT_LIMIT: Final = 5.0


class Trainer:
    """A network in training."""

    def __init__(self, plan: TrainingPlan, request: SessionRequest) -> None:
        torch.manual_seed(plan.seed)
        self.plan, self.request = plan, request
        self.network = PalmNet(plan.network)
        self.samples = 0
        if request.resume is not None:
            _, self.samples = read_plan(request.resume)
            load_weights(request.resume, network=self.network)
        self.network.to(request.device, memory_format=torch.channels_last)
        self._optimiser = torch.optim.AdamW(_decayed(self.network, plan.decay), plan.rate)
        unseen = draw_lines(plan, range(UNSEEN_PALM, UNSEEN_PALM + plan.unseen))
        self._unseen = unseen.reshape(-1, *unseen.shape[2:])

    def run(
        self,
        store: Path,
        scores: Path,
        advance: Callable[[int], None],
        tell: Callable[[str], object],
    ) -> bool:
        """Train until the schedule or the session ends; return whether it is finished.

        ``scores`` are the teacher's; ``advance`` gets samples seen, ``tell`` the result of each
        validation.
        """
        plan, begun, cells = self.plan, perf_counter(), open_store(store, self.plan)
        stored_scores = open_scores(scores, plan)
        while (share := self._share(perf_counter() - begun)) < 1:
            if not self.request.fit and self._is_over(perf_counter() - begun):
                break
            number = self.samples // plan.batch
            teacher_scores = draw_scores(stored_scores, plan, number)
            loss = self._learn(draw_batch(cells, plan, number), teacher_scores, share)
            advance(plan.batch)
            if (self.samples // plan.batch) % _LOG_EVERY == 0:
                seconds = perf_counter() - begun
                self._write(seconds=seconds, share=share, loss=loss.item())
            if self.samples % _VALIDATE_EVERY < plan.batch:
                tell(self._validate())
        tell(self._validate())
        return share >= 1

    def _share(self, seconds: float) -> float:
        share = self.samples / self.plan.samples
        if self.request.fit and self.request.minutes is not None:
            share = max(share, seconds / 60 / self.request.minutes)
        return share

    def _is_over(self, seconds: float) -> bool:
        return self.request.minutes is not None and seconds > 60 * self.request.minutes

    def _learn(
        self,
        batch: tuple[NDArray[np.int8], NDArray[np.int64]],
        teacher_scores: NDArray[np.float16],
        share: float,
    ) -> torch.Tensor:
        device, plan, (cells, labels) = self.request.device, self.plan, batch
        chance = torch.Generator().manual_seed(plan.seed * 1_000_003 + self.samples)
        lines = disturb(*split(torch.from_numpy(cells)), plan.disturbance, chance)
        responses, seen = (part.to(device) for part in lines)
        palms = torch.from_numpy(labels).to(device)
        rate, margin = rate_at(plan, share), margin_at(plan, share)
        for group in self._optimiser.param_groups:
            group["lr"] = rate
        with torch.autocast(device, torch.bfloat16):
            vectors = self.network(responses, seen)
        templates = template_of(vectors)
        loss = contrastive_loss(templates, palms, plan.temperature, margin)
        wanted = torch.from_numpy(teacher_scores).to(device, torch.float32)
        distilling = distilling_loss(templates, wanted, plan.temperature, plan.softness)
        loss = loss + plan.distilled * distilling
        self._optimiser.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(self.network.parameters(), _GRADIENT_LIMIT)
        self._optimiser.step()
        self.samples += plan.batch
        return loss.detach()

    def _validate(self) -> str:
        if not self.network.training:
            self.network.train()
        templates = templates_of(self.network, self._unseen, self.request.device)
        seen = validate(templates, self.plan.drawn_views)
        self._write(**{f"unseen_{k}": v for k, v in seen.items()})
        save_checkpoint(self.request.out, self.plan, self.samples, network=self.network)
        return (
            f"{self.samples:,} samples; unseen drawn palms: EER {seen['eer']:.2%}, "
            f"FNMR at FMR 1e-4 {seen['fnmr']:.2%}, rank-1 {seen['rank_1']:.2%}"
        )

    def _write(self, **values: float) -> None:
        with self.request.out.with_suffix(".jsonl").open("a") as file:
            file.write(json.dumps({"samples": self.samples, **values}) + "\n")


def _decayed(network: nn.Module, decay: float) -> list[dict[str, object]]:
    matrices = [p for p in network.parameters() if p.ndim > 1]
    others = [p for p in network.parameters() if p.ndim <= 1]
    return [
        {"params": matrices, "weight_decay": decay},
        {"params": others, "weight_decay": 0.0},
    ]
