"""Batches for training, drawn by other processes while the network learns.

Batch ``n`` depends on the seed and on ``n`` only, not on which process draws it or when.
"""

from __future__ import annotations

from multiprocessing import get_context, parent_process
from multiprocessing.shared_memory import SharedMemory
from queue import Empty
from typing import TYPE_CHECKING, Final, Self

import cv2
import numpy as np

from models.synthesis.crop.normalise import NORMALISE_LIMIT, normalise
from models.synthesis.crop.sample import CROP_PX, CropSampler
from models.synthesis.crop.style import FAMILY
from models.training.bank import palm_of, palm_shape

if TYPE_CHECKING:
    from multiprocessing.queues import Queue
    from pathlib import Path

    from numpy.typing import NDArray

    from models.training.plan import TrainingPlan

    I8 = NDArray[np.int8]
    I64 = NDArray[np.int64]

INPUT_UNIT: Final = NORMALISE_LIMIT / 127
"""Normalised value of one step of an int8 input."""

_SLOTS_EACH: Final = 4
_PATIENCE_S: Final = 5.0


def batch_labels(plan: TrainingPlan, number: int) -> I64:
    """Which palms batch ``number`` shows, shape (batch,): views of one palm side by side.

    Whole families, flipped alike, since their palms are hard to tell apart. Each round shows
    every palm as often; its order is shuffled by the seed.
    """
    families = plan.drawn // FAMILY * plan.flips
    count = plan.batch_palms // FAMILY
    at = np.arange(number * count, (number + 1) * count)
    orders = {
        r: np.random.default_rng((plan.seed, 1, r)).permutation(families)
        for r in np.unique(at // families).tolist()
    }
    chosen = [orders[i // families][i % families] for i in at.tolist()]
    family, flip = np.divmod(np.array(chosen, np.int64), plan.flips)
    drawn = family[:, None] * FAMILY + np.arange(FAMILY)
    return np.repeat((drawn * plan.flips + flip[:, None]).ravel(), plan.batch_views)


def quantised(crop: NDArray[np.uint8]) -> I8:
    """Normalise a crop and keep it in eight bits."""
    return np.round(normalise(crop) / INPUT_UNIT).astype(np.int8)


def draw_batch(
    bank: NDArray[np.uint8], sampler: CropSampler, plan: TrainingPlan, number: int, out: I8
) -> None:
    """Draw one batch into ``out``, shape (batch, CROP_PX, CROP_PX)."""
    rng = np.random.default_rng((plan.seed, 2, number))
    for row, palm in enumerate(batch_labels(plan, number)):
        out[row] = quantised(sampler.sample(palm_of(bank, int(palm), plan.flips), rng))


class Feed:
    """Batches in order, from processes that draw ahead. Use as a context manager."""

    def __init__(self, plan: TrainingPlan, bank: Path, *, workers: int, first: int = 0) -> None:
        """Start drawing.

        Args:
            plan: the training.
            bank: file of the drawn palms.
            workers: processes that draw.
            first: number of the first batch.
        """
        context = get_context("spawn")
        self._plan, self._workers = plan, workers
        self._first = self._next = first
        slots = _SLOTS_EACH * workers
        self._memory = SharedMemory(create=True, size=slots * plan.batch * CROP_PX**2)
        self._free: list[Queue[int]] = [context.Queue() for _ in range(workers)]
        self._full: list[Queue[int]] = [context.Queue() for _ in range(workers)]
        self._processes = [
            context.Process(
                target=_draw_ahead,
                args=(plan, bank, self._memory.name, (first + w, workers),
                      self._free[w], self._full[w]),
                daemon=True,
            )
            for w in range(workers)
        ]  # fmt: skip
        for worker, process in enumerate(self._processes):
            process.start()
            for slot in range(_SLOTS_EACH):
                self._free[worker].put(worker * _SLOTS_EACH + slot)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._processes:
            process.terminate()
            process.join()
        self._memory.close()
        self._memory.unlink()

    def next_batch(self) -> tuple[I8, I64]:
        """Return the next batch, copied: inputs (batch, 1, CROP_PX, CROP_PX) and palms."""
        worker = (self._next - self._first) % self._workers
        slot = self._full[worker].get(timeout=600)
        inputs = _slots(self._memory, self._plan)[slot].copy()
        self._free[worker].put(slot)
        labels = batch_labels(self._plan, self._next)
        self._next += 1
        return inputs[:, None], labels


def _slots(memory: SharedMemory, plan: TrainingPlan) -> I8:
    """The shared memory as slots, shape (slots, batch, CROP_PX, CROP_PX)."""
    shape = (plan.batch, CROP_PX, CROP_PX)
    count = memory.size // int(np.prod(shape))
    return np.ndarray((count, *shape), np.int8, buffer=memory.buf)


def _draw_ahead(
    plan: TrainingPlan,
    path: Path,
    memory_name: str,
    turn: tuple[int, int],
    free: Queue[int],
    full: Queue[int],
) -> None:
    """Draw every so-manieth batch while the training lives; turn: first number, step."""
    cv2.setNumThreads(1)
    number, step = turn
    bank = np.memmap(path, np.uint8, "r", shape=palm_shape(plan.drawn))
    sampler = CropSampler(plan.variation)
    memory = SharedMemory(memory_name)
    slots = _slots(memory, plan)
    while (slot := _next_slot(free)) is not None:
        draw_batch(bank, sampler, plan, number, slots[slot])
        full.put(slot)
        number += step


def _next_slot(free: Queue[int]) -> int | None:
    """Wait for a slot; None when the training is gone, however it ended."""
    training = parent_process()
    while training is not None and training.is_alive():
        try:
            return free.get(timeout=_PATIENCE_S)
        except Empty:
            continue
    return None
