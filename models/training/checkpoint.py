"""Checkpoints: half-precision weights, no optimiser, replaced atomically.

A plain ``.npz`` without pickle, readable without torch.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from models.errors import CheckpointFault
from models.synthesis.crop.variation import Variation
from models.training.plan import Disturbance, NetworkPlan, TrainingPlan

_PLAN = "plan.json"
_SAMPLES = "samples"


def save_checkpoint(path: Path, plan: TrainingPlan, samples: int, **parts: nn.Module) -> None:
    """Write the weights of all parts, the plan and the samples seen."""
    arrays = {
        f"{name}.{key}": value.detach().cpu().to(_stored(value.dtype)).numpy()
        for name, part in parts.items()
        for key, value in part.state_dict().items()
    }
    text = np.frombuffer(json.dumps(asdict(plan)).encode(), np.uint8)
    fresh = path.with_suffix(".part")
    with fresh.open("wb") as file:
        np.savez(file, **{_PLAN: text, _SAMPLES: np.int64(samples)}, **arrays)  # type: ignore[arg-type]
    fresh.replace(path)


def read_plan(path: Path) -> tuple[TrainingPlan, int]:
    """Return the plan of a checkpoint and how many samples it has seen.

    Raises:
        CheckpointFault: no such file, or not a checkpoint.
    """
    try:
        with np.load(path, allow_pickle=False) as stored:
            return _plan_of(json.loads(stored[_PLAN].tobytes())), int(stored[_SAMPLES])
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        msg = f"{path.name} is no checkpoint of a training of this kind"
        raise CheckpointFault(msg) from error


def load_weights(path: Path, **parts: nn.Module) -> None:
    """Load the weights of a checkpoint into the parts.

    Raises:
        CheckpointFault: the weights are of other parts, or a part is missing.
    """
    with np.load(path, allow_pickle=False) as stored:
        for name, part in parts.items():
            head = f"{name}."
            state = {
                key.removeprefix(head): torch.from_numpy(stored[key])
                for key in stored.files
                if key.startswith(head)
            }
            if not state:
                msg = f"the training is not finished, {name} is missing: continue with --resume"
                raise CheckpointFault(msg)
            try:
                part.load_state_dict(state)
            except RuntimeError as error:
                raise CheckpointFault(f"the checkpoint's {name} has another shape") from error


def _plan_of(values: dict[str, Any]) -> TrainingPlan:
    network: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in values["network"].items()
    }
    parts = {
        "network": NetworkPlan(**network),
        "variation": Variation(**values["variation"]),
        "disturbance": Disturbance(**values["disturbance"]),
    }
    return TrainingPlan(**{**values, **parts})


def _stored(dtype: torch.dtype) -> torch.dtype:
    return torch.float16 if dtype.is_floating_point else dtype
