"""A process that no one uses sleeps: at most 0.3 % of a core on a quiet machine."""

import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from math import inf
from pathlib import Path

import pytest

from tests.support.databases.postgres import empty_database
from tests.support.service.process import Service

WINDOWS, SECONDS = 6, 10
"""Most windows until one is quiet, as a start has jobs, and ticks of the process's own loop in
each, so that a busy machine changes nothing."""

WAKE_UPS = 12
"""Most in a second: 5 to 9 were counted, 17 to 47 while jobs polled."""

pytestmark = pytest.mark.check("starting and stopping the service")


def wake_ups(process_id: int) -> int:
    """Return how often the process's threads have waited for something. proc(5)."""
    counted = [
        line.split()[1]
        for each in Path(f"/proc/{process_id}/task").glob("*/status")
        for line in each.read_text().splitlines()
        if line.startswith("voluntary_ctxt_switches")
    ]
    return sum(map(int, counted))


@pytest.mark.postgres
def test_idle_processes_are_rarely_woken(tmp_path: Path, postgres_url: str) -> None:
    """Nothing polls several times a second. All at once: each is counted for seconds."""
    cases = {
        "sqlite": ("", ()),
        "both": (postgres_url, ()),
        "provider": (postgres_url, ("--only", "oidc")),
        "gallery": (postgres_url, ("--only", "mobile")),
    }
    with ThreadPoolExecutor(len(cases)) as pool:
        counts = {
            name: pool.submit(count_idle, tmp_path / name, *case)
            for name, case in cases.items()
        }

    assert [name for name, each in counts.items() if each.result() > WAKE_UPS] == []


def count_idle(folder: Path, server: str, options: tuple[str, ...]) -> float:
    """Start a process; return how often it is woken in a second."""
    folder.mkdir()
    settings = {"NOTIFY_SOCKET": str(folder / "notify")}
    with ExitStack() as stack:
        for name in ("OIDC", "MOBILE") if server else ():
            url = stack.enter_context(empty_database(server))
            settings[f"THENAR_{name}_DATABASE_URL"] = url
        service = Service(folder, settings=settings)
        service.run("migrate")
        systemd = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
        systemd.bind(settings["NOTIFY_SOCKET"])
        systemd.settimeout(60)
        process = stack.enter_context(service.running(*options))
        counted = inf
        for _ in range(WINDOWS):
            before = wake_ups(process.pid)
            for _ in range(SECONDS):
                systemd.recv(100)
            counted = (wake_ups(process.pid) - before) / SECONDS
            if counted <= WAKE_UPS:
                break
        return counted
