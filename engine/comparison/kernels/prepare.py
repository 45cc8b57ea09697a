"""Compiles all kernels ahead of time, or loads what was compiled."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from logging import getLogger
from pathlib import Path
from typing import Any, Final

from numba import typeof as untyped_typeof

from engine.comparison.kernels import blocks, coarse, half_vectors, tiles
from engine.comparison.kernels.compiling import (
    CPUS,
    ROOT,
    Cpu,
    can_keep,
    is_complete,
    mark_complete,
)
from engine.errors import KernelFault

LOGGER: Final = getLogger(__name__)
_typeof: Any = untyped_typeof

_HERE: Final = Path(__file__).parents[3]
_PROGRAM: Final = "from engine.comparison.kernels.prepare import prepare; prepare()"


def prepare() -> None:
    """Load the kernels, or compile them and say so; numba keeps them where it can write.

    Raises ``KernelFault``: a damaged file of theirs, or another target of numba.
    """
    if not is_complete():
        LOGGER.warning(
            "compiling the comparison for this machine; `thenar engine compile`, run as the"
            " owner of the program's folder, does so once for all processes"
        )
    try:
        for module in (tiles, blocks, coarse, half_vectors):
            _compile(*module.example())
    except Exception as fault:
        hint = (
            "run `thenar engine compile` as its owner, and import thenar before numba is used"
        )
        raise KernelFault(f"the machine code in {ROOT} cannot be used: {hint}") from fault
    mark_complete()


def compile_kernels(
    *, every_cpu: bool = False, report: Callable[[str], object] = lambda _line: None
) -> None:
    """Compile for this machine, or for every kind of CPU, each in a separate process.

    ``report`` gets a line before each. Raises ``KernelFault`` if the folder cannot be written.
    """
    if not can_keep():
        raise KernelFault(f"cannot write {ROOT}: run `thenar engine compile` as its owner")
    shutil.rmtree(ROOT, ignore_errors=True)
    kinds = CPUS if every_cpu else (None,)
    for number, cpu in enumerate(kinds, 1):
        report(f"compiling for {cpu.name if cpu else 'this machine'}: {number} of {len(kinds)}")
        _run(cpu)


def _compile(function: Callable[..., object], *arguments: object) -> None:
    """Compile for arguments like these, without a call: this machine may not have the CPU."""
    dispatcher: Any = function
    dispatcher.compile(tuple(_typeof(each) for each in arguments))


def _run(cpu: Cpu | None) -> None:
    environment = {**os.environ}  # noqa: TID251 - handed on to a child process
    if cpu is not None:
        environment |= {"NUMBA_CPU_NAME": cpu.name, "NUMBA_CPU_FEATURES": cpu.features}
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", _PROGRAM],
        cwd=_HERE,
        env=environment,
        umask=0o022,  # other users' processes read it
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise KernelFault(f"the comparison cannot be compiled: {done.stderr.strip()[-500:]}")
