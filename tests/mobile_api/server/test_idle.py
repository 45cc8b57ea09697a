"""A process that no one uses sleeps: at most 0.3 % of a core on a quiet machine."""

import socket
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.support.databases.postgres import empty_database
from tests.support.service.process import Service

SETTLING, SECONDS = 5, 10
"""Ticks of the process's own loop, so that a busy machine changes nothing."""

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


@pytest.mark.parametrize(
    ("on_server", "options"),
    [
        pytest.param(False, (), id="sqlite"),
        pytest.param(True, (), id="both", marks=pytest.mark.postgres),
        pytest.param(True, ("--only", "oidc"), id="provider", marks=pytest.mark.postgres),
        pytest.param(True, ("--only", "mobile"), id="gallery", marks=pytest.mark.postgres),
    ],
)
def test_an_idle_process_is_rarely_woken(
    tmp_path: Path, request: pytest.FixtureRequest, *, on_server: bool, options: tuple[str, ...]
) -> None:
    """Nothing polls several times a second."""
    settings = {"NOTIFY_SOCKET": str(tmp_path / "notify")}
    with ExitStack() as stack:
        for name in ("OIDC", "MOBILE") if on_server else ():
            url = empty_database(request.getfixturevalue("postgres_url"))
            settings[f"THENAR_{name}_DATABASE_URL"] = stack.enter_context(url)
        service = Service(tmp_path, settings=settings)
        service.run("migrate")
        systemd = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
        systemd.bind(settings["NOTIFY_SOCKET"])
        systemd.settimeout(60)
        process = stack.enter_context(service.running(*options))
        for _ in range(SETTLING):
            systemd.recv(100)
        before = wake_ups(process.pid)
        for _ in range(SECONDS):
            systemd.recv(100)
        counted = wake_ups(process.pid) - before

    assert counted / SECONDS <= WAKE_UPS
