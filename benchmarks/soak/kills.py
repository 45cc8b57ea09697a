"""Kill a process that changes a gallery, with SIGKILL at random instants.

Afterwards the files must hold the state of one step, the last acknowledged or a later one.
"""

from __future__ import annotations

import random
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context
from time import perf_counter, sleep
from typing import TYPE_CHECKING, Final

from benchmarks.soak.worker import work
from benchmarks.soak.workload import Workload, differences, open_gallery

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.connection import Connection
    from pathlib import Path

# Each process begins as a copy of one that has imported everything: imports cost 3 s.
_PROCESSES: Final = get_context("forkserver")
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
    _PROCESSES.set_forkserver_preload([work.__module__])
    for _ in range(count):
        lifetime_s = chance.uniform(0, MAX_LIFETIME_S)
        acknowledged = _run_and_kill(folder, workload, limit, lifetime_s)
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


def _run_and_kill(folder: Path, workload: Workload, limit: int, lifetime_s: float) -> int:
    acknowledged, steps = _PROCESSES.Pipe(duplex=False)
    process = _PROCESSES.Process(target=work, args=(folder, workload, limit, steps))
    process.start()
    steps.close()
    acknowledged.poll(_START_LIMIT_S)
    sleep(lifetime_s)
    process.kill()
    process.join()
    with acknowledged:
        return max(_received(acknowledged), default=-1)


def _received(steps: Connection[None, int]) -> Iterator[int]:
    # The kill may have cut the last message off.
    with suppress(EOFError, OSError):
        while True:
            yield steps.recv()
