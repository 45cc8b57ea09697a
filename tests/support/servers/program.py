"""A separate process that listens on a port of loopback."""

import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

START_LIMIT_S: Final = 60

STOP_LIMIT_S: Final = 60


@contextmanager
def listening_program(
    command: Sequence[str], port: int, log: Path, **options: Any
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program until the context ends; ``options`` are those of ``subprocess.Popen``."""
    with log.open("wb") as said:
        process = subprocess.Popen(command, stdout=said, stderr=said, **options)  # noqa: S603
    try:
        _wait_for(process, port, log)
        yield process
    finally:
        process.terminate()
        process.wait(STOP_LIMIT_S)


def _wait_for(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    ends = time.monotonic() + START_LIMIT_S
    while process.poll() is None and time.monotonic() < ends:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise TimeoutError(f"nothing listens on port {port}:\n{log.read_text()[-4000:]}")
