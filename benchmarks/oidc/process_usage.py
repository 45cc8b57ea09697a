"""CPU time of a process and its descendants."""

import os
import time
from pathlib import Path


def tree_cpu_s(pid: int) -> float:
    """Return user and system time of a process and its descendants, in seconds.

    Running processes by the kernel's clock (``clock_getcpuclockid``), ended ones in ticks of 10
    ms.
    """
    return sum(_cpu_s(each) + _ended_s(each) for each in tree(pid))


def tree(pid: int) -> list[int]:
    """Return a process and its running descendants."""
    children: dict[int, list[int]] = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            # The name may hold spaces and brackets: the last bracket ends it.
            fields = status.read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append(int(status.parent.name))
    found = [pid]
    for each in found:
        found += children.get(each, [])
    return found


def _cpu_s(pid: int) -> float:
    # clock_getcpuclockid(3): the clock of another process is its inverted number and a 2.
    try:
        return time.clock_gettime((~pid << 3) | 2)
    except OSError:
        return 0.0


def _ended_s(pid: int) -> float:
    """Return the CPU time of ended children that were waited for: proc(5), 16 and 17."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2]
    except OSError:
        return 0.0
    user, system = status.split()[13:15]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
