"""Debian's WebKitGTK on a screen in memory, driven by WebDriver (W3C)."""

import base64
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

import httpx2
import pytest

from tests.support.browser.driven import Driven, DriverFault
from tests.support.servers.program import listening_program
from tests.support.service.process import LOOPBACK, free_port

PROGRAM: Final = "/usr/bin/WebKitWebDriver"
SCREEN: Final = "/usr/bin/Xvfb"

CAPABILITIES: Final = {
    "acceptInsecureCerts": True,
    # A page can be looked at while it leads on.
    "pageLoadStrategy": "none",
    "timeouts": {"script": 300_000},
    "webkitgtk:browserOptions": {
        "binary": "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser",
        "args": ["--automation"],
    },
}

ENVIRONMENT: Final = {"LIBGL_ALWAYS_SOFTWARE": "1"}
"""Draws without a graphics card."""

ANSWER_S: Final = 300
"""How long a command may take: a page loads and runs its networks."""

LOOK_S: Final = 20
"""How long a look at the page may take; it is repeated, as the driver loses some answers."""

SMALL: Final = (
    "* { min-width: 0; min-height: 0; padding: 0; margin: 0; border: 0; font-size: 1px; }"
)
"""Looks of the window, which is else no narrower than its buttons: 447 pixels."""


@dataclass(slots=True)
class WebKit(Driven):
    """One window."""

    driver: httpx2.Client
    session: str = ""

    def begin(self) -> Self:
        """Open a session."""
        asked = {"capabilities": {"alwaysMatch": CAPABILITIES}}
        self.session = f"/session/{self.call('POST', '/session', asked)['sessionId']}"
        return self

    def reached(self) -> list[str]:
        """Return what the address bar says."""
        return [self.call("GET", f"{self.session}/url")]

    def open(self, address: str) -> None:
        """Go to an address; do not wait for its page."""
        self.call("POST", f"{self.session}/url", {"url": address})

    def run(self, script: str) -> Any:
        """Return what an expression gives.

        Raises:
            DriverFault: it threw.
        """
        asked = {"script": f"return {script}", "args": []}
        return self.call("POST", f"{self.session}/execute/sync", asked)

    def is_true(self, condition: str) -> bool:
        """Return whether an expression is true.

        Raises:
            DriverFault: it threw, or no answer came.
        """
        asked = {"script": f"return Boolean({condition})", "args": []}
        try:
            return bool(self.call("POST", f"{self.session}/execute/sync", asked, LOOK_S))
        except httpx2.ReadTimeout as fault:
            raise DriverFault("no answer") from fault

    def resize(self, width: int, height: int) -> None:
        """Give the page this size."""
        now = self.call("GET", f"{self.session}/window/rect")
        more = [now[of] - self.run(f"inner{of.title()}") for of in ("width", "height")]
        size = {"width": width + more[0], "height": height + more[1]}
        self.call("POST", f"{self.session}/window/rect", {**now, **size})

    def shoot(self, path: Path) -> None:
        """Take a picture of what is shown."""
        path.write_bytes(base64.b64decode(self.call("GET", f"{self.session}/screenshot")))

    def call(
        self,
        method: str,
        path: str,
        body: dict[str, Any] | None = None,
        limit_s: float = ANSWER_S,
    ) -> Any:
        """Send a command and return its result.

        Raises:
            DriverFault: it failed.
        """
        answer = self.driver.request(method, path, json=body, timeout=limit_s)
        value = answer.json()["value"]
        if answer.status_code != httpx2.codes.OK:
            raise DriverFault(f"{path}: {value['error']}: {value['message']}")
        return value


@contextmanager
def open_webkit(folder: Path) -> Iterator[WebKit]:
    """Start WebKit, its log in the folder; skip the test where it is not installed."""
    if not (shutil.which(PROGRAM) and shutil.which(SCREEN)):
        pytest.skip("WebKit is not installed: apt-get install webkit2gtk-driver xvfb")
    looks = folder / ".config/gtk-3.0/gtk.css"
    looks.parent.mkdir(parents=True)
    looks.write_text(SMALL, "utf-8")
    port = free_port()
    with screen() as display:
        inherited = os.environ  # noqa: TID251 -- a program needs its PATH
        environment = {**inherited, **ENVIRONMENT, "DISPLAY": display, "HOME": str(folder)}
        command = [PROGRAM, f"--port={port}"]
        with (
            listening_program(command, port, folder / "said.log", env=environment),
            httpx2.Client(base_url=f"http://{LOOPBACK}:{port}") as driver,
        ):
            browser = WebKit(driver).begin()
            yield browser
            browser.call("DELETE", browser.session)


@contextmanager
def screen() -> Iterator[str]:
    """Start an X server in memory; yield its display."""
    read, write = os.pipe()
    command = [SCREEN, "-displayfd", str(write), "-nolisten", "tcp"]
    process = subprocess.Popen(command, pass_fds=[write], stderr=subprocess.DEVNULL)  # noqa: S603
    os.close(write)
    try:
        with os.fdopen(read) as said:
            yield f":{said.readline().strip()}"
    finally:
        process.terminate()
        process.wait(60)
