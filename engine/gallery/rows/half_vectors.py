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
from numba.core import cgutils as untyped_cgutils
from numba.extending import intrinsic

from engine.comparison.kernels.build import CPU_FEATURES, compile_for, compiled_fastmath

if TYPE_CHECKING:
    from numpy.typing import NDArray

_cgutils: Any = untyped_cgutils

_AHEAD_ROWS: Final = 4
"""How many rows ahead memory is prefetched."""

_LINE_OCTETS: Final = 64

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


def _emit_asking(_context: object, _address: object) -> object:
    def emit(context: Any, builder: Any, _s: object, args: Any) -> object:  # noqa: ANN401 - LLVM
        octets, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [octets, number, number, number])
        ask = _cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        how = [ir.Constant(number, word) for word in (0, 3, 1)]  # read, keep, data
        builder.call(ask, [builder.inttoptr(args[0], octets), *how])
        return context.get_dummy_value()

    return types.void(types.uint64), emit


ask_for: Any = intrinsic(_emit_asking)


@compiled_fastmath
def products(  # pragma: no cover - compiled
    vectors: NDArray[np.uint16], rows: NDArray[np.int64], probes: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return the inner products of probes and some rows, shape (probes, rows).

    Args:
        vectors: bits of half-precision numbers, shape (any, dimension).
        rows: which of them, shape (rows,).
        probes: shape (probes, dimension).
    """
    found = np.empty((len(probes), len(rows)), np.float32)
    octets, width = vectors.ctypes.data, 2 * vectors.shape[1]
    for number in range(len(rows)):
        if number + _AHEAD_ROWS < len(rows):
            start = octets + rows[number + _AHEAD_ROWS] * width
            for place in range(0, width, _LINE_OCTETS):
                ask_for(np.uint64(start + place))
        row = vectors[rows[number]]
        for which in range(len(probes)):
            probe, total = probes[which], np.float32(0)
            for place in range(len(probe)):
                total += _widened(row[place]) * probe[place]
            found[which, number] = total
    return found


def compile_all() -> None:
    """Compile ``products``."""
    rows, probes = np.zeros(1, np.int64), np.zeros((1, 8), np.float32)
    compile_for(products, np.zeros((1, 8), np.uint16), rows, probes)
