"""``thenar demo`` in a process, with drawn people."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

THENAR: Final = [sys.executable, "-m", "mobile_api"]


def draw_people(folder: Path, count: int) -> None:
    """Draw the demo's people."""
    draw = [*THENAR, "models", "draw", "--people", str(count), "--shots", "4"]
    subprocess.run([*draw, "--out", str(folder)], check=True)  # noqa: S603 -- our own command


class Demo:
    """A running demo.

    Attributes:
        shop: address of the relying party.
        ports: of the service and of the shop.
    """

    def __init__(
        self, palms: Path, data: Path, ports: tuple[int, int], host: str | None = None
    ) -> None:
        self.log, self.ports = data.with_suffix(".txt"), ports
        self.shop = f"http://localhost:{ports[1]}"
        options = ["--port", str(ports[0]), "--shop-port", str(ports[1]), "--data", str(data)]
        if host is not None:
            self.shop = f"https://{host}:{ports[1]}"
            options += ["--host", host]
        start = time.perf_counter()
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(  # noqa: S603 -- our own command line
                [*THENAR, "demo", "--palms", str(palms), *options],
                stdout=log,
                stderr=log,
            )
        while "stop with" not in self.printed.lower():
            assert self.process.poll() is None, self.printed
            assert time.perf_counter() - start < 180, self.printed
            time.sleep(0.1)

    @property
    def printed(self) -> str:
        """What it said so far."""
        return self.log.read_text()


@contextmanager
def running(
    palms: Path,
    data: Path,
    ports: tuple[int, int],
    *,
    host: str | None = None,
    end: signal.Signals = signal.SIGINT,
) -> Iterator[Demo]:
    """Run the demo for as long as the context lasts; end it as Ctrl-C does, or otherwise."""
    demo = Demo(palms, data, ports, host)
    try:
        yield demo
    finally:
        demo.process.send_signal(end)
        try:
            demo.process.wait(30)
        finally:
            demo.process.kill()
            demo.process.wait()
