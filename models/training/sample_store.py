"""The drawn samples of a training, their batches, and the teacher's scores.

Samples are one array in a file, shared by processes, drawn once for each plan: a seed and a
number always give the same palm and samples.

Lines are stored as responses at the code's cells, in eight bits. The palms and samples of a
batch depend on the seed and the batch's number only.

The teacher is a file of scores of the competitive code between drawn samples. Labels say whose
a sample is; the code's comparison, more accurate than any one vector, says how similar two
samples are. Only samples of one sensor are compared: only they meet in a batch.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.comparison.compare import compare_codes
from engine.features.code_bytes import pack_code
from engine.features.competitive_code import Lines, find_lines
from engine.parameters import CODE_CELLS, CODE_DIRECTIONS, ROI_SIZE_PX
from models.processes import in_processes
from models.synthesis.crop.identity import draw_palm
from models.synthesis.crop.sample import CropSampler
from models.synthesis.crop.style import SENSOR, Variation
from models.training.plan import TrainingPlan

LINE_PLANES: Final = CODE_DIRECTIONS + 1
"""Responses of all directions, and where skin is seen."""

LINE_UNIT: Final = 40 / 127
"""Response of one step of eight bits; stronger ones are clipped."""

_STEP: Final = ROI_SIZE_PX // CODE_CELLS
_CELLS: Final = np.s_[..., _STEP // 2 :: _STEP, _STEP // 2 :: _STEP]


def cells_of(lines: Lines) -> NDArray[np.int8]:
    """Return the lines of a region at its cells, shape (LINE_PLANES, 32, 32), int8.

    Responses in steps of ``LINE_UNIT``, lower for darker lines; then 1 where skin is seen.
    """
    steps = (lines.responses[_CELLS] / LINE_UNIT).round().clip(-127, 127)
    return np.concatenate([steps, lines.seen[_CELLS][None]]).astype(np.int8)


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


F16 = NDArray[np.float16]
I64 = NDArray[np.int64]


def batch_palms(plan: TrainingPlan, number: int) -> I64:
    """Return the palms of a batch, shape (batch_palms,).

    Neighbours, seen by one sensor, so that the sensor does not distinguish them. Each round
    contains every palm once, in an order shuffled by the seed.
    """
    side = min(SENSOR, plan.batch_palms)
    parts, count = plan.drawn // side, plan.batch_palms // side
    at = np.arange(number * count, (number + 1) * count)
    orders = {
        r: np.random.default_rng((plan.seed, 3, r)).permutation(parts)
        for r in np.unique(at // parts).tolist()
    }
    chosen = np.array([orders[i // parts][i % parts] for i in at.tolist()], np.int64)
    return (chosen[:, None] * side + np.arange(side)).ravel()


def batch_samples(plan: TrainingPlan, number: int) -> I64:
    """Return distinct samples of each palm, shape (batch_palms, batch_views)."""
    chance = np.random.default_rng((plan.seed, 4, number))
    order = chance.random((plan.batch_palms, plan.drawn_views)).argsort(axis=1)
    return order[:, : plan.batch_views]


def draw_batch(store: I8, plan: TrainingPlan, number: int) -> tuple[I8, I64]:
    """Return a batch: cells, shape (batch, 7, 32, 32), and palms, shape (batch,)."""
    palms = batch_palms(plan, number)
    rows = np.repeat(palms, plan.batch_views)
    return np.asarray(store[rows, batch_samples(plan, number).ravel()]), rows


def draw_scores(scores: F16, plan: TrainingPlan, number: int) -> F16:
    """Return the teacher's scores of a batch, shape (groups, m, m), groups · m = batch."""
    side = plan.drawn // len(scores)
    palms, samples = batch_palms(plan, number), batch_samples(plan, number)
    rows = (palms % side)[:, None] * plan.drawn_views + samples
    grouped = rows.reshape(-1, side * plan.batch_views)
    which = palms[::side] // side
    return np.asarray(scores[which[:, None, None], grouped[:, :, None], grouped[:, None]])


def scores_shape(plan: TrainingPlan) -> tuple[int, int, int]:
    """Return the shape of a plan's scores: groups of palms, and twice a group's samples."""
    side = min(SENSOR, plan.batch_palms)
    samples = side * plan.drawn_views
    return (plan.drawn // side, samples, samples)


def score_samples(cells: I8) -> F16:
    """Compare samples, shape (n, 7, 32, 32), by their codes: shape (n, n), 1 for equal."""
    directions = cells[:, :CODE_DIRECTIONS].argmin(axis=1)
    seen = cells[:, CODE_DIRECTIONS] > 0
    codes = np.stack([pack_code(*cell) for cell in zip(directions, seen, strict=True)])
    scores = np.ones((len(codes), len(codes)), np.float16)
    for row in range(len(codes) - 1):
        others = 1 - compare_codes(codes[row], codes[row + 1 :])
        scores[row, row + 1 :] = scores[row + 1 :, row] = others
    return scores


def open_scores(path: Path, plan: TrainingPlan) -> F16:
    """Map scores from their file, shape as ``scores_shape``."""
    return np.memmap(path, np.float16, "r", shape=scores_shape(plan))


def score_store(
    path: Path, store: Path, plan: TrainingPlan, *, workers: int, advance: Callable[[int], None]
) -> None:
    """Compare the samples of a store unless the file has the right size."""
    shape = scores_shape(plan)
    size = np.prod(shape, dtype=np.int64) * np.dtype(np.float16).itemsize
    if path.exists() and path.stat().st_size == size:
        advance(plan.drawn)
        return
    part = path.with_name(f"{path.name}.part")
    np.memmap(part, np.float16, "w+", shape=shape).flush()
    work = partial(_score_group, part, store, plan)
    for count in in_processes(workers, work, range(shape[0])):
        advance(count)
    part.rename(path)


def _score_group(path: Path, store: Path, plan: TrainingPlan, group: int) -> int:
    side = plan.drawn // scores_shape(plan)[0]
    samples = np.asarray(open_store(store, plan)[group * side : (group + 1) * side])
    scores = np.memmap(path, np.float16, "r+", shape=scores_shape(plan))
    scores[group] = score_samples(samples.reshape(-1, *samples.shape[2:]))
    scores.flush()
    return side
