"""One session of a training, as the command runs it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch

from models.console import console, progress
from models.errors import DeviceMissing
from models.training.average import average
from models.training.checkpoint import read_plan, save_checkpoint
from models.training.finalise import finalise
from models.training.network import Joint
from models.training.plan import SessionRequest, TrainingPlan
from models.training.sample_store import draw_store
from models.training.teacher import score_store
from models.training.train import Trainer


def run_session(request: SessionRequest) -> bool:
    """Draw and compare palms if necessary, then train; return whether the training is finished.

    A finished training removes drawn palms and scores.

    Raises:
        DeviceMissing: there is no such device.
        CheckpointFault: the checkpoint cannot be used.
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
        CheckpointFault: a file is no checkpoint, or the networks are of several shapes.
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
        raise DeviceMissing(f"this machine has no device {device!r}")


def _stored(plan: TrainingPlan, request: SessionRequest) -> tuple[Path, Path]:
    """Draw the plan's palms and compare them, unless that is done; return both files."""
    store, scores = (request.out.with_suffix(end) for end in (".lines", ".scores"))
    with progress("drawing palms", plan.drawn) as advance:
        draw_store(store, plan, workers=request.workers, advance=advance)
    with progress("comparing palms", plan.drawn) as advance:
        score_store(scores, store, plan, workers=request.workers, advance=advance)
    return store, scores
