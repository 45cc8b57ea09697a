"""The compiled scan of packed rows: table look-ups of 32 rows added up at once.

FAISS's own kernel (same layout, see ``pq_layout``) leaves prefetching to the CPU, which stops
at every page. This one prefetches some kilobytes ahead and keeps one list over all segments, so
a longer list costs almost nothing. Releases the GIL.

A row's estimate is a sum of small numbers from the probe's table, scaled to 0 to 127. Needs
x86-64 with AVX2 or AVX-512; elsewhere FAISS scans.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils as untyped_cgutils
from numba.extending import intrinsic

from engine.comparison.kernels.build import CPU_FEATURES, compile_for, compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

_cgutils: Any = untyped_cgutils

BLOCK_ROWS: Final = 32
_LANE: Final = 16
"""Octets of one table, and rows whose numbers are in one half of an octet."""
_LANE_WORDS: Final = _LANE // 2
"""Numbers of 16 bits in a lane."""

_AHEAD_OCTETS: Final = 16384
"""Prefetch distance, into the second cache; 8 to 32 kB were equally good. Prefetching into the
first makes a scan larger than the caches a tenth slower."""

_UNROLLED: Final = 4
_MOST: Final = 127
"""Largest number in a probe's table: two fit one octet. Rounding moves an estimate by 0.003, a
tenth of what packing does."""

_LEAST_SPREAD: Final = float(np.finfo(np.float32).eps)
_LISTS: Final = 4
"""Rows are collected up to this multiple of the wanted count, then the best are kept."""

_INSTRUCTIONS: Final = {64: "llvm.x86.avx512.pshuf.b.512", 32: "llvm.x86.avx2.pshuf.b"}
_FEATURES: Final = {64: "avx512bw", 32: "avx2"}


WIDTH: Final = next(
    (width for width, name in _FEATURES.items() if f"+{name}" in CPU_FEATURES), 0
)
"""Octets looked up at once by compiled code; 0: unavailable."""


def can_scan(parts: int) -> bool:
    """Return whether this machine can scan rows of so many parts."""
    return WIDTH > 0 and _LANE * parts % WIDTH == 0


class _Emitter:
    """Emits the sums of one block: vectors of ``WIDTH`` octets, or half as many words."""

    def __init__(self, builder: Any) -> None:  # noqa: ANN401 - LLVM
        self._b = builder
        self._octet, self._size = ir.IntType(8), ir.IntType(64)
        self._octets = ir.VectorType(self._octet, WIDTH)
        self._words = ir.VectorType(ir.IntType(16), WIDTH // 2)
        self._places = ir.VectorType(ir.IntType(32), WIDTH // 2)
        module = builder.module
        shuffle = ir.FunctionType(self._octets, [self._octets, self._octets])
        self._look_up = _cgutils.get_or_insert_function(module, shuffle, _INSTRUCTIONS[WIDTH])
        number = ir.IntType(32)
        ask = ir.FunctionType(ir.VoidType(), [self._octet.as_pointer(), *3 * [number]])
        self._ask = _cgutils.get_or_insert_function(module, ask, "llvm.prefetch.p0")
        self._how = [ir.Constant(number, word) for word in (0, 2, 1)]  # read, second, data
        nothing = ir.Constant(self._words, None)
        self._sums = [_cgutils.alloca_once_value(builder, nothing) for _ in range(4)]

    def sums(self, block: Any, table: Any, steps: Any) -> list[Any]:  # noqa: ANN401 - LLVM
        """Emit the loop; returns vectors of words, the sums of 32 rows in order."""
        b, unrolled = self._b, ir.Constant(self._size, _UNROLLED)
        codes = b.inttoptr(block, self._octets.as_pointer())
        tables = b.inttoptr(table, self._octets.as_pointer())
        with _cgutils.for_range(b, b.udiv(steps, unrolled), intp=self._size) as loop:
            first = b.mul(loop.index, unrolled)
            for place in range(0, _UNROLLED, 2):
                pair = [b.add(first, ir.Constant(self._size, place + n)) for n in (0, 1)]
                found = [self._looked_up(codes, tables, index) for index in pair]
                for half in (0, 1):  # two octets below 128 fit one
                    self._widen(half, b.add(found[0][half], found[1][half]))
        done = b.mul(b.udiv(steps, unrolled), unrolled)
        with _cgutils.for_range(b, b.sub(steps, done), intp=self._size) as loop:
            for half, octets in enumerate(
                self._looked_up(codes, tables, b.add(done, loop.index))
            ):
                self._widen(half, octets)
        return self._folded([part for half in (0, 2) for part in self._split(half)])

    def _looked_up(self, codes: Any, tables: Any, index: Any) -> list[Any]:  # noqa: ANN401 - LLVM
        """Look up one vector of codes: lower and upper halves of its octets."""
        b = self._b
        ahead = b.add(index, ir.Constant(self._size, _AHEAD_OCTETS // WIDTH))
        b.call(
            self._ask, [b.bitcast(b.gep(codes, [ahead]), self._octet.as_pointer()), *self._how]
        )
        code = b.load(b.gep(codes, [index]), align=1)
        table = b.load(b.gep(tables, [index]), align=1)
        nibble = ir.Constant(self._octets, [15] * WIDTH)
        upper = b.bitcast(b.lshr(b.bitcast(code, self._words), self._shift(4)), self._octets)
        return [b.call(self._look_up, [table, b.and_(part, nibble)]) for part in (code, upper)]

    def _widen(self, half: int, octets: Any) -> None:  # noqa: ANN401 - LLVM
        words = self._b.bitcast(octets, self._words)
        self._add(2 * half, words)
        self._add(2 * half + 1, self._b.lshr(words, self._shift(8)))

    def _add(self, which: int, words: Any) -> None:  # noqa: ANN401 - LLVM
        place = self._sums[which]
        self._b.store(self._b.add(self._b.load(place), words), place)

    def _shift(self, count: int) -> Any:  # noqa: ANN401 - LLVM
        return ir.Constant(self._words, [count] * (WIDTH // 2))

    def _split(self, half: int) -> tuple[Any, Any]:
        """Return the sums of lower and of upper octets."""
        b = self._b
        both, upper = (b.load(place) for place in self._sums[half : half + 2])
        return b.sub(both, b.shl(upper, self._shift(8))), upper

    def _folded(self, parts: list[Any]) -> list[Any]:
        """Add the lanes of each vector, of eight words, all at once: two vectors become one."""
        lanes = WIDTH // _LANE
        while lanes > 1:
            pairs = zip(parts[::2], parts[1::2], strict=True)
            parts = [self._folded_pair(one, other, lanes) for one, other in pairs]
            lanes //= 2
        return parts

    def _folded_pair(self, one: Any, other: Any, lanes: int) -> Any:  # noqa: ANN401 - LLVM
        words = np.arange(WIDTH).reshape(-1, 2, lanes // 2 * _LANE_WORDS)
        low, high = (
            self._b.shuffle_vector(
                one, other, ir.Constant(self._places, words[:, half].ravel().tolist())
            )
            for half in (0, 1)
        )
        return self._b.add(low, high)

    def reaches(self, sums: list[Any], floor: Any) -> Any:  # noqa: ANN401 - LLVM
        """Emit whether one of the sums is at least the floor."""
        b = self._b
        one = b.insert_element(ir.Constant(self._words, None), floor, ir.IntType(32)(0))
        floors = b.shuffle_vector(one, one, ir.Constant(self._places, None))
        found = [b.icmp_unsigned(">=", each, floors) for each in sums]
        bits = b.bitcast(functools.reduce(b.or_, found), ir.IntType(WIDTH // 2))
        return b.icmp_unsigned("!=", bits, bits.type(0))


def _emit_block(
    _context: object, _block: object, _table: object, _steps: object, _floor: object,
    _where: object,
) -> object:  # fmt: skip
    """Emit the sums of one block, and whether one of them reaches the floor."""

    def emit(_c: object, builder: Any, _s: object, args: Any) -> object:  # noqa: ANN401 - LLVM
        block, table, steps, floor, where = args
        emitter = _Emitter(builder)
        sums = emitter.sums(block, table, steps)
        places = builder.inttoptr(where, sums[0].type.as_pointer())
        for number, each in enumerate(sums):
            builder.store(each, builder.gep(places, [ir.IntType(64)(number)]), align=1)
        return emitter.reaches(sums, floor)

    word = types.uint64
    return types.boolean(word, word, types.int64, types.uint16, word), emit


_add_up: Any = intrinsic(_emit_block)


@compiled
def _kept(sums: NDArray[np.uint16], rows: NDArray[np.int64], held: int, count: int) -> int:
    """Keep the best ``count`` in place; return the least of their sums."""
    least = np.partition(sums[:held], held - count)[held - count]
    ties = count - np.sum(sums[:held] > least)
    kept = 0
    for place in range(held):
        is_tie = sums[place] == least and ties > 0
        if sums[place] > least or is_tie:
            ties -= is_tie
            sums[kept], rows[kept] = sums[place], rows[place]
            kept += 1
    return int(least)


@compiled
def _scan(  # pragma: no cover - compiled
    pieces: NDArray[np.int64],
    table: NDArray[np.uint8],
    sums: NDArray[np.uint16],
    rows: NDArray[np.int64],
    state: NDArray[np.int64],
    wanted: int,
) -> None:
    held, floor = state[0], state[1]
    found = np.empty(BLOCK_ROWS, np.uint16)
    looked_up, where = np.uint64(table.ctypes.data), np.uint64(found.ctypes.data)
    for address, count, first in pieces:
        for start in range(0, count, BLOCK_ROWS):
            block = np.uint64(address + start // BLOCK_ROWS * table.size)
            if not _add_up(block, looked_up, table.size // WIDTH, np.uint16(floor), where):
                continue
            for lane in range(min(BLOCK_ROWS, count - start)):
                if found[lane] >= floor:
                    sums[held], rows[held] = found[lane], first + start + lane
                    held += 1
                    if held == len(sums):
                        floor, held = _kept(sums, rows, held, wanted) + 1, wanted
    state[0], state[1] = held, floor


class Nearest:
    """The nearest rows of one probe, over all segments scanned for it.

    Args:
        looked_up: inner products of the probe's parts and the points, shape (parts, 16).
        count: how many rows are wanted, at least 1.
    """

    def __init__(self, looked_up: NDArray[np.float32], count: int) -> None:
        low = looked_up.min(axis=1, keepdims=True)
        above = looked_up - low
        self._scale = _MOST / max(float(above.max()), _LEAST_SPREAD)
        self._offset = float(low.sum())
        self._table = np.rint(above * self._scale).astype(np.uint8)
        self._count = count
        self._sums = np.empty(_LISTS * count + BLOCK_ROWS, np.uint16)
        self._rows = np.empty(len(self._sums), np.int64)
        self._state = np.zeros(2, np.int64)

    def scan(self, pieces: NDArray[np.int64]) -> None:
        """Scan pieces, shape (pieces, 3): address of the blocks, rows, number of the first."""
        _scan(pieces, self._table, self._sums, self._rows, self._state, self._count)

    def best(self) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Return estimates of the inner product, and rows: ``count`` or all, in any order."""
        held = int(self._state[0])
        if held > self._count:
            _kept(self._sums, self._rows, held, self._count)
            held = self._count
        estimates = self._sums[:held] / np.float32(self._scale) + np.float32(self._offset)
        return estimates.astype(np.float32), self._rows[:held]

    def compile(self, pieces: NDArray[np.int64]) -> None:
        """Compile what ``scan`` and ``best`` call."""
        compile_for(_kept, self._sums, self._rows, 1, 1)
        compile_for(_scan, pieces, self._table, self._sums, self._rows, self._state, 1)


def prepare() -> None:
    """Load or compile the kernel before the first search: up to some seconds."""
    if WIDTH:
        nearest, pieces = _smallest()
        nearest.scan(pieces)
        nearest.best()


def compile_all() -> None:
    """Compile the kernel if the CPU has the instructions."""
    if WIDTH:
        nearest, pieces = _smallest()
        nearest.compile(pieces)


def _smallest() -> tuple[Nearest, NDArray[np.int64]]:
    looked_up = np.zeros((WIDTH // _LANE, _LANE), np.float32)
    return Nearest(looked_up, 1), np.zeros((0, 3), np.int64)
