"""One sitting of a training, as the command runs it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import torch
from rich.progress import Progress

from models.errors import DeviceMissing
from models.training.bank import draw_bank
from models.training.checkpoint import read_plan
from models.training.plan import SittingRequest, TrainingPlan
from models.training.report import RichReport
from models.training.train import Sitting, Trainer

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console


def run_sitting(request: SittingRequest, console: Console) -> bool:
    """Draw the palms if need be, and train.

    The drawn palms are removed when the training is finished.

    Args:
        request: what was asked for.
        console: where progress is shown.

    Returns:
        Whether the training is finished.

    Raises:
        DeviceMissing: there is no such device here.
        CheckpointFault: the checkpoint cannot be used.
    """
    _require_device(request.device)
    begun = TrainingPlan() if request.resume is None else read_plan(request.resume)[0]
    plan = request.changed(begun)
    request.out.parent.mkdir(parents=True, exist_ok=True)
    bank = _drawn(plan, request.out.with_suffix(".palms"), request.workers, console)
    sitting = Sitting(
        device=request.device, minutes=request.minutes, fit=request.fit,
        workers=request.workers, compiled=request.compiled,
        checkpoint=request.out, log=request.out.with_suffix(".jsonl"),
    )  # fmt: skip
    trainer = Trainer(plan, sitting, request.resume)
    with RichReport(console, "training") as report:
        finished = trainer.run(bank, report)
    if finished:
        bank.unlink()
    return finished


def _require_device(device: str) -> None:
    """Refuse a device that is not here."""
    if device not in ("cpu", "cuda") or (device == "cuda" and not torch.cuda.is_available()):
        msg = f"there is no device {device!r} here"
        raise DeviceMissing(msg)


def _drawn(plan: TrainingPlan, path: Path, workers: int, console: Console) -> Path:
    """Draw the bank, on all cores, with a progress bar."""
    with Progress(console=console) as progress:
        task = progress.add_task("drawing palms", total=plan.drawn)
        draw_bank(
            path, seed=plan.seed, count=plan.drawn, workers=max(workers, os.cpu_count() or 1),
            advance=lambda count: progress.advance(task, count),
        )  # fmt: skip
    return path
