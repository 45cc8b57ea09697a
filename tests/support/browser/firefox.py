"""Debian's Firefox without a screen, driven by WebDriver BiDi: W3C, over one web socket.

Playwright needs its own build of Firefox; BiDi is what every Firefox speaks by itself.
"""

import base64
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Self

import pytest
from websockets.sync.client import ClientConnection, connect

from tests.support.browser.driven import Driven, DriverFault
from tests.support.servers.program import listening_program
from tests.support.service.process import LOOPBACK, free_port

PROGRAM: Final = "/usr/bin/firefox-esr"

PREFERENCES: Final = {
    "media.navigator.streams.fake": True,
    "media.navigator.permission.disabled": True,
    "remote.active-protocols": 1,
    "app.update.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "intl.accept_languages": "en-GB",
}
"""A camera of moving colours, without a question for permission, and no other traffic."""

EVENTS: Final = ["log.entryAdded", "browsingContext.navigationStarted", "network.fetchError"]

ANSWER_S: Final = 60


@dataclass(slots=True)
class Firefox(Driven):
    """One tab.

    Attributes:
        socket: to the browser.
        tab: its name.
        complaints: what its console said in anger.
    """

    socket: ClientConnection
    tab: str = ""
    complaints: list[str] = field(default_factory=list)
    _reached: list[str] = field(default_factory=list)
    _next: int = 0

    def begin(self) -> Self:
        """Open a session and a tab."""
        self.ask("session.new", capabilities={"alwaysMatch": {"acceptInsecureCerts": True}})
        self.ask("session.subscribe", events=EVENTS)
        self.tab = self.ask("browsingContext.getTree")["contexts"][0]["context"]
        return self

    def ask(self, method: str, **params: Any) -> Any:
        """Send a command and return its result.

        Raises:
            DriverFault: it failed.
        """
        self._next += 1
        self.socket.send(json.dumps({"id": self._next, "method": method, "params": params}))
        while True:
            said = json.loads(self.socket.recv(timeout=ANSWER_S))
            if said.get("id") == self._next:
                break
            self._note(said)
        if said["type"] == "error":
            raise DriverFault(f"{method}: {said['error']}: {said['message']}")
        return said["result"]

    def open(self, address: str) -> None:
        """Go to an address, and wait until it is loaded."""
        self._reached.clear()
        self.ask("browsingContext.navigate", context=self.tab, url=address, wait="complete")

    def run(self, script: str) -> Any:
        """Return what an expression gives, promises awaited: text, a number, or nothing.

        Raises:
            DriverFault: it threw.
        """
        target = {"context": self.tab}
        answer = self.ask(
            "script.evaluate", expression=script, target=target, awaitPromise=True
        )
        if answer["type"] == "exception":
            raise DriverFault(answer["exceptionDetails"]["text"])
        return answer["result"].get("value")

    def reached(self) -> list[str]:
        """Return where it went, and why it could not follow a redirect."""
        self.ask("session.status")
        return self._reached

    def resize(self, width: int, height: int) -> None:
        """Give the page this size."""
        viewport = {"width": width, "height": height}
        self.ask("browsingContext.setViewport", context=self.tab, viewport=viewport)

    def shoot(self, path: Path) -> None:
        """Take a picture of what is shown."""
        answer = self.ask("browsingContext.captureScreenshot", context=self.tab)
        path.write_bytes(base64.b64decode(answer["data"]))

    def _note(self, said: dict[str, Any]) -> None:
        entry = said.get("params", {})
        if said.get("method") == "log.entryAdded" and entry.get("level") == "error":
            self.complaints.append(str(entry.get("text")))
        if named := entry.get("url") or entry.get("errorText"):
            self._reached.append(str(named))


@contextmanager
def open_firefox(profile: Path) -> Iterator[Firefox]:
    """Start Firefox with a new profile; skip the test where it is not installed."""
    if shutil.which(PROGRAM) is None:
        pytest.skip("Firefox is not installed: apt-get install firefox-esr")
    lines = [f"user_pref({json.dumps(k)}, {json.dumps(v)});" for k, v in PREFERENCES.items()]
    (profile / "user.js").write_text("\n".join(lines), "utf-8")
    port = free_port()
    options = ["--headless", "--no-remote", "--remote-debugging-port", str(port)]
    command = [PROGRAM, *options, "--profile", str(profile)]
    with (
        listening_program(command, port, profile / "said.log"),
        connect(f"ws://{LOOPBACK}:{port}/session", max_size=None) as socket,
    ):
        yield Firefox(socket).begin()
