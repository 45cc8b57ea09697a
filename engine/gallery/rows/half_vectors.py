"""Compiled inner products with scattered vectors in half precision.

A short list is some hundred rows of a matrix of gigabytes: touch each row once, prefetch it,
and copy nothing. Releases the GIL.
"""

from __future__ import annotations

import platform
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from engine.comparison.kernels.build import (
    CPU_FEATURES,
    compile_for,
    compiled,
    compiled_fastmath,
)
from engine.gallery.rows.addresses import address_of, ask_for, carray, pointer
from engine.gallery.rows.chunked_array import ChunkedArray

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.gallery.rows.addresses import Place

_AHEAD_ROWS: Final = 4
"""How many rows ahead memory is prefetched."""

_HAS_HALVES: Final = platform.machine() == "aarch64" or "+f16c" in CPU_FEATURES
"""Whether the CPU widens half precision. Without it, LLVM calls a function that numba does not
provide, and the process ends."""


def _emit_widening(_context: object, _bits: object) -> object:
    """Emit the conversion of 16 bits, a finite half, to float32."""

    def emit(_c: object, builder: Any, _s: object, args: Any) -> object:  # noqa: ANN401 - LLVM
        if _HAS_HALVES:
            return builder.fpext(builder.bitcast(args[0], ir.HalfType()), ir.FloatType())
        return _shifted(builder, args[0])

    return types.float32(types.uint16), emit


def _shifted(builder: Any, bits: Any) -> Any:  # noqa: ANN401 - LLVM
    """Emit the same by shifts: exponents are then 112 too low."""
    word = ir.IntType(32)
    wide = builder.zext(bits, word)
    sign = builder.shl(builder.and_(wide, word(0x8000)), word(16))
    size = builder.shl(builder.and_(wide, word(0x7FFF)), word(13))
    number = builder.bitcast(builder.or_(sign, size), ir.FloatType())
    return builder.fmul(number, ir.FloatType()(2.0**112))


_widened: Any = intrinsic(_emit_widening)


@compiled
def halves_at(  # pragma: no cover - compiled
    vectors: Place, slot: int, dimension: int
) -> NDArray[np.uint16]:
    """Return the bits of a vector, where they lie."""
    where = pointer(address_of(vectors, slot, 2 * dimension))
    found: NDArray[np.uint16] = carray(where, (dimension,), np.uint16)
    return found


@compiled_fastmath
def product(  # pragma: no cover - compiled
    row: NDArray[np.uint16], probe: NDArray[np.float32]
) -> np.float32:
    """Return the inner product of the bits of half-precision numbers and a probe."""
    total = np.float32(0)
    for place in range(len(probe)):
        total += _widened(row[place]) * probe[place]
    return total


@compiled
def products(  # pragma: no cover - compiled
    vectors: Place, slots: NDArray[np.int64], probes: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return the inner products of probes, shape (probes, dimension), and some vectors.

    Returns:
        Shape (probes, slots).
    """
    found = np.empty((len(probes), len(slots)), np.float32)
    dimension = probes.shape[1]
    for number in range(len(slots)):
        if number + _AHEAD_ROWS < len(slots):
            ask_for(vectors, slots[number + _AHEAD_ROWS], 2 * dimension)
        row = halves_at(vectors, slots[number], dimension)
        for which in range(len(probes)):
            found[which, number] = product(row, probes[which])
    return found


def compile_all() -> None:
    """Compile ``products``."""
    slots, probes = np.zeros(1, np.int64), np.zeros((1, 8), np.float32)
    compile_for(products, ChunkedArray((8,), np.float16).place, slots, probes)
