"""Kill a process that changes a gallery, with SIGKILL at random instants.

Afterwards the files must hold the state of one step, the last acknowledged or a later one.
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, sleep
from typing import TYPE_CHECKING, Final

from benchmarks.soak.workload import Workload, differences, open_gallery

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT: Final = Path(__file__).parents[2]
MAX_LIFETIME_S: Final = 0.6
"""Longest time from the first acknowledgement to the kill."""

_START_LIMIT_S: Final = 60.0


@dataclass(frozen=True, slots=True)
class KillsResult:
    """Results of the kills.

    Attributes:
        lost: acknowledged references that are gone.
        resurrected: erased or replaced references that are back.
        rolled_back: kills after which the files were older than the last acknowledged step.
        damaged: kills after which files were unreadable.
        longest_start_s: slowest start after a kill, in this process.
    """

    kills: int
    steps: int
    lost: int
    resurrected: int
    rolled_back: int
    damaged: int
    longest_start_s: float


def kill_repeatedly(
    folder: Path, count: int, *, seed: int = 1, limit: int = 0, told: Callable[[], None]
) -> KillsResult:
    """Kill a process repeatedly and check the files each time."""
    chance = random.Random(seed)  # noqa: S311 -- when to kill, not a secret
    workload = Workload(seed)
    lost = resurrected = rolled_back = damaged = 0
    longest = 0.0
    for _ in range(count):
        acknowledged = _run_and_kill(folder, seed, limit, chance.uniform(0, MAX_LIFETIME_S))
        began = perf_counter()
        gallery, file = open_gallery(folder, limit)
        longest = max(longest, perf_counter() - began)
        rolled_back += gallery.sequence < max(acknowledged, workload.number)
        damaged += not gallery.is_whole
        if gallery.sequence < workload.number:
            workload = Workload(seed)
        while workload.number < gallery.sequence:
            workload.step()
        missing, extra = differences(gallery, workload.enrolled)
        lost, resurrected = lost + missing, resurrected + extra
        file.close()
        told()
    return KillsResult(
        count, workload.number + 1, lost, resurrected, rolled_back, damaged, longest
    )


def _run_and_kill(folder: Path, seed: int, limit: int, lifetime_s: float) -> int:
    command = [
        sys.executable,
        "-m",
        "benchmarks.soak.worker",
        str(folder),
        str(seed),
        str(limit),
    ]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)  # noqa: S603 -- ours
    steps: list[int] = []
    started = threading.Event()
    reader = threading.Thread(target=_read_output, args=(process, steps, started))
    reader.start()
    started.wait(_START_LIMIT_S)
    sleep(lifetime_s)
    process.send_signal(signal.SIGKILL)
    process.wait()
    reader.join()
    return max(steps, default=-1)


def _read_output(
    process: subprocess.Popen[bytes], steps: list[int], started: threading.Event
) -> None:
    if process.stdout is None:
        return
    with process.stdout as lines:
        for line in lines:
            if line.endswith(b"\n"):
                steps.append(int(line))
                started.set()
    started.set()
