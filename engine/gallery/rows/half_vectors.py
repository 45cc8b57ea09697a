"""Inner products with vectors in half precision that lie here and there, compiled.

A short list is some hundred rows of a matrix of gigabytes: what counts is to touch each row
once, to ask for it before it is needed, and to write no copy of it. The interpreter's lock is
free meanwhile.
"""

from __future__ import annotations

import platform
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils as untyped_cgutils
from numba.extending import intrinsic

from engine.comparison.kernels.build import CPU_FEATURES, compiled_fastmath

if TYPE_CHECKING:
    from numpy.typing import NDArray

_cgutils: Any = untyped_cgutils

_AHEAD_ROWS: Final = 4
"""So many rows before it is read, a row is asked for."""

_LINE_OCTETS: Final = 64

_HAS_HALVES: Final = platform.machine() == "aarch64" or "+f16c" in CPU_FEATURES
"""Whether there is an instruction that widens; where there is none, LLVM calls a function that
numba does not bring, and the process ends."""


def _emit_widening(_context: object, _bits: object) -> object:
    """Emit what reads 16 bits as a finite number in half precision and widens it."""

    def emit(_c: object, builder: Any, _s: object, args: Any) -> object:  # noqa: ANN401 - LLVM
        if _HAS_HALVES:
            return builder.fpext(builder.bitcast(args[0], ir.HalfType()), ir.FloatType())
        return _shifted(builder, args[0])

    return types.float32(types.uint16), emit


def _shifted(builder: Any, bits: Any) -> Any:  # noqa: ANN401 - LLVM
    """Emit the same by shifts: exponents then stand 112 too low."""
    word = ir.IntType(32)
    wide = builder.zext(bits, word)
    sign = builder.shl(builder.and_(wide, word(0x8000)), word(16))
    size = builder.shl(builder.and_(wide, word(0x7FFF)), word(13))
    number = builder.bitcast(builder.or_(sign, size), ir.FloatType())
    return builder.fmul(number, ir.FloatType()(2.0**112))


_widened: Any = intrinsic(_emit_widening)


def _emit_asking(_context: object, _address: object) -> object:
    """Emit what asks for memory that is read soon; an address of nobody does no harm."""

    def emit(context: Any, builder: Any, _s: object, args: Any) -> object:  # noqa: ANN401 - LLVM
        octets, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [octets, number, number, number])
        ask = _cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        how = [ir.Constant(number, word) for word in (0, 3, 1)]  # read, keep, data
        builder.call(ask, [builder.inttoptr(args[0], octets), *how])
        return context.get_dummy_value()

    return types.void(types.uint64), emit


_ask_for: Any = intrinsic(_emit_asking)


@compiled_fastmath
def products(  # pragma: no cover - compiled
    vectors: NDArray[np.uint16], rows: NDArray[np.int64], probes: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return the inner products of probes and some rows.

    Args:
        vectors: bits of numbers in half precision, shape (any, dimension).
        rows: which of them, shape (rows,).
        probes: shape (probes, dimension).

    Returns:
        Shape (probes, rows).
    """
    found = np.empty((len(probes), len(rows)), np.float32)
    octets, width = vectors.ctypes.data, 2 * vectors.shape[1]
    for number in range(len(rows)):
        if number + _AHEAD_ROWS < len(rows):
            start = octets + rows[number + _AHEAD_ROWS] * width
            for place in range(0, width, _LINE_OCTETS):
                _ask_for(np.uint64(start + place))
        row = vectors[rows[number]]
        for which in range(len(probes)):
            probe, total = probes[which], np.float32(0)
            for place in range(len(probe)):
                total += _widened(row[place]) * probe[place]
            found[which, number] = total
    return found
