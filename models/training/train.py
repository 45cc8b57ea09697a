"""The training loop: batch, step, validation, checkpoint.

Deterministic for a plan, device and thread count, except with ``fit``.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from time import perf_counter
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from models.training.augment import disturb
from models.training.batches import draw_batch, draw_scores
from models.training.checkpoint import load_weights, read_plan, save_checkpoint
from models.training.loss import contrastive_loss, distilling_loss
from models.training.network import PalmNet, split, template_of
from models.training.plan import SessionRequest, TrainingPlan
from models.training.sample_store import draw_lines, open_store
from models.training.schedule import margin_at, rate_at
from models.training.teacher import open_scores
from models.training.validate import templates_of, validate

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
        self._write(**{f"unseen_{k}": v for k, v in asdict(seen).items()})
        save_checkpoint(self.request.out, self.plan, self.samples, network=self.network)
        return (
            f"{self.samples:,} samples; unseen drawn palms: EER {seen.eer:.2%}, "
            f"FNMR at FMR 1e-4 {seen.fnmr:.2%}, rank-1 {seen.rank_1:.2%}"
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
