"""Compiles functions with numba, and decides where numba's cache of them lies.

It lies in the program's own folder, or under ``NUMBA_CACHE_DIR``: who may write there may
change the program. Code is made for one of a few kinds of CPUs instead of one machine, so that
an image that is built here runs anywhere.
"""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

from llvmlite import __version__ as llvmlite_version
from llvmlite import binding as untyped_binding
from numba import __version__ as numba_version
from numba import config as untyped_config
from numba import njit

_Function = TypeVar("_Function", bound="Callable[..., Any]")

_binding: Any = untyped_binding
_config: Any = untyped_config

_HERE: Final = Path(__file__).parent

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


def _choose_cpu() -> str:
    """Give numba the CPU, unless its variables do; return what code is compiled for."""
    if _config.CPU_NAME is None and platform.machine() == "x86_64":
        has = {name for name, there in _binding.get_host_cpu_features().items() if there}
        _config.CPU_NAME, _config.CPU_FEATURES = next(
            each for each in CPUS if set(each.features.replace("+", "").split(",")) <= has
        )
    return f"{_config.CPU_NAME or _binding.get_host_cpu_name()} {_config.CPU_FEATURES}"


def _stamp() -> str:
    """Return a name of all that decides the machine code; numba watches one source only."""
    sources = [_HERE.parents[1] / "parameters.py", *sorted(_HERE.glob("*.py"))]
    digests = [hashlib.sha256(each.read_bytes()).hexdigest() for each in sources]
    versions = numba_version, llvmlite_version, platform.python_version(), platform.machine()
    return hashlib.sha256("\n".join([*digests, *versions, _choose_cpu()]).encode()).hexdigest()


ROOT: Final = Path(_config.CACHE_DIR or _HERE) / "machine_code"
"""Removed as a whole before all is compiled again."""

FOLDER: Final = ROOT / _stamp()[:20]
"""Of the machine code for these sources, this numba and this CPU."""

_MARK: Final = FOLDER / "complete"


class KernelLocator:
    """Has numba keep the code in ``FOLDER``, also where that can only be read.

    numba's own locators pass over a folder that cannot be written. They are no public classes,
    so this has their methods only; numba takes it from ``NUMBA_CACHE_LOCATOR_CLASSES``.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    @classmethod
    def from_function(cls, function: Callable[..., Any], _file: str) -> KernelLocator:
        """Return the locator of a function."""
        return cls(function)

    def ensure_cache_path(self) -> None:
        """Make the folder; numba calls this before it writes."""
        FOLDER.mkdir(parents=True, exist_ok=True)

    def get_cache_path(self) -> str:
        """Return the folder."""
        return str(FOLDER)

    def get_source_stamp(self) -> str:
        """Return the stamp of the sources: the name of the folder."""
        return FOLDER.name

    def get_disambiguator(self) -> str:
        """Return a text that differs between two functions of one name."""
        return self._function.__module__


def compiled(function: _Function) -> _Function:
    """Compile a function when it is first called, or read what was compiled."""
    return _compile(function, fastmath=False)


def compiled_fastmath(function: _Function) -> _Function:
    """Compile a function whose sums may be reordered."""
    return _compile(function, fastmath=True)


def is_complete() -> bool:
    """Return whether all is compiled for this machine."""
    return _MARK.exists()


def can_keep() -> bool:
    """Return whether this process may write the code, where it is or will be."""
    place = next(each for each in (FOLDER, *FOLDER.parents) if each.exists())
    return place.is_dir() and os.access(place, os.W_OK)


def mark_complete() -> None:
    """Record that all is compiled, where that can be written."""
    if FOLDER.is_dir() and os.access(FOLDER, os.W_OK):
        _MARK.touch()


def _compile(function: _Function, *, fastmath: bool) -> _Function:
    is_kept, before = is_complete() or can_keep(), _config.CACHE_LOCATOR_CLASSES
    _config.CACHE_LOCATOR_CLASSES = f"{__name__}.{KernelLocator.__name__}"
    try:
        made: Any = njit(nogil=True, fastmath=fastmath, cache=is_kept)(function)
    finally:
        _config.CACHE_LOCATOR_CLASSES = before
    dispatcher: _Function = made
    return dispatcher
