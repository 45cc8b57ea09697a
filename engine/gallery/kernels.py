"""Compiles the kernels of comparison and search ahead of time, for ``machine_code``.

Each CPU has a process of its own, because numba knows only one.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from logging import getLogger
from pathlib import Path
from typing import Final

from engine.comparison.kernels import build, machine_code, tiles
from engine.errors import KernelFault
from engine.gallery.rows import half_vectors
from engine.gallery.search import coarse_kernel, scan_kernel, short_list

_LOGGER: Final = getLogger(__name__)

_HERE: Final = Path(__file__).parents[2]
_PROGRAM: Final = "from engine.gallery.kernels import compile_here; compile_here()"


def are_compiled() -> bool:
    """Return whether they are compiled for this machine.

    Raises ``KernelFault`` if they were changed since, or others may change them.
    """
    return build.store.is_there()


def compile_kernels(*, every_cpu: bool = False) -> None:
    """Compile for this machine, or for every kind of CPU; takes half a minute at most.

    Raises ``KernelFault`` if the program's folder cannot be written.
    """
    shutil.rmtree(machine_code.FOLDER, ignore_errors=True)
    for cpu in build.CPUS if every_cpu else [None]:
        _run(cpu)
    build.store.forget()


def compile_once() -> None:
    """Compile for this machine unless that is done, one process at a time, and say so.

    Raises ``KernelFault`` as ``are_compiled``; a folder of another owner is only told.
    """
    if are_compiled():
        return
    with Path(build.__file__).open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        build.store.forget()
        if are_compiled():
            return
        _LOGGER.warning("compiling the comparison once for this machine: half a minute of CPU")
        try:
            _run(None)
        except KernelFault as fault:
            _LOGGER.warning("each process compiles the comparison anew: %s", fault)
        build.store.forget()


def compile_here() -> None:
    """Compile in this process, for the CPU that numba has been told."""
    with build.store.replaced():
        tiles.compile_all()
        half_vectors.compile_all()
        scan_kernel.compile_all()
        coarse_kernel.compile_all()
        short_list.compile_all()


def _run(cpu: build.Cpu | None) -> None:
    environment = {**os.environ}  # noqa: TID251 - handed on to a child process
    if cpu is not None:
        environment |= {"NUMBA_CPU_NAME": cpu.name, "NUMBA_CPU_FEATURES": cpu.features}
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", _PROGRAM],
        cwd=_HERE,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise KernelFault(done.stderr.strip().rpartition("KernelFault: ")[2])
