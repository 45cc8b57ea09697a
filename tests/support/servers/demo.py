"""``thenar demo`` in a process."""

import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.support.service.headless_browser import Browser
from tests.support.service.html_page import Page

THENAR: Final = (sys.executable, "-m", "mobile_api")


class Demo:
    """A running demo.

    Attributes:
        folder: where it runs.
        shop: address of the relying party.
        ports: of the service and of the shop.
    """

    def __init__(
        self,
        people: int,
        data: Path,
        ports: tuple[int, int],
        host: str | None,
        program: Sequence[str],
    ) -> None:
        self.folder, self.log, self.ports = data.parent, data.with_suffix(".txt"), ports
        self.shop = f"http://localhost:{ports[1]}"
        options = ["--port", str(ports[0]), "--shop-port", str(ports[1]), "--data", str(data)]
        if host is not None:
            self.shop = f"https://{host}:{ports[1]}"
            options += ["--host", host]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(  # noqa: S603 -- our own command line
                [*program, "demo", "--people", str(people), *options],
                cwd=self.folder,
                stdout=log,
                stderr=log,
            )
        while "stop with" not in self.printed.lower():
            assert self.process.poll() is None, self.printed
            time.sleep(0.1)

    @property
    def printed(self) -> str:
        """The output so far."""
        return self.log.read_text()


@contextmanager
def running(
    people: int,
    data: Path,
    ports: tuple[int, int],
    *,
    host: str | None = None,
    program: Sequence[str] = THENAR,
    end: signal.Signals = signal.SIGINT,
) -> Iterator[Demo]:
    """Run the demo for as long as the context lasts; end it as Ctrl-C does, or otherwise."""
    demo = Demo(people, data, ports, host, program)
    try:
        yield demo
    finally:
        demo.process.send_signal(end)
        demo.process.wait()


def sign_in(demo: Demo, link: str, browser: Browser) -> tuple[Page, str]:
    """Press a link of the shop; answer with the very command the consent page shows."""
    home = browser.open_page(f"{demo.shop}/")
    page = browser.open_page(home.address(link, "href"))
    command = page.element("demo-command").text.strip()
    assert page.address("phone-link", "href").removesuffix("&here") in command
    answered = subprocess.run(  # noqa: S602 -- it is meant to be pasted into a shell
        command, shell=True, cwd=demo.folder, capture_output=True, text=True, check=False
    )
    assert answered.returncode == 0, answered.stdout + answered.stderr
    callback = browser.finish(page)
    browser.http.get(callback.url)
    return browser.open_page(f"{demo.shop}/"), command
