"""The compiled comparison of a probe with coarse codes, to order a short list.

A probe is laid over a row at every shift of up to four cells; each tile may move one more cell.
Cells that the probe does not show count as non-mated ones.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils as untyped_cgutils
from numba.extending import intrinsic

from engine.comparison.kernels.build import compile_for, compiled
from engine.features.code_bytes import rows_of
from engine.gallery.rows.coarse_codes import COARSE_BYTES, TILES, chosen_cells
from engine.parameters import (
    COARSE_MAX_SHIFT,
    CODE_CELLS,
    CODE_NON_MATED_DISTANCE,
    CODE_TILE_CELLS,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_cgutils: Any = untyped_cgutils

_SHIFTS: Final = 2 * COARSE_MAX_SHIFT + 1
_STEP: Final = _SHIFTS + 1
"""From a shift in x to the next: between them lies a gap."""

_LANES: Final = 32
"""Shifts that are compared at once."""

_PLACES: Final = -(-_SHIFTS * _STEP // _LANES) * _LANES
_MARGIN: Final = _LANES
_WIDTH: Final = _PLACES + 2 * _MARGIN
"""Octets of a tile's distances, with gaps before and after."""

_PER_SIDE: Final = CODE_CELLS // CODE_TILE_CELLS
_UNIT: Final = 4
"""Distance of one bit, so that a cell that is not seen has a whole number."""

_GAP: Final = 255
_NO_PLACE: Final = 1 << 14
_ONE: Final = _UNIT * 8 * COARSE_BYTES


class CoarseProbes(NamedTuple):
    """Some probes' codes at every shift, for ``least_distance``."""

    bits: NDArray[np.uint32]
    seen: NDArray[np.uint32]
    hidden: NDArray[np.uint8]
    extra: NDArray[np.uint16]


def coarse_probes(codes: Sequence[NDArray[np.uint8]]) -> CoarseProbes:
    """Lay out codes of shape (512,)."""
    bits, seen, hidden, extra = no_probes(len(codes))
    for number, code in enumerate(codes):
        rows = np.require(rows_of(code), requirements=["C", "W"])
        _write_places(rows, chosen_cells(), _octets(bits[number]), _octets(seen[number]))
    costs = _cost_of_hidden()[np.bitwise_count(seen)]
    hidden[:] = np.where(extra == 0, costs, np.uint8(_GAP))
    return CoarseProbes(bits, seen, hidden, extra)


def no_probes(count: int) -> CoarseProbes:
    """Allocate the layout of so many probes."""
    bits, seen = np.zeros((2, count, TILES, _PLACES), np.uint32)
    return CoarseProbes(bits, seen, np.zeros(bits.shape, np.uint8), _places())


def compile_all() -> None:
    """Compile what ``coarse_probes`` calls."""
    rows, octets = np.zeros((4, CODE_CELLS), np.uint32), _octets(no_probes(1).bits[0])
    compile_for(_write_places, rows, chosen_cells(), octets, octets)


def _octets(words: NDArray[np.uint32]) -> NDArray[np.uint8]:
    return words.view(np.uint8).reshape(*words.shape, 4)


@cache
def _cost_of_hidden() -> NDArray[np.uint8]:
    """Return what a tile's hidden cells cost, by how many of its 32 are seen."""
    hidden = 32 - np.arange(33)
    return np.asarray(np.rint(_UNIT * CODE_NON_MATED_DISTANCE * hidden), np.uint8)


@compiled
def _write_places(  # pragma: no cover - compiled
    rows: NDArray[np.uint32],
    chosen: NDArray[np.uint32],
    bits: NDArray[np.uint8],
    seen: NDArray[np.uint8],
) -> None:
    """Write a probe's chosen bits, and which of them it shows, at every shift.

    ``rows`` has shape (4, 32), the others (tiles, places, 4): octets, two rows each.
    """
    for place in range(_SHIFTS * _SHIFTS):
        x, y = place // _SHIFTS, place % _SHIFTS - COARSE_MAX_SHIFT
        for row in range(max(0, -y), min(CODE_CELLS, CODE_CELLS - y)):
            own, shown = np.uint64(0), np.uint64(0)
            for plane in range(3):
                moved = np.uint64(rows[plane, row + y]) << np.uint64(COARSE_MAX_SHIFT)
                own |= (moved >> np.uint64(x)) & np.uint64(chosen[plane, row])
                shown |= np.uint64(chosen[plane, row])
            moved = np.uint64(rows[3, row + y]) << np.uint64(COARSE_MAX_SHIFT)
            shown &= moved >> np.uint64(x)
            for column in range(_PER_SIDE):
                tile = row // CODE_TILE_CELLS * _PER_SIDE + column
                octet = row % CODE_TILE_CELLS // 2
                at = x * _STEP + place % _SHIFTS
                bits[tile, at, octet] |= (own >> np.uint64(8 * column)) & np.uint64(255)
                seen[tile, at, octet] |= (shown >> np.uint64(8 * column)) & np.uint64(255)


@cache
def _places() -> NDArray[np.uint16]:
    """Return what is added to the distance at each place: 0, or more than any in gaps."""
    here = np.arange(_PLACES)
    is_place = (here < _SHIFTS * _STEP) & (here % _STEP < _SHIFTS)
    return np.where(is_place, 0, _NO_PLACE).astype(np.uint16)


class _Emitter:
    """Emits the distances of one row: ``_LANES`` places at once, tile by tile."""

    def __init__(self, builder: Any) -> None:  # noqa: ANN401 - LLVM
        self._b, self._size = builder, ir.IntType(64)
        self._octets, self._shorts, self._words = (
            ir.VectorType(ir.IntType(bits), _LANES) for bits in (8, 16, 32)
        )

    def write_costs(self, row: Any, probe: list[Any], costs: Any) -> None:  # noqa: ANN401 - LLVM
        """Write each tile's distance at each place, in octets."""
        b = self._b
        bits, seen, hidden = probe
        counting = ir.FunctionType(self._words, [self._words])
        name = f"llvm.ctpop.v{_LANES}i32"
        count = _cgutils.get_or_insert_function(b.module, counting, name)
        shift = ir.Constant(self._octets, [_UNIT.bit_length() - 1] * _LANES)
        with _cgutils.for_range(b, self._size(TILES), intp=self._size) as loop:
            own = self._repeated(b.load(self._at(row, loop.index, 4, ir.IntType(32)), align=4))
            start = b.mul(loop.index, self._size(_PLACES))
            target = b.add(b.mul(loop.index, self._size(_WIDTH)), self._size(_MARGIN))
            for first in range(0, _PLACES, _LANES):
                at = b.add(start, self._size(first))
                fixed = b.load(self._at(bits, at, 4, self._words), align=4)
                mask = b.load(self._at(seen, at, 4, self._words), align=4)
                differing = b.call(count, [b.and_(b.xor(own, fixed), mask)])
                more = b.load(self._at(hidden, at, 1, self._octets), align=1)
                cost = b.add(b.shl(b.trunc(differing, self._octets), shift), more)
                place = b.add(target, self._size(first))
                b.store(cost, self._at(costs, place, 1, self._octets), align=1)

    def write_least(self, source: Any, target: Any) -> None:  # noqa: ANN401 - LLVM
        """Write the least of each place and both its neighbours in y."""
        b = self._b
        with _cgutils.for_range(b, self._size(TILES), intp=self._size) as loop:
            start = b.add(b.mul(loop.index, self._size(_WIDTH)), self._size(_MARGIN))
            for first in range(0, _PLACES, _LANES):
                at = b.add(start, self._size(first))
                least = self._least_near(source, at, 1)
                b.store(least, self._at(target, at, 1, self._octets), align=1)

    def least_sum(self, source: Any, extra: Any) -> Any:  # noqa: ANN401 - LLVM
        """Emit the least sum of all tiles, each at the best of its neighbours in x."""
        b = self._b
        parts = range(0, _PLACES, _LANES)
        sums = [
            _cgutils.alloca_once_value(
                b, b.load(self._at(extra, self._size(first), 2, self._shorts), align=2)
            )
            for first in parts
        ]
        with _cgutils.for_range(b, self._size(TILES), intp=self._size) as loop:
            start = b.add(b.mul(loop.index, self._size(_WIDTH)), self._size(_MARGIN))
            for first, total in zip(parts, sums, strict=True):
                least = self._least_near(source, b.add(start, self._size(first)), _STEP)
                b.store(b.add(b.load(total), b.zext(least, self._shorts)), total)
        best = b.load(sums[0])
        for total in sums[1:]:
            best = self._less(best, b.load(total))
        reducing = ir.FunctionType(ir.IntType(16), [self._shorts])
        name = f"llvm.vector.reduce.umin.v{_LANES}i16"
        return b.call(_cgutils.get_or_insert_function(b.module, reducing, name), [best])

    def _least_near(self, source: Any, at: Any, step: int) -> Any:  # noqa: ANN401 - LLVM
        b = self._b
        places = [at, b.add(at, self._size(step)), b.sub(at, self._size(step))]
        near = [b.load(self._at(source, place, 1, self._octets), align=1) for place in places]
        return self._less(self._less(near[0], near[1]), near[2])

    def _less(self, one: Any, other: Any) -> Any:  # noqa: ANN401 - LLVM
        return self._b.select(self._b.icmp_unsigned("<", one, other), one, other)

    def _repeated(self, word: Any) -> Any:  # noqa: ANN401 - LLVM
        b = self._b
        one = b.insert_element(ir.Constant(self._words, None), word, ir.IntType(32)(0))
        return b.shuffle_vector(one, one, ir.Constant(self._words, None))

    def _at(self, base: Any, index: Any, size: int, kind: Any) -> Any:  # noqa: ANN401 - LLVM
        where = self._b.add(base, self._b.mul(index, self._size(size)))
        return self._b.inttoptr(where, kind.as_pointer())


def _emit_row(
    _context: object, _row: object, _bits: object, _seen: object, _hidden: object,
    _extra: object, _costs: object, _near: object,
) -> object:  # fmt: skip
    """Emit the least distance of one row."""

    def emit(_c: object, builder: Any, _s: object, args: Any) -> object:  # noqa: ANN401 - LLVM
        row, *probe, extra, costs, near = args
        emitter = _Emitter(builder)
        emitter.write_costs(row, probe, costs)
        emitter.write_least(costs, near)
        return emitter.least_sum(near, extra)

    word = types.uint64
    return types.uint16(word, word, word, word, word, word, word), emit


_least_of: Any = intrinsic(_emit_row)


@compiled
def new_work() -> NDArray[np.uint8]:  # pragma: no cover - compiled
    """Allocate what ``least_distance`` writes into."""
    return np.full((2, TILES * _WIDTH), _GAP, np.uint8)


@compiled
def least_distance(  # pragma: no cover - compiled
    row: int,
    bits: NDArray[np.uint32],
    seen: NDArray[np.uint32],
    hidden: NDArray[np.uint8],
    extra: NDArray[np.uint16],
    work: NDArray[np.uint8],
) -> np.float32:
    """Return the least share of differing bits of a probe and the coarse code at an address.

    ``extra`` is of ``CoarseProbes``, ``work`` of ``new_work``.
    """
    probe = np.uint64(bits.ctypes.data), np.uint64(seen.ctypes.data)
    more = np.uint64(hidden.ctypes.data), np.uint64(extra.ctypes.data)
    costs, near = np.uint64(work[0].ctypes.data), np.uint64(work[1].ctypes.data)
    least = _least_of(np.uint64(row), probe[0], probe[1], more[0], more[1], costs, near)
    return np.float32(least) / np.float32(_ONE)
