"""The palm network: the lines of a region in, a template's vector out.

Its input is the fixed filters of the competitive code, not grey levels, which removes most
differences between drawn and real skin. Two paths are joined: convolutions, and line energy in
coarse cells. Positions are kept to the last layer, because they identify a palm.

Checkpoints hold half-precision weights, no optimiser, and are replaced atomically: a plain
``.npz`` without pickle, readable without torch.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
import torch
from pydantic import TypeAdapter
from torch import Tensor, nn
from torch.nn import functional

from engine.features.competitive_code import ENERGY_DIMENSION
from engine.parameters import CODE_CELLS, CODE_DIRECTIONS
from models.console import ModelsError
from models.training.plan import NetworkPlan, TrainingPlan
from models.training.sample_store import LINE_UNIT

_PLANES = 3 * CODE_DIRECTIONS + 1
_STRENGTH = 0.1
_FLOOR = 0.01
_SHARPNESS = 0.5
"""Of the softmax over directions, per unit of response; the strongest is about −7."""


class PalmNet(nn.Module):
    """From lines at the code's cells to (n, dimension) vectors, not of norm 1."""

    def __init__(self, plan: NetworkPlan) -> None:
        super().__init__()
        near, far = plan.widths
        self.stem = _convolution(_PLANES, near, stride=2)
        self.body = nn.Sequential(
            *(Residual(near) for _ in range(plan.blocks[0])),
            _convolution(near, far, stride=2),
            *(Residual(far) for _ in range(plan.blocks[1])),
        )
        self.reduce = nn.Conv2d(far, plan.head_channels, 1, bias=False)
        self.reduce_norm = nn.BatchNorm2d(plan.head_channels)
        self.gather = EnergyCells(plan.energy_cells, plan.energy_sigma)
        gathered = CODE_DIRECTIONS * plan.energy_cells**2
        self.gather_norm = nn.BatchNorm1d(gathered)
        places = plan.head_channels * (CODE_CELLS // 4) ** 2
        self.project = nn.Linear(places + gathered, plan.dimension, bias=False)
        self.norm = nn.BatchNorm1d(plan.dimension, affine=False)

    def forward(self, responses: Tensor, seen: Tensor) -> Tensor:
        """Return vectors, shape (n, dimension).

        Args:
            responses: shape (n, 6, 32, 32), lower for darker lines of a direction.
            seen: shape (n, 32, 32): 1 where skin is, else 0.
        """
        shown = responses * seen[:, None]
        lines = line_planes(shown, seen).contiguous(memory_format=torch.channels_last)
        places = self.reduce_norm(self.reduce(self.body(self.stem(lines)))).flatten(1)
        energy = self.gather_norm(self.gather(shown, seen).flatten(1))
        return self.norm(self.project(torch.cat([places, energy], dim=1)))


def line_planes(shown: Tensor, seen: Tensor) -> Tensor:
    """Return the input of the convolutions, shape (n, 19, 32, 32).

    For each direction the strength of dark lines, its share among directions, and the strength
    of bright lines; then where skin is.
    """
    dark, bright = (
        torch.sqrt(functional.relu(side) * _STRENGTH + _FLOOR) - _FLOOR**0.5
        for side in (-shown, shown)
    )
    shares = torch.softmax(-_SHARPNESS * shown, dim=1) * dark.amax(dim=1, keepdim=True)
    return torch.cat([dark, shares, bright, seen[:, None]], dim=1)


class Joint(nn.Module):
    """Joins network and oriented energy; filled by ``models.training.finalise``."""

    def __init__(self, plan: NetworkPlan) -> None:
        super().__init__()
        self._share = plan.share
        both = plan.dimension + ENERGY_DIMENSION
        self.register_buffer("mean", torch.zeros(both))
        self.register_buffer("matrix", torch.zeros(both, plan.kept))

    def forward(self, templates: Tensor, energy: Tensor) -> Tensor:
        """Return templates, shape (n, kept), of norm 1; both inputs have norm 1."""
        return template_of((self.beside(templates, energy) - self.mean) @ self.matrix)

    def beside(self, templates: Tensor, energy: Tensor) -> Tensor:
        """Concatenate both with norm 1: shape (n, dimension + 384)."""
        parts = [templates * self._share**0.5, energy * (1 - self._share) ** 0.5]
        return torch.cat(parts, dim=1)


class EnergyCells(nn.Module):
    """Line energy of each direction in coarse cells; ``sigma`` in cells of the code."""

    def __init__(self, cells: int, sigma: float) -> None:
        """Place the cells.

        Args:
            cells: how many in x and in y.
            sigma: how far a cell gathers, in cells of the competitive code.
        """
        super().__init__()
        at = torch.arange(CODE_CELLS)[None]
        middles = (torch.arange(cells)[:, None] + 0.5) * (CODE_CELLS / cells) - 0.5
        windows = torch.exp(-((at - middles) ** 2) / (2 * sigma**2))
        windows = windows / windows.sum(dim=1, keepdim=True)
        self.register_buffer("windows", windows, persistent=False)

    def forward(self, shown: Tensor, seen: Tensor) -> Tensor:
        """Return energies, shape (n, 6, cells, cells)."""
        with torch.autocast(shown.device.type, enabled=False):
            depth = functional.relu(-shown.amin(dim=1, keepdim=True))
            strength = torch.sqrt(depth + _FLOOR) * seen[:, None]
            energy = torch.softmax(-_SHARPNESS * shown, dim=1) * strength
            gathered: Tensor = self.windows @ energy @ self.windows.T
            return torch.sqrt(gathered + _FLOOR)


class Residual(nn.Module):
    """A residual block of two convolutions."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = _convolution(width, width)
        self.second = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(width)

    def forward(self, places: Tensor) -> Tensor:
        """Return an array of the same shape."""
        return functional.relu(places + self.norm(self.second(self.first(places))))


def split(cells: Tensor) -> tuple[Tensor, Tensor]:
    """Return responses, shape (n, 6, 32, 32), and skin, shape (n, 32, 32), as float32."""
    planes = cells.float()
    return planes[:, :CODE_DIRECTIONS] * LINE_UNIT, planes[:, CODE_DIRECTIONS]


def template_of(vectors: Tensor) -> Tensor:
    """Scale vectors to norm 1."""
    return functional.normalize(vectors.float(), dim=1)


def _convolution(width: int, wider: int, *, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(width, wider, 3, stride, 1, bias=False),
        nn.BatchNorm2d(wider),
        nn.ReLU(inplace=True),
    )


_PLAN = "plan.json"
_PLANS: Final = TypeAdapter(TrainingPlan)
_SAMPLES = "samples"


def save_checkpoint(path: Path, plan: TrainingPlan, samples: int, **parts: nn.Module) -> None:
    """Write the weights of all parts, the plan and the samples seen."""
    arrays = {
        f"{name}.{key}": value.detach().cpu().to(_stored(value.dtype)).numpy()
        for name, part in parts.items()
        for key, value in part.state_dict().items()
    }
    text = np.frombuffer(_PLANS.dump_json(plan), np.uint8)
    fresh = path.with_suffix(".part")
    with fresh.open("wb") as file:
        np.savez(file, **{_PLAN: text, _SAMPLES: np.int64(samples)}, **arrays)  # type: ignore[arg-type]
    fresh.replace(path)


def read_plan(path: Path) -> tuple[TrainingPlan, int]:
    """Return the plan of a checkpoint and how many samples it has seen.

    Raises:
        ModelsError: no such file, or not a checkpoint.
    """
    try:
        with np.load(path, allow_pickle=False) as stored:
            return _PLANS.validate_json(stored[_PLAN].tobytes()), int(stored[_SAMPLES])
    except (OSError, ValueError, KeyError, TypeError) as error:
        msg = f"{path.name} is no checkpoint of a training of this kind"
        raise ModelsError(msg) from error


def load_weights(path: Path, **parts: nn.Module) -> None:
    """Load the weights of a checkpoint into the parts.

    Raises:
        ModelsError: the weights are of other parts, or a part is missing.
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
                raise ModelsError(msg)
            try:
                part.load_state_dict(state)
            except RuntimeError as error:
                raise ModelsError(f"the checkpoint's {name} has another shape") from error


def _stored(dtype: torch.dtype) -> torch.dtype:
    return torch.float16 if dtype.is_floating_point else dtype
