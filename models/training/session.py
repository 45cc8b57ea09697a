"""One session of a training, as the command runs it.

The mean of several final checkpoints that continued from one errs less often than each of them
(model soups, Wortsman et al. 2022). Statistics of normalisation layers cannot be averaged: they
are measured again on drawn samples.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import torch
from torch import nn

from models.console import ModelsError, console, progress
from models.synthesis.crop.style import SENSOR
from models.training.finalise import finalise
from models.training.network import (
    Joint,
    PalmNet,
    load_weights,
    read_plan,
    save_checkpoint,
    split,
)
from models.training.plan import SessionRequest, TrainingPlan
from models.training.sample_store import draw_lines, draw_store, score_store
from models.training.train import Trainer, disturb

STATISTICS_SENSORS: Final = 8
"""Drawn sensors, of the store's own palms, for the normalisation statistics."""


def average(
    ends: Sequence[Path],
    out: Path,
    advance: Callable[[int], None],
    sensors: int = STATISTICS_SENSORS,
) -> TrainingPlan:
    """Write the mean of two or more checkpoints, finalised; return the plan of the first.

    Raises:
        ModelsError: a file is no checkpoint, or the networks are of several shapes.
    """
    plans, seen = zip(*(read_plan(end) for end in ends), strict=True)
    if any(plan.network != plans[0].network for plan in plans):
        raise ModelsError("networks of several shapes have no mean")
    plan: TrainingPlan = plans[0]
    network = mean_network(plan, ends)
    refresh_statistics(network, plan, sensors)
    joint = Joint(plan.network)
    finalise(network, joint, plan, "cpu", advance)
    save_checkpoint(out, plan, max(seen), network=network, joint=joint)
    return plan


def mean_network(plan: TrainingPlan, ends: Sequence[Path]) -> PalmNet:
    """Return a network whose weights are the mean of the checkpoints'.

    Raises:
        ModelsError: a checkpoint has another shape.
    """
    networks = [PalmNet(plan.network) for _ in ends]
    for network, end in zip(networks, ends, strict=True):
        load_weights(end, network=network)
    states = [network.state_dict() for network in networks]
    mean = {
        name: torch.stack([state[name].float() for state in states]).mean(dim=0)
        for name in states[0]
    }
    networks[0].load_state_dict(mean)
    return networks[0]


@torch.no_grad()
def refresh_statistics(network: PalmNet, plan: TrainingPlan, sensors: int) -> None:
    """Measure normalisation statistics on disturbed samples, in batches of one sensor."""
    for layer in network.modules():
        if isinstance(layer, nn.BatchNorm1d | nn.BatchNorm2d):
            layer.reset_running_stats()
            layer.momentum = None
    network.train()
    for first in range(0, sensors * SENSOR, SENSOR):
        cells = draw_lines(plan, range(first, first + SENSOR))
        chance = torch.Generator().manual_seed(plan.seed + first)
        for view in range(0, plan.drawn_views - 1, 2):
            some = cells[:, view : view + 2].reshape(-1, *cells.shape[2:])
            network(*disturb(*split(torch.from_numpy(some)), plan.disturbance, chance))
    network.eval()


def run_session(request: SessionRequest) -> bool:
    """Draw and compare palms if necessary, then train; return whether the training is finished.

    A finished training removes drawn palms and scores.

    Raises:
        ModelsError: there is no such device.
        ModelsError: the checkpoint cannot be used.
    """
    _require_device(request.device)
    begun = TrainingPlan() if request.resume is None else read_plan(request.resume)[0]
    plan = request.changed(begun)
    request.out.parent.mkdir(parents=True, exist_ok=True)
    store, scores = _stored(plan, request)
    trainer = Trainer(plan, request)
    with progress("training", plan.samples) as advance:
        advance(trainer.samples)
        finished = trainer.run(store, scores, advance, console.print)
    if finished:
        _finalise(trainer)
        store.unlink()
        scores.unlink()
    return finished


def run_average(ends: Sequence[Path], out: Path) -> None:
    """Write the mean of checkpoints, finalised.

    Raises:
        ModelsError: a file is no checkpoint, or the networks are of several shapes.
    """
    with progress("settling", read_plan(ends[0])[0].settled) as advance:
        average(ends, out, advance)


def _finalise(trainer: Trainer) -> None:
    plan, joint = trainer.plan, Joint(trainer.plan.network)
    with progress("settling", plan.settled) as advance:
        finalise(trainer.network, joint, plan, trainer.request.device, advance)
    out = trainer.request.out
    save_checkpoint(out, plan, trainer.samples, network=trainer.network, joint=joint)


def _require_device(device: str) -> None:
    if device not in ("cpu", "cuda") or (device == "cuda" and not torch.cuda.is_available()):
        raise ModelsError(f"this machine has no device {device!r}")


def _stored(plan: TrainingPlan, request: SessionRequest) -> tuple[Path, Path]:
    """Draw the plan's palms and compare them, unless that is done; return both files."""
    store, scores = (request.out.with_suffix(end) for end in (".lines", ".scores"))
    with progress("drawing palms", plan.drawn) as advance:
        draw_store(store, plan, workers=request.workers, advance=advance)
    with progress("comparing palms", plan.drawn) as advance:
        score_store(scores, store, plan, workers=request.workers, advance=advance)
    return store, scores
