"""Compiles functions with numba and caches the machine code.

numba's cache only notices changes of a module's own file, so numbers and functions that it
imports are added to the cache's stamp.
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
    """Return the instructions for which numba compiles."""
    asked: str | None = _config.CPU_FEATURES
    said: str = _codegen.get_host_cpu_features() if asked is None else asked
    return frozenset(said.split(","))


CPU_FEATURES: Final = _cpu_features()
"""May be fewer than the machine's (``NUMBA_CPU_NAME``, virtual machines)."""


def compiled(function: _Function) -> _Function:
    """Compile a function; cached on disk where possible."""
    return _compile(function, fastmath=False)


def compiled_fastmath(function: _Function) -> _Function:
    """Compile a function whose sums may be reordered."""
    return _compile(function, fastmath=True)


def _compile(function: _Function, *, fastmath: bool) -> _Function:
    try:
        dispatcher: Any = njit(nogil=True, cache=True, fastmath=fastmath)(function)
    except RuntimeError:
        return cast("_Function", njit(nogil=True, fastmath=fastmath)(function))
    # Not part of numba's API; a test fails if it changes.
    file = dispatcher._cache._cache_file
    stamps = (file._source_stamp, _constants_of(function), _callee_stamps(function))
    file._source_stamp = stamps
    return cast("_Function", dispatcher)


def _constants_of(function: Callable[..., Any]) -> list[tuple[str, float]]:
    known = function.__globals__.items()
    return sorted((name, value) for name, value in known if isinstance(value, _NUMBERS))


def _callee_stamps(function: Callable[..., Any]) -> list[tuple[str, object]]:
    known = function.__globals__.items()
    caches = [(name, getattr(value, "_cache", None)) for name, value in known]
    files = [(name, getattr(cache, "_cache_file", None)) for name, cache in caches]
    return sorted((name, file._source_stamp) for name, file in files if file is not None)
