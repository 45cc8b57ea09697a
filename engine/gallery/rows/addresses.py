"""Rows of a ``ChunkedArray`` for compiled code, by their addresses in memory.

One call reads rows of all chunks: a call for each would wait for the interpreter's lock again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils as untyped_cgutils
from numba.extending import intrinsic
from numba.np.numpy_support import carray as untyped_carray

from engine.comparison.kernels.build import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Place = tuple[NDArray[np.int64], int]
    """As ``ChunkedArray.place``."""

_cgutils: Any = untyped_cgutils
carray: Any = untyped_carray

_LINE_OCTETS: Final = 64


def _emit_pointer(_context: object, _address: object) -> object:
    def emit(_c: object, builder: Any, _s: object, args: Any) -> object:  # noqa: ANN401 - LLVM
        return builder.inttoptr(args[0], ir.IntType(8).as_pointer())

    return types.voidptr(types.uint64), emit


pointer: Any = intrinsic(_emit_pointer)
"""Returns what numba's ``carray`` takes."""


def _emit_asking(_context: object, _address: object) -> object:
    def emit(context: Any, builder: Any, _s: object, args: Any) -> object:  # noqa: ANN401 - LLVM
        octets, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [octets, number, number, number])
        ask = _cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        how = [ir.Constant(number, word) for word in (0, 3, 1)]  # read, keep, data
        builder.call(ask, [builder.inttoptr(args[0], octets), *how])
        return context.get_dummy_value()

    return types.void(types.uint64), emit


_ask_for: Any = intrinsic(_emit_asking)


@compiled
def address_of(place: Place, slot: int, octets: int) -> int:  # pragma: no cover - compiled
    """Return the address of a row of so many octets."""
    chunks, bits = place
    return np.uint64(chunks[slot >> bits] + (slot & ((1 << bits) - 1)) * octets)  # type: ignore[return-value]


@compiled
def ask_for(place: Place, slot: int, octets: int) -> None:  # pragma: no cover - compiled
    """Prefetch a row."""
    start = address_of(place, slot, octets)
    for at in range(0, octets, _LINE_OCTETS):
        _ask_for(np.uint64(start + np.uint64(at)))
