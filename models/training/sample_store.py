"""The drawn samples of a training as one array in a file, shared by processes.

Drawn once for each plan; a seed and a number always give the same palm and samples.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.features.competitive_code import find_lines
from engine.parameters import CODE_CELLS, ROI_SIZE_PX
from models.processes import in_processes
from models.synthesis.crop.numbered import draw_palm
from models.synthesis.crop.sample import CropSampler
from models.synthesis.crop.style import SENSOR
from models.synthesis.crop.variation import Variation
from models.training.lines import LINE_PLANES, cells_of
from models.training.plan import TrainingPlan

U8 = NDArray[np.uint8]
I8 = NDArray[np.int8]

_CHUNK: Final = SENSOR


def store_shape(plan: TrainingPlan) -> tuple[int, ...]:
    """Return the shape of a store: palms, samples, planes, cells in y and x."""
    return (plan.drawn, plan.drawn_views, LINE_PLANES, CODE_CELLS, CODE_CELLS)


def draw_samples(
    seed: int, numbers: range, views: int, variation: Variation, breadth: float = 1.0
) -> U8:
    """Draw samples of some palms, shape (palms, views, 128, 128), uint8."""
    sampler = CropSampler(variation)
    crops = np.empty((len(numbers), views, ROI_SIZE_PX, ROI_SIZE_PX), np.uint8)
    for row, number in enumerate(numbers):
        layers = draw_palm(seed, number, breadth)
        rng = np.random.default_rng((seed, 9, number))
        for view in range(views):
            crops[row, view] = sampler.sample(layers, rng)
    return crops


def draw_lines(plan: TrainingPlan, numbers: range) -> I8:
    """Draw samples of some palms and find their lines, shape as ``store_shape``."""
    crops = draw_samples(plan.seed, numbers, plan.drawn_views, plan.variation, plan.breadth)
    regions = crops.reshape(-1, ROI_SIZE_PX, ROI_SIZE_PX).astype(np.float32)
    cells = np.stack([cells_of(find_lines(region)) for region in regions])
    return cells.reshape(len(numbers), *store_shape(plan)[1:])


def open_store(path: Path, plan: TrainingPlan) -> I8:
    """Map a store from its file, shape as ``store_shape``."""
    return np.memmap(path, np.int8, "r", shape=store_shape(plan))


def draw_store(
    path: Path, plan: TrainingPlan, *, workers: int, advance: Callable[[int], None]
) -> None:
    """Draw a store unless its file has the right size; ``advance`` gets palms drawn."""
    shape = store_shape(plan)
    if path.exists() and path.stat().st_size == np.prod(shape, dtype=np.int64):
        advance(plan.drawn)
        return
    part = path.with_suffix(".part")
    np.memmap(part, np.int8, "w+", shape=shape).flush()
    firsts = range(0, plan.drawn, _CHUNK)
    for count in in_processes(workers, partial(_draw_some, part, plan), firsts):
        advance(count)
    part.rename(path)


def _draw_some(path: Path, plan: TrainingPlan, first: int) -> int:
    cv2.setNumThreads(1)
    store = np.memmap(path, np.int8, "r+", shape=store_shape(plan))
    numbers = range(first, min(first + _CHUNK, plan.drawn))
    store[first : numbers.stop] = draw_lines(plan, numbers)
    store.flush()
    return len(numbers)
