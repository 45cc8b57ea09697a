"""The drawn palms of a training, as one array of layers in a file.

A file rather than memory, so that processes share it. Drawn once for each seed and count, in
parallel; the same seed and number always draw the same palm.
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from models.synthesis.crop.identity import LAYER_COUNT, LAYER_PX, draw_identity
from models.synthesis.crop.style import FAMILY, draw_style

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

    U8 = NDArray[np.uint8]

_CHUNK: Final = 250


def palm_shape(count: int) -> tuple[int, int, int, int]:
    """Shape of a bank of so many palms."""
    return (count, LAYER_PX, LAYER_PX, LAYER_COUNT)


def palm_of(bank: U8, number: int, flips: int) -> U8:
    """Return the layers of one palm: of a drawn one, or of one flipped. Contiguous."""
    layers = bank[number // flips]
    flip = number % flips
    if flip & 1:
        layers = layers[:, ::-1]
    if flip & 2:
        layers = layers[::-1]
    return np.ascontiguousarray(layers)


def draw_palm(seed: int, number: int) -> U8:
    """Draw the layers of one palm of a bank; neighbours are of one family."""
    style = draw_style(np.random.default_rng((seed, 1, number // FAMILY)))
    return draw_identity(style, np.random.default_rng((seed, 2, number)))


def draw_bank(
    path: Path, *, seed: int, count: int, workers: int, advance: Callable[[int], None]
) -> U8:
    """Draw a bank, or open it if it was drawn already.

    Args:
        path: file of the array; the palms in it are kept if its length is right.
        seed: of the palms.
        count: how many.
        workers: processes that draw.
        advance: told how many palms were just drawn.

    Returns:
        Shape (count, LAYER_PX, LAYER_PX, LAYER_COUNT), uint8, mapped from the file.
    """
    shape = palm_shape(count)
    if path.exists() and path.stat().st_size == np.prod(shape, dtype=np.int64):
        advance(count)
        return np.memmap(path, np.uint8, "r", shape=shape)
    part = path.with_suffix(".part")
    np.memmap(part, np.uint8, "w+", shape=shape).flush()
    firsts = range(0, count, _CHUNK)
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        jobs = [pool.submit(_draw_some, part, seed, first, count) for first in firsts]
        for job in jobs:
            advance(job.result())
    part.rename(path)
    return np.memmap(path, np.uint8, "r", shape=shape)


def _draw_some(path: Path, seed: int, first: int, count: int) -> int:
    """Draw one chunk into the file; returns how many palms."""
    cv2.setNumThreads(1)
    bank = np.memmap(path, np.uint8, "r+", shape=palm_shape(count))
    last = min(first + _CHUNK, count)
    for number in range(first, last):
        bank[number] = draw_palm(seed, number)
    bank.flush()
    return last - first
