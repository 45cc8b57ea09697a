"""Compiles functions with numba, for the machine code that ``machine_code`` keeps.

Code is made for one of a few kinds of CPUs instead of one machine, so that an image that is
built here runs anywhere.
"""

from __future__ import annotations

import platform
from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeVar

from llvmlite import __version__ as llvmlite_version
from numba import __version__ as numba_version
from numba import njit
from numba import typeof as untyped_typeof
from numba.core import codegen as untyped_codegen
from numba.core import config as untyped_config
from numba.core import serialize as untyped_serialize
from numba.core.caching import NullCache as UntypedNullCache
from numba.core.compiler import CompileResult as UntypedCompileResult

from engine.comparison.kernels.machine_code import KernelStore, stamp_of

_Function = TypeVar("_Function", bound="Callable[..., Any]")

_codegen: Any = untyped_codegen
_config: Any = untyped_config
_serialize: Any = untyped_serialize
_NullCache: Any = UntypedNullCache
_CompileResult: Any = UntypedCompileResult
_typeof: Any = untyped_typeof

_AVX2: Final = (
    "+avx,+avx2,+bmi,+bmi2,+cx16,+f16c,+fma,+lzcnt,+movbe,+popcnt,+sahf,+sse3,+sse4.1,+sse4.2,"
    "+ssse3,+xsave"
)
_AVX512: Final = _AVX2 + ",+avx512bw,+avx512cd,+avx512dq,+avx512f,+avx512vl"


class Cpu(NamedTuple):
    """A kind of CPU that code is compiled for: LLVM's name, and what it has to have."""

    name: str
    features: str


CPUS: Final = (
    Cpu("x86-64-v4", _AVX512 + ",+avx512vpopcntdq"),
    Cpu("x86-64-v4", _AVX512),
    Cpu("x86-64-v3", _AVX2),
    Cpu("x86-64", "+sse2"),
)
"""A machine uses the first that it can run. Counting bits at once makes a comparison a tenth
faster, AVX-512 a third; code for the very machine was not faster still."""


def _choose_cpu() -> frozenset[str]:
    """Tell numba the CPU, unless its variables do; return the instructions it may use."""
    has = _listed(_codegen.get_host_cpu_features())
    if _config.CPU_NAME is None and platform.machine() == "x86_64":
        cpu = next(each for each in CPUS if _listed(each.features) <= has)
        _config.CPU_NAME, _config.CPU_FEATURES = cpu
    asked: str | None = _config.CPU_FEATURES
    return has if asked is None else _listed(asked)


def _listed(features: str) -> frozenset[str]:
    return frozenset(features.split(","))


CPU_FEATURES: Final = _choose_cpu()
"""Instructions for which numba compiles."""

store: Final = KernelStore(
    stamp_of(
        numba_version,
        llvmlite_version,
        platform.python_version(),
        platform.machine(),
        _config.CPU_NAME or _codegen.ll.get_host_cpu_name(),
        *sorted(CPU_FEATURES),
    )
)
"""The machine code for this CPU, this numba and these sources."""


class _Kept(_NullCache):  # type: ignore[misc]
    """Has numba read and write ``store``. Not part of numba's API; tests notice a change."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._name = f"{function.__module__}.{function.__qualname__}"

    def load_overload(self, signature: object, target: Any) -> object:  # noqa: ANN401 - numba
        target.refresh()
        found = store.find(self._name, str(signature))
        if found is None:
            return None
        return _CompileResult._rebuild(target, *_serialize.loads(found))

    def save_overload(self, signature: object, result: Any) -> None:  # noqa: ANN401 - numba
        store.add(self._name, str(signature), lambda: _serialize.dumps(result._reduce()))


def compiled(function: _Function) -> _Function:
    """Compile a function of a module that ``machine_code`` knows."""
    return _compile(function, fastmath=False)


def compiled_fastmath(function: _Function) -> _Function:
    """Compile a function whose sums may be reordered."""
    return _compile(function, fastmath=True)


def compile_for(function: Callable[..., object], *arguments: object) -> None:
    """Compile for arguments like these, without a call: this machine may not have the CPU."""
    dispatcher: Any = function
    dispatcher.compile(tuple(_typeof(each) for each in arguments))


def _compile(function: _Function, *, fastmath: bool) -> _Function:
    dispatcher: Any = njit(nogil=True, fastmath=fastmath)(function)
    dispatcher._cache = _Kept(function)
    made: _Function = dispatcher
    return made
