"""A terminal beside a service, for the commands of ``thenar phone``."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from typer.testing import CliRunner, Result

from engine.types import Hand
from mobile_api.reference_phone.command import app
from tests.support.palms.fake_engine import picture
from tests.support.servers.app_server import listening
from tests.support.service.mobile_api import MobileWorld

MAYA, OMAR = 1, 2


class Terminal:
    """A terminal beside a service on a real port, with pictures in a folder.

    Args:
        world: what the service is made of.
        folder: for pictures and the phone's file.
        url: where the service listens.
    """

    def __init__(self, world: MobileWorld, folder: Path, url: str) -> None:
        self.world, self.folder, self.url = world, folder, url

    def palm(self, person: int, shot: int = 0, *, defect: int = 0) -> list[str]:
        """Write a picture; return the option that names it."""
        path = self.folder / f"palm-{person}-{shot}-{defect}.png"
        path.write_bytes(picture(person, Hand.RIGHT, shot, defect=defect))
        return ["--palm", str(path)]

    def phone(self, *arguments: str, typed: str = "", state: str = "phone") -> Result:
        """Run a command of the phone that has this state file."""
        file = str(self.folder / f"{state}.json")
        given = ["--state", file, "--api", f"{self.url}/mobile/v1"]
        return CliRunner().invoke(app, [*given, *arguments], input=typed)

    def enrol(self, *more: str, typed: str = "") -> Result:
        """Enrol Maya's right palm."""
        palms = self.palm(MAYA, 0) + self.palm(MAYA, 1)
        return self.phone("enrol", *palms, *more, typed=typed)

    def link(self) -> str:
        """Begin a login; return the link of its QR code."""
        return f"{self.url}/m#{self.world.handoff.open()}"


@pytest.fixture
def settings() -> dict[str, Any]:
    """Give settings of the service; tests replace them."""
    return {}


@pytest.fixture
def terminal(tmp_path: Path, settings: dict[str, Any]) -> Iterator[Terminal]:
    """Give a terminal beside a service on a free port of loopback."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        with (
            MobileWorld(tmp_path, public_url=url, **settings) as world,
            _listening(world, listener),
        ):
            yield Terminal(world, tmp_path, url)


@pytest.fixture
def maya(terminal: Terminal) -> Terminal:
    """Give a terminal on whose phone Maya has enrolled."""
    terminal.enrol("--agree")
    return terminal


@contextmanager
def _listening(world: MobileWorld, listener: socket.socket) -> Iterator[None]:
    config = uvicorn.Config(world.application(), log_level="warning", date_header=False)
    with listening(uvicorn.Server(config), listener):
        yield
