"""Runs ``thenar serve`` for the demo in a process, with its data and log in one folder."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import httpx2

from mobile_api.demo.relying_party import Registration

if TYPE_CHECKING:
    from collections.abc import Iterator

LOOPBACK: Final = "127.0.0.1"

START_LIMIT_S: Final = 120
"""Networks and gallery load in seconds; a busy machine needs longer."""

STOP_LIMIT_S: Final = 15

FOREIGN: Final = ("THENAR_CONFIG", "THENAR_MOBILE_", "THENAR_OIDC_")
"""Settings that name another installation's keys, databases or gallery."""

CLIENT_NAME: Final = "Corner Bookshop"


class DemoError(Exception):
    """The demo cannot start; the message says what to do."""


@dataclass(frozen=True, slots=True)
class DemoService:
    """The demo's service; ``demo_command`` is shown on the consent page."""

    data: Path
    port: int
    demo_command: str

    @property
    def url(self) -> str:
        """Its address: plain HTTP, so loopback only."""
        return f"http://{LOOPBACK}:{self.port}"

    @property
    def log(self) -> Path:
        """Its output since the start."""
        return self.data / "serve.log"

    @property
    def environment(self) -> dict[str, str]:
        """This environment with the demo's settings, and none of another installation."""
        inherited = os.environ.items()  # noqa: TID251 -- handed on to a child process
        return {
            **{name: value for name, value in inherited if not name.startswith(FOREIGN)},
            "THENAR_OIDC_ISSUER": self.url,
            "THENAR_OIDC_AUTH_URL": self.url,
            "THENAR_OIDC_BASE_URL": self.url,
            "THENAR_OIDC_DATABASE_URL": f"sqlite:///{self.data / 'protocol.sqlite3'}",
            "THENAR_OIDC_KEY_ENCRYPTION_KEY_FILE": str(self.data / "protocol.key"),
            "THENAR_OIDC_DEMO_COMMAND_TEMPLATE": self.demo_command,
            # The demo's people are still pictures.
            "THENAR_ENGINE_ATTACK_DETECTION": "none",
            # A person copies the link into a terminal, more slowly than a camera reads it.
            "THENAR_OIDC_TICKET_GRACE_S": "120",
            "THENAR_MOBILE_PUBLIC_URL": self.url,
            "THENAR_MOBILE_DATABASE_URL": f"sqlite:///{self.data / 'biometric.sqlite3'}",
            "THENAR_MOBILE_KEY_FILE": str(self.data / "biometric.key"),
            "THENAR_MOBILE_GALLERY_DIR": str(self.data / "gallery"),
            "THENAR_MOBILE_ERASURE_LIST": str(self.data / "biometric.erasures"),
        }

    def run(self, *arguments: str) -> str:
        """Run a command of Thenar and return its output.

        Raises:
            DemoError: it failed.
        """
        done = subprocess.run(  # noqa: S603 -- our own command line
            [sys.executable, "-m", "mobile_api", *arguments],
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise DemoError(f"thenar {' '.join(arguments[:2])} failed:\n{done.stderr.strip()}")
        return done.stdout

    def registration(self, redirect_uri: str) -> Registration:
        """Return the relying party's credentials; register it the first time."""
        file = self.data / "relying-party.json"
        kept = json.loads(file.read_text()) if file.exists() else {}
        if kept.get("redirect_uri") != redirect_uri:
            named = ("--name", CLIENT_NAME, "--redirect-uri", redirect_uri)
            # On loopback no network is known, so that every sign-in would ask for a code.
            added = self.run("client", "add", *named, "--confirm-code", "never", "--json")
            kept = json.loads(added) | {"redirect_uri": redirect_uri}
            file.touch(mode=0o600)
            file.write_text(json.dumps(kept))
        return Registration(self.url, kept["client_id"], kept["client_secret"], redirect_uri)

    @contextmanager
    def running(self) -> Iterator[subprocess.Popen[bytes]]:
        """Run the service while the context lasts.

        Raises:
            DemoError: it did not start.
        """
        command = [sys.executable, "-m", "mobile_api", "serve"]
        with self.log.open("wb") as log:
            process = subprocess.Popen(  # noqa: S603 -- our own command line
                [*command, "--host", LOOPBACK, "--port", str(self.port)],
                env=self.environment,
                stdout=log,
                stderr=log,
            )
        try:
            self._wait_until_ready(process)
            yield process
        finally:
            _stop(process)

    def _wait_until_ready(self, process: subprocess.Popen[bytes]) -> None:
        """Wait until the service responds."""
        end = time.perf_counter() + START_LIMIT_S
        while process.poll() is None and time.perf_counter() < end:
            try:
                httpx2.get(f"{self.url}/.well-known/openid-configuration", timeout=5)
            except httpx2.TransportError:
                time.sleep(0.1)
            else:
                return
        raise DemoError(f"The service did not start:\n{self.log.read_text()[-2000:]}")


def require_port_free(port: int) -> None:
    """Check that a port is free.

    Raises:
        DemoError: it is taken.
    """
    with socket.socket() as probe:
        probe.settimeout(1)
        if probe.connect_ex((LOOPBACK, port)) == 0:
            raise DemoError(
                f"Port {port} is taken: is another demo running? Choose others with "
                "--port and --shop-port."
            )


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Terminate the service; kill it if that takes too long."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
    try:
        process.wait(STOP_LIMIT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
