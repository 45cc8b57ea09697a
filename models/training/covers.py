"""Trains the network that finds what covers a palm: drawn palms with random things on them.

It sees a region in four bands of relative contrast and says of each cell of the code how sure
it is that something else than skin is there. The things are families with random numbers: none
is one of ``thenar bench robustness``. Runs as ``models.palm_graph.cover`` in the graph.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from engine import parameters as tuned
from models.palm_graph.cover import DILATIONS, STRIDED
from models.synthesis.crop.style import SENSOR, Variation
from models.training.sample_store import draw_samples

Plane = NDArray[np.float32]

SIDE: Final = tuned.ROI_SIZE_PX
CHANNELS: Final = (16, 24)
"""Of the first layer, and of all others."""

PALMS: Final = 200
"""Drawn: of each sensor two, in two samples."""

BATCH: Final = 32


class CoverNet(nn.Module):
    """Four bands, shape (n, 4, 128, 128) → log odds of a cover, (n, 32, 32)."""

    def __init__(self) -> None:
        super().__init__()
        planes = (len(tuned.COVER_GAINS), *CHANNELS)
        wide = CHANNELS[-1]
        self.layers = nn.ModuleList(
            [
                *(
                    nn.Conv2d(before, after, side, stride=step, padding=side // 2)
                    for before, after, (side, step) in zip(
                        planes, planes[1:], STRIDED, strict=False
                    )
                ),
                *(nn.Conv2d(wide, wide, 3, padding=d, dilation=d) for d in DILATIONS),
                nn.Conv2d(wide, 1, 1),
            ]
        )

    def forward(self, bands: Tensor) -> Tensor:
        """Return log odds."""
        seen = bands
        for layer in self.layers[:-1]:
            seen = functional.relu(layer(seen))
        odds: Tensor = self.layers[-1](seen)[:, 0]
        return odds


def bands_of(regions: Plane) -> Plane:
    """Return relative contrast in four bands, shape (n, 4, 128, 128), of (n, 128, 128)."""
    made = []
    for region in regions:
        fine, middle, coarse = (
            cv2.GaussianBlur(region, (0, 0), s) for s in tuned.FOCUS_SIGMAS_PX
        )
        mean = np.float32(region.mean())
        light = coarse + np.float32(tuned.COVER_FLOOR)
        bands = ((region - fine) / light, (fine - middle) / light, (middle - coarse) / light,
                 (coarse - mean) / (mean + np.float32(tuned.COVER_FLOOR)))  # fmt: skip
        cells = np.abs(bands).reshape(4, 32, 4, 32, 4).mean(axis=(2, 4)).reshape(4, -1)
        noise = np.quantile(cells, 0.25, axis=1) / tuned.COVER_NOISE
        gains = (tuned.COVER_GAINS / np.maximum(noise, 1)).astype(np.float32)
        made.append(np.asarray(bands) * gains.reshape(4, 1, 1))
    return np.asarray(np.clip(made, -tuned.COVER_BOUND, tuned.COVER_BOUND), np.float32)


def _noise(rng: np.random.Generator, sigma: float) -> Plane:
    plane = rng.standard_normal((SIDE, SIDE), dtype=np.float32)
    if sigma > 0.3:
        plane = np.asarray(cv2.GaussianBlur(plane, (0, 0), sigma), np.float32)
    return np.asarray((plane - plane.mean()) / (plane.std() + 1e-6), np.float32)


def _grid(rng: np.random.Generator) -> tuple[Plane, Plane]:
    """Return x and y of a turned frame, pixels from the middle."""
    y, x = np.mgrid[:SIDE, :SIDE].astype(np.float32) - SIDE / 2
    a = rng.uniform(0, 2 * np.pi)
    along, across = np.float32(np.cos(a)), np.float32(np.sin(a))
    return np.asarray(x * along + y * across), np.asarray(y * along - x * across)


def _shape(rng: np.random.Generator) -> Plane:
    """Return where a thing lies, 0 to 1."""
    x, y = _grid(rng)
    x, y = x - rng.uniform(-35, 35), y - rng.uniform(-35, 35)
    pitch = rng.uniform(22, 60)
    shapes: tuple[Callable[[], Any], ...] = (
        lambda: rng.uniform(4, 34) - np.abs(x),
        lambda: np.minimum(rng.uniform(12, 50) - np.abs(x), rng.uniform(12, 50) - np.abs(y)),
        lambda: rng.uniform(14, 45) - np.hypot(x, y * rng.uniform(0.7, 1.4)),
        lambda: x - rng.uniform(-20, 40),
        lambda: rng.uniform(5, 25) - np.abs(x),
        lambda: pitch * rng.uniform(0.12, 0.3) - np.abs(x % pitch - pitch / 2),
    )
    inside = shapes[rng.integers(len(shapes))]() + _noise(rng, 8) * rng.choice((0, 0, 1.5))
    return np.asarray(np.clip(inside / rng.uniform(0.6, 3) + 0.5, 0, 1), np.float32)


def _pattern(rng: np.random.Generator) -> Plane:
    """Return a pattern, 0 to 1."""
    x, y = _grid(rng)
    period = float(np.exp(rng.uniform(np.log(2.1), np.log(26))))
    wave = np.sin(2 * np.pi * x / period)
    other = np.sin(2 * np.pi * y / (period * rng.uniform(0.7, 1.4)) + 1)
    level = rng.uniform(-0.6, 0.6)
    grain = float(np.exp(rng.uniform(-0.8, 2)))
    patterns: tuple[Callable[[], Any], ...] = (
        lambda: np.zeros_like(x),
        lambda: wave / 2 + 0.5 if rng.random() < 0.4 else wave > level,
        lambda: np.maximum(wave, other) > level,
        lambda: wave * other > level / 2,
        lambda: _noise(rng, grain) > level,
        lambda: _modules(rng),
        lambda: np.sin(2 * np.pi * np.hypot(x, y) / period) > level,
        lambda: _writing(rng),
        lambda: np.clip(_noise(rng, grain) / 4 + 0.5, 0, 1),
        lambda: np.maximum(wave, _noise(rng, 1.5)) > level + 0.5,
    )
    return np.asarray(patterns[rng.integers(len(patterns))](), np.float32)


def _modules(rng: np.random.Generator) -> Plane:
    count = int(rng.integers(8, 60))
    modules = (rng.random((count, count)) > 0.5).astype(np.float32)
    return np.asarray(cv2.resize(modules, (SIDE, SIDE), interpolation=cv2.INTER_NEAREST))


def _writing(rng: np.random.Generator) -> Plane:
    plane = np.zeros((SIDE, SIDE), np.uint8)
    scale = rng.uniform(0.25, 0.9)
    step = int(30 * scale * rng.uniform(0.8, 1.4)) + 2
    for line in range(0, SIDE + step, step):
        text = "".join(chr(c) for c in rng.integers(33, 123, 40))
        cv2.putText(plane, text, (-10, line), int(rng.integers(0, 8)), scale, 255,
                    int(rng.integers(1, 3)), cv2.LINE_AA)  # fmt: skip
    return np.asarray(plane / 255, np.float32)


def cover(region: Plane, rng: np.random.Generator) -> tuple[Plane, Plane]:
    """Put a random thing on a region; return it and where the thing is, 0 to 1."""
    place, mean, kind = _shape(rng), float(region.mean()), rng.random()
    if kind < 0.3:
        return _shadowed(region, place, rng)
    if kind < 0.6:
        return _taped(region, rng)
    light = cv2.GaussianBlur(region, (0, 0), 20) if rng.random() < 0.8 else np.float32(mean)
    first = np.clip(rng.normal(1.05, rng.choice((0.08, 0.35))), 0.15, 1.9)
    depth = float(np.exp(rng.uniform(np.log(0.02), np.log(1.2))))
    pattern = _pattern(rng)
    tone = np.maximum(first - depth * pattern * rng.choice((1, 1, -1)), 0.05)
    return _laid(region, np.asarray(light * tone), place, pattern, rng), place


def _taped(region: Plane, rng: np.random.Generator) -> tuple[Plane, Plane]:
    """Put a strip on a region that is nearly as light as skin, with faint ribs or threads."""
    x, y = _grid(rng)
    x = np.asarray(x - rng.uniform(-35, 35))
    edge = (rng.uniform(5, 30) - np.abs(x)) / rng.uniform(0.6, 3)
    turn, level = rng.choice((0, np.pi / 2, rng.uniform(0, np.pi))), rng.uniform(-0.5, 0.5)
    pitch = np.exp(rng.uniform(np.log(2.1), np.log(7))) / (2 * np.pi)
    wave, other = (np.sin((a * np.cos(turn) + b * np.sin(turn)) / pitch)
                   for a, b in ((x, y), (y, -x)))  # fmt: skip
    patterns: tuple[Callable[[], Any], ...] = (
        lambda: wave > level,
        lambda: np.maximum(wave, other) > level,
        lambda: np.clip(_noise(rng, rng.uniform(0.4, 2)) / 4 + 0.5, 0, 1),
        lambda: np.zeros_like(x),
    )
    pattern = np.asarray(patterns[rng.integers(len(patterns))](), np.float32)
    light = cv2.GaussianBlur(region, (0, 0), rng.uniform(8, 24))
    tone = rng.uniform(0.9, 1.3) - np.exp(rng.uniform(np.log(0.02), np.log(0.15))) * pattern
    place = np.asarray(np.clip(edge + 0.5, 0, 1), np.float32)
    return _laid(region, np.asarray(light * tone), place, pattern, rng), place


def _laid(
    region: Plane, thing: Plane, place: Plane, pattern: Plane, rng: np.random.Generator
) -> Plane:
    """Lay a thing on a region, not always opaque where its pattern is dark."""
    noise = _noise(rng, rng.uniform(0, 1)) * rng.uniform(0.3, 4)
    thing = np.asarray(thing + noise, np.float32)
    opaque = place * (1.0 if rng.random() < 0.7 else np.where(pattern > 0.5, 0.9, 0.45))
    if rng.random() < 0.7:
        thing = np.asarray(cv2.GaussianBlur(thing, (0, 0), rng.uniform(0.3, 1.1)), np.float32)
    return np.asarray(region + (thing - region) * opaque, np.float32)


def _shadowed(region: Plane, place: Plane, rng: np.random.Generator) -> tuple[Plane, Plane]:
    """Darken a part: only its edge counts, behind it there is skin."""
    place = np.asarray(place, np.float32)
    dark = region * (1 - place * rng.uniform(0.25, 0.75))
    wide = np.ones((5, 5), np.uint8)
    edge = cv2.dilate(place, wide) - cv2.erode(place, wide)
    return np.asarray(dark, np.float32), np.asarray(edge > 0.5, np.float32)


def photographed(region: Plane, rng: np.random.Generator) -> Plane:
    """Vary a bare region as skin, light and cameras do."""
    soft = cv2.GaussianBlur(region, (0, 0), 5)
    seen = soft + (region - soft) * np.float32(np.exp(rng.normal(0, 0.5)))
    seen = seen * (1 + 0.12 * rng.uniform(0, 1) * _noise(rng, rng.uniform(12, 30)))
    if rng.random() < 0.5:
        seen = seen + _noise(rng, rng.uniform(0.5, 2.5)) * rng.uniform(0, 4)
    if rng.random() < 0.3:
        seen = _glossy(seen, rng)
    return np.asarray(np.clip(seen * rng.uniform(0.6, 1.3), 1, 255), np.float32)


def _glossy(region: Plane, rng: np.random.Generator) -> Plane:
    """Lighten soft patches, and draw a few deep creases."""
    spots = np.clip(_noise(rng, rng.uniform(4, 12)) - 1.2, 0, 1) * rng.uniform(0, 60)
    deep = np.zeros((SIDE, SIDE), np.float32)
    for _ in range(rng.integers(0, 4)):
        first, steps = rng.uniform(0, SIDE, (1, 2)), rng.normal(0, 4, (8, 2))
        points = np.cumsum(np.vstack([first, steps + rng.normal(0, 10, 2)]), axis=0)
        width = int(rng.integers(1, 4))
        line = [points.astype(np.int32)]
        cv2.polylines(deep, line, False, 1.0, width, cv2.LINE_AA)  # noqa: FBT003 - not closed
    lines = cv2.GaussianBlur(deep, (0, 0), 0.8) * rng.uniform(0, 0.5)
    return np.asarray((region + spots) * (1 - lines), np.float32)


def draw_batch(
    palms: NDArray[np.uint8], count: int, rng: np.random.Generator
) -> tuple[Plane, Plane]:
    """Return regions, (n, 128, 128), and the share of a thing at each cell, (n, 32, 32).

    A third is bare. A camera blurs and adds noise last, over skin and thing.
    """
    regions, places = [], []
    for _ in range(count):
        region = photographed(palms[rng.integers(len(palms))].astype(np.float32), rng)
        place = np.zeros((SIDE, SIDE), np.float32)
        for _ in range(rng.choice((0, 1, 1, 1, 1, 2, 0))):
            region, more = cover(region, rng)
            place = np.maximum(place, more)
        if rng.random() < 0.5:
            region = np.asarray(cv2.GaussianBlur(region, (0, 0), rng.uniform(0.2, 1.6)))
        region = region + _noise(rng, rng.choice((0.0, 0.6))) * abs(rng.normal(0, 2.5))
        regions.append(np.clip(region, 0, 255))
        places.append(place.reshape(32, 4, 32, 4).mean(axis=(1, 3)))
    return np.asarray(regions, np.float32), np.asarray(places, np.float32)


def draw_palms(seed: int) -> NDArray[np.uint8]:
    """Return drawn regions with nothing on them, shape (n, 128, 128)."""
    bare = Variation(covered_share=0.0)
    sensors = (range(s * (SENSOR + 3), s * (SENSOR + 3) + 2) for s in range(PALMS))
    drawn = [draw_samples(seed, numbers, 2, bare) for numbers in sensors]
    return np.concatenate(drawn).reshape(-1, SIDE, SIDE)


def train(out: Path, steps: int, seed: int, start: Path | None = None) -> float:
    """Train, from earlier weights if given; write the weights and return the mean loss."""
    torch.manual_seed(seed)
    rng, network, palms = np.random.default_rng(seed), CoverNet(), draw_palms(77)
    if start:
        with np.load(start) as weights:
            network.load_state_dict({n: torch.from_numpy(w) for n, w in weights.items()})
    rate = 1e-3 if start else 2.5e-3
    optimiser = torch.optim.Adam(network.parameters(), rate)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, steps, pct_start=0.1)
    mean = 0.0
    for step in range(steps):
        regions, places = draw_batch(palms, BATCH, rng)
        odds = network(torch.from_numpy(bands_of(regions)))
        truth = torch.from_numpy(places)
        # A hidden cell of a bare palm costs its owner more than a seen one of a thing.
        weight = 2 * (truth < 0.1).float() + (truth > 0.6).float()
        loss = functional.binary_cross_entropy_with_logits(odds, (truth > 0.5).float(), weight)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
        mean = loss.item() if not step else 0.98 * mean + 0.02 * loss.item()
    halves = {n: p.detach().numpy().astype(np.float16) for n, p in network.state_dict().items()}
    np.savez_compressed(out, allow_pickle=False, **halves)
    return mean
