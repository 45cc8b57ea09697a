"""A Milvus server for tests and benchmarks: real, gone afterwards, its data with it.

It is ended by SIGKILL: SIGTERM can take it minutes. Its time tick is shortened, because every
strong search waits for one.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.support.service.process import free_port

START_LIMIT_S = 120
TICK_MS = 5

PROGRAM = """
import os, sys, time
parent = os.getppid()
package, folder, port, tick_ms = sys.argv[1:]
sys.path.insert(0, package)
from milvus import MilvusServer, MilvusServerConfig
config = MilvusServerConfig(data_dir=folder, proxy_port=int(port))
config.set("proxy.timeTickInterval", int(tick_ms))
server = MilvusServer(config)
server.start()
print("ready", flush=True)
while server.server_proc.poll() is None and os.getppid() == parent:
    time.sleep(0.2)
server.server_proc.kill()
"""
"""Ends with the process that started it: a second server would find its ports taken."""


@dataclass(frozen=True, slots=True)
class MilvusProcess:
    """A running server: its address, and the process that started it."""

    url: str
    pid: int


@contextmanager
def milvus_server(folder: Path, package: Path) -> Iterator[MilvusProcess]:
    """Run a server on the data of a folder, which may be empty; yield its process.

    Args:
        folder: for its data, at least 450 MB.
        package: where the server's package is imported from.
    """
    port = free_port()
    arguments = [str(package), str(folder), str(port), str(TICK_MS)]
    log = folder / "start.log"
    with log.open("wb") as output:
        process = subprocess.Popen(  # noqa: S603 -- our own program
            [sys.executable, "-c", PROGRAM, *arguments],
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    try:
        end = time.perf_counter() + START_LIMIT_S
        while b"ready" not in log.read_bytes():
            if process.poll() is not None or time.perf_counter() > end:
                raise RuntimeError("the Milvus server does not start")
            time.sleep(0.2)
        yield MilvusProcess(f"http://127.0.0.1:{port}", process.pid)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
