"""Inner products with some vectors in half precision, without the interpreter's lock.

A short list is some hundred rows of a matrix of gigabytes: each is read once and not copied.
"""

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.comparison.kernels.compiling import compiled, compiled_fastmath

_LACKING: Final = 112
"""By how much exponents of halves are lower than those of float32."""

_NUMBER: Final = -0x70002000
"""Bits of a shifted half, without those that its sign was copied to."""


def products(
    vectors: NDArray[np.float16], slots: NDArray[np.int64], probes: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return the inner products of probes, shape (probes, dimension), and some vectors.

    Returns:
        Shape (probes, slots).
    """
    found = np.empty((len(probes), len(slots)), np.float32)
    write_products(vectors.view(np.int16), slots, probes * np.float32(2**_LACKING), found)
    return found


def example() -> tuple[Callable[..., object], *tuple[object, ...]]:
    """Return the compiled function, and arguments like those of a search."""
    probes = np.zeros((1, 1), np.float32)
    return write_products, np.zeros((1, 1), np.int16), np.zeros(1, np.int64), probes, probes


@compiled
def write_products(  # pragma: no cover - compiled
    halves: NDArray[np.int16],
    slots: NDArray[np.int64],
    probes: NDArray[np.float32],
    found: NDArray[np.float32],
) -> None:
    """Write ``products``; the probes make up for the exponents."""
    for number in range(len(slots)):
        row = halves[slots[number]]
        for which in range(len(probes)):
            found[which, number] = _product(row, probes[which])


@compiled_fastmath
def _product(
    halves: NDArray[np.int16], probe: NDArray[np.float32]
) -> np.float32:  # pragma: no cover - compiled
    """Shift sign, exponent and fraction of finite halves to where float32 has them."""
    total = np.float32(0)
    for n in range(len(probe)):
        bits = np.int32(np.int32(halves[n]) << np.int32(13)) & np.int32(_NUMBER)
        total += np.int32(bits).view(np.float32) * probe[n]
    return total
