"""Scores of the competitive code between drawn samples, in a file: the teacher.

Labels say whose a sample is; the code's comparison, more accurate than any one vector, says how
similar two samples are. Only samples of one sensor are compared: only they meet in a batch.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.comparison.compare import compare_codes
from engine.features.code_bytes import pack_code
from engine.parameters import CODE_DIRECTIONS
from models.processes import in_processes
from models.synthesis.crop.style import SENSOR
from models.training.plan import TrainingPlan
from models.training.sample_store import open_store

F16 = NDArray[np.float16]
I8 = NDArray[np.int8]


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
