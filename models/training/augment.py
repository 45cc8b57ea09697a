"""Disturbs the lines of a sample beyond what was drawn.

Creases fade, lines of other palms appear, a sensor favours some directions, the region is a
cell off. Filters are linear, so line responses can be changed instead of skin: a thousand times
as fast as drawing.
"""

from __future__ import annotations

from typing import Final

import torch
from torch import Tensor
from torch.nn import functional

from engine.parameters import CODE_CELLS, CODE_DIRECTIONS
from models.training.plan import Disturbance

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
