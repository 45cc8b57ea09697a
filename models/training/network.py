"""The palm network: a normalised crop in, a template's vector out.

Small on purpose: it must run in a browser on a phone. The places of the palm are kept until the
last layer (a fully connected one), because where a crease is tells as much as that it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import torch
from torch import Tensor, nn
from torch.nn import functional

from models.training.plan import NetworkPlan

_FILTERS = 48
_WINDOW = 9


class PalmNet(nn.Module):
    """From (n, 1, 112, 112) normalised crops to (n, dimension) vectors, not yet of norm 1."""

    def __init__(self, plan: NetworkPlan) -> None:
        """Lay the layers out as the plan says."""
        super().__init__()
        near, middle, far = plan.widths
        self.stem = _STEMS[plan.stem](near)
        self.body = nn.Sequential(
            *(Residual(near) for _ in range(plan.blocks[0])),
            _convolution(near, middle, stride=2),
            *(Residual(middle) for _ in range(plan.blocks[1])),
            _convolution(middle, far, stride=2),
            *(Residual(far) for _ in range(plan.blocks[2])),
        )
        self.reduce = nn.Conv2d(far, plan.head_channels, 1, bias=False)
        self.reduce_norm = nn.BatchNorm2d(plan.head_channels)
        self.project = nn.Linear(plan.head_channels * 49, plan.dimension, bias=False)
        self.norm = nn.BatchNorm1d(plan.dimension)

    def forward(self, crops: Tensor) -> Tensor:
        """Return vectors, shape (n, dimension)."""
        places = self.reduce_norm(self.reduce(self.body(self.stem(crops))))
        vectors: Tensor = self.norm(self.project(places.flatten(1)))
        return vectors


class Residual(nn.Module):
    """Two convolutions and a way past them."""

    def __init__(self, width: int) -> None:
        """Keep the width."""
        super().__init__()
        self.first = _convolution(width, width)
        self.second = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(width)
        self.gate = nn.PReLU(width)

    def forward(self, places: Tensor) -> Tensor:
        """Return places of the same shape."""
        gated: Tensor = self.gate(places + self.norm(self.second(self.first(places))))
        return gated


def template_of(vectors: Tensor) -> Tensor:
    """Bring vectors to norm 1."""
    return functional.normalize(vectors.float(), dim=1)


def parameter_count(network: nn.Module) -> int:
    """Count the trained numbers."""
    return sum(p.numel() for p in network.parameters())


@torch.no_grad()
def multiplication_count(network: nn.Module) -> int:
    """Count the multiplications for one crop: of convolutions and matrix products."""
    total = 0

    def count(layer: nn.Module, _: object, output: Tensor) -> None:
        nonlocal total
        if isinstance(layer, nn.Conv2d | nn.Linear):
            total += output[0].numel() * layer.weight[0].numel()

    hooks = [layer.register_forward_hook(count) for layer in network.modules()]
    was_training = network.training
    network.eval()(torch.zeros(1, 1, 112, 112, device=next(network.parameters()).device))
    network.train(was_training)
    for hook in hooks:
        hook.remove()
    return total


def _convolution(width: int, wider: int, *, stride: int = 1, window: int = 3) -> nn.Sequential:
    """Convolution, normalisation, gate."""
    return nn.Sequential(
        nn.Conv2d(width, wider, window, stride, window // 2, bias=False),
        nn.BatchNorm2d(wider),
        nn.PReLU(wider),
    )


def _wide_stem(width: int) -> nn.Sequential:
    """Quarter the picture by wide filters, as large as the competitive code's."""
    return nn.Sequential(
        _convolution(1, _FILTERS, stride=4, window=_WINDOW), _convolution(_FILTERS, width)
    )


@torch.no_grad()
def _begin_with_lines(layer: nn.Module) -> None:
    """Set a layer's first filters to lines and edges of eight directions and three breadths.

    The competitive code's filters, as a start: they are trained like all others.
    """
    y, x = torch.meshgrid(*(torch.arange(_WINDOW) - _WINDOW // 2,) * 2, indexing="ij")
    filters = []
    for length in (4.5, 7.0, 11.0):
        for turn in range(8):
            angle = torch.tensor(turn * torch.pi / 8)
            across = x * torch.cos(angle) + y * torch.sin(angle)
            along = y * torch.cos(angle) - x * torch.sin(angle)
            reach = torch.exp(-(across**2 + (0.6 * along) ** 2) / (2 * (0.42 * length) ** 2))
            for phase in (0.0, torch.pi / 2):
                wave = reach * torch.cos(2 * torch.pi * across / length + phase)
                wave -= reach * wave.sum() / reach.sum()
                filters.append(wave / wave.norm())
    weight = layer.weight
    count = min(len(filters), len(weight))
    weight[:count, 0] = torch.stack(filters[:count]) * 0.5


def _direct_stem(width: int) -> nn.Sequential:
    """Quarter the picture by wide filters and nothing else: least memory traffic."""
    stem = _convolution(1, width, stride=4, window=_WINDOW)
    _begin_with_lines(stem[0])
    return stem


def _fine_stem(width: int) -> nn.Sequential:
    """Halve the picture twice."""
    return nn.Sequential(
        _convolution(1, 32, stride=2, window=5), _convolution(32, width, stride=2)
    )


_STEMS: Final[dict[str, Callable[[int], nn.Sequential]]] = {
    "wide": _wide_stem,
    "direct": _direct_stem,
    "fine": _fine_stem,
}
