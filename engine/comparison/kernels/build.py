"""Loops that are compiled by numba, and kept for the next process as long as they hold.

numba keeps machine code beside a module, or in the user's cache folder, and makes it anew when
the module's file changes. But the numbers that a module has from ``engine.parameters`` are in
the machine code, too, and so are the functions it calls from other modules: they are part of
what it is kept by.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from numba import njit
from numba.core import codegen as untyped_codegen
from numba.core import config as untyped_config

if TYPE_CHECKING:
    from collections.abc import Callable

_Function = TypeVar("_Function", bound="Callable[..., Any]")

_codegen: Any = untyped_codegen
_config: Any = untyped_config

_NUMBERS: Final = (int, float)


def _cpu_features() -> frozenset[str]:
    """Return the instructions that numba compiles for: those it may use have a plus."""
    asked: str | None = _config.CPU_FEATURES
    said: str = _codegen.get_host_cpu_features() if asked is None else asked
    return frozenset(said.split(","))


CPU_FEATURES: Final = _cpu_features()
"""With ``NUMBA_CPU_NAME`` or ``NUMBA_ENABLE_AVX``, or on a virtual machine that numba
distrusts, less than the machine has. What is asked for and not there ends the process."""


def compiled(function: _Function) -> _Function:
    """Compile a function; kept for the next process where there is a place to keep it."""
    return _compile(function, fastmath=False)


def compiled_fastmath(function: _Function) -> _Function:
    """Compile a function likewise; its sums may be taken in any order."""
    return _compile(function, fastmath=True)


def _compile(function: _Function, *, fastmath: bool) -> _Function:
    try:
        dispatcher: Any = njit(nogil=True, cache=True, fastmath=fastmath)(function)
    except RuntimeError:
        return cast("_Function", njit(nogil=True, fastmath=fastmath)(function))
    # numba has no door to this; if it moves, a test says so.
    file = dispatcher._cache._cache_file
    stamps = (file._source_stamp, _constants_of(function), _callee_stamps(function))
    file._source_stamp = stamps
    return cast("_Function", dispatcher)


def _constants_of(function: Callable[..., Any]) -> list[tuple[str, float]]:
    """Return the numbers that a function's module has, by name."""
    known = function.__globals__.items()
    return sorted((name, value) for name, value in known if isinstance(value, _NUMBERS))


def _callee_stamps(function: Callable[..., Any]) -> list[tuple[str, object]]:
    """Return what the compiled functions that its module has are kept by, by name."""
    known = function.__globals__.items()
    caches = [(name, getattr(value, "_cache", None)) for name, value in known]
    files = [(name, getattr(cache, "_cache_file", None)) for name, cache in caches]
    return sorted((name, file._source_stamp) for name, file in files if file is not None)
