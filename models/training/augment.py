"""What happens to the lines of a palm between two pictures, beside what the drawing shows.

Creases fade in places, wrinkles come and go, a sensor favours some directions, the region is
cut a cell off. Filters are linear, so lines may be added, weakened and moved instead of skin:
a thousand times as fast as drawing anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import torch
from torch import Tensor
from torch.nn import functional

from engine.parameters import CODE_CELLS, CODE_DIRECTIONS

if TYPE_CHECKING:
    from models.training.plan import Disturbance

_REACH: Final = 10
"""How far foreign lines are moved at most, in cells: they must lie anywhere."""

_MOVES: Final = 4
"""Into how many parts a batch is cut that are moved alike."""


def disturb(
    responses: Tensor, seen: Tensor, by: Disturbance, chance: torch.Generator
) -> tuple[Tensor, Tensor]:
    """Disturb the samples of a batch, each differently.

    Args:
        responses: shape (n, 6, 32, 32).
        seen: shape (n, 32, 32).
        by: how much.
        chance: decides everything.

    Returns:
        Responses and seen, of the same shapes.
    """
    responses = responses * _gains(len(responses), by.gain, chance)
    responses = responses * _fading(len(responses), by.fade, chance)
    responses = _crossed(responses, by.foreign, chance)
    return _moved(responses, seen, by.shift, chance)


def _gains(count: int, spread: float, chance: torch.Generator) -> Tensor:
    """How much more or less each direction shows, here and there."""
    size = spread * torch.rand(count, 1, 1, 1, generator=chance)
    return torch.exp(size * _smooth(count, CODE_DIRECTIONS, 4, chance))


def _fading(count: int, most: float, chance: torch.Generator) -> Tensor:
    """What is left of all lines in patches where they fade."""
    edge = 1.0 - 0.6 * torch.rand(count, 1, 1, 1, generator=chance)
    patches = (_smooth(count, 1, 6, chance) > edge).float()
    return 1 - patches * most * torch.rand(count, 1, 1, 1, generator=chance)


def _crossed(responses: Tensor, most: float, chance: torch.Generator) -> Tensor:
    """Add lines of other palms, turned over or moved elsewhere, in some places."""
    count = len(responses)
    others = responses[torch.randperm(count, generator=chance)]
    kind = int(torch.randint(0, 4, (1,), generator=chance))
    if kind & 1:
        others = others[:, [-i % CODE_DIRECTIONS for i in range(CODE_DIRECTIONS)]].flip(3)
    if kind & 2:
        others = others[:, [-i % CODE_DIRECTIONS for i in range(CODE_DIRECTIONS)]].flip(2)
    away = torch.randint(-_REACH, _REACH + 1, (2,), generator=chance).tolist()
    others = torch.roll(others, away, (2, 3))
    weight = most * torch.rand(count, 1, 1, 1, generator=chance)
    weight = weight * (_smooth(count, 1, 5, chance) * 0.5 + 0.5).clamp(0, 1.5)
    return (responses + weight * others) / torch.sqrt(1 + weight * weight)


def _moved(
    responses: Tensor, seen: Tensor, most: int, chance: torch.Generator
) -> tuple[Tensor, Tensor]:
    """Move samples by up to so many cells; what comes in from outside shows no skin."""
    order = torch.randperm(len(responses), generator=chance)
    responses, seen = responses.clone(), seen.clone()
    for part in order.chunk(_MOVES):
        down, right = torch.randint(-most, most + 1, (2,), generator=chance).tolist()
        responses[part] = torch.roll(responses[part], (down, right), (2, 3))
        seen[part] = torch.roll(seen[part], (down, right), (1, 2)) * _inside(down, right)
    return responses, seen


def _inside(down: int, right: int) -> Tensor:
    """Where a moved region still has cells of its own, shape (32, 32)."""
    at = torch.arange(CODE_CELLS)
    rows = (at >= down) & (at < CODE_CELLS + down)
    columns = (at >= right) & (at < CODE_CELLS + right)
    return (rows[:, None] & columns).float()


def _smooth(count: int, planes: int, cells: int, chance: torch.Generator) -> Tensor:
    """Smooth noise of about unit deviation, shape (count, planes, 32, 32)."""
    coarse = torch.randn(count, planes, cells, cells, generator=chance)
    size = (CODE_CELLS, CODE_CELLS)
    return functional.interpolate(coarse, size, mode="bicubic", align_corners=True)
