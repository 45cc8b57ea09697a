"""The real ``thenar serve`` in its own process with its own databases, on loopback.

Uses the command line and the environment only, as an operator does.
"""

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from itertools import count
from pathlib import Path
from typing import Final

import httpx2

from tests.support.service.relying_party import Registration

LOOPBACK: Final = "127.0.0.1"

START_LIMIT_S: Final = 300
"""Loading models and gallery takes a minute on a very busy machine; longer is a fault."""

STOP_LIMIT_S: Final = 60

_PORTS: Final = (10_000, 32_000)


class ServiceFault(Exception):
    """A command of Thenar failed, or the service did not start."""


def free_port() -> int:
    """Return a port of loopback that is free at the moment.

    It is below those that the system chooses by itself: until its service listens,
    only another service could take it.
    """
    for port in _ports():
        with socket.socket() as probe, suppress(OSError):
            probe.bind((LOOPBACK, port))
            return port
    raise ServiceFault("no port is free")


@cache
def _ports() -> Iterator[int]:
    """Count ports up from a random one: processes side by side use different ones."""
    low, high = _PORTS
    first = secrets.randbelow(high - low)
    return (low + (first + step) % (high - low) for step in count())


PATIENT: Final = {
    f"THENAR_OIDC_{name}_S": "600"
    for name in ("PENDING", "SCANNED", "VERIFIED", "APPROVED", "CODE_LIFETIME", "CODE")
} | {"THENAR_OIDC_TICKET_GRACE_S": "120"}
"""No login ends because a machine is slow."""


@dataclass(frozen=True, slots=True)
class Service:
    """Folder, address and settings of a service.

    Attributes:
        folder: holds databases, keys and the log.
        settings: environment variables ``THENAR_…`` that override the defaults.
    """

    folder: Path
    port: int = field(default_factory=free_port)
    settings: Mapping[str, str] = field(default_factory=dict, repr=False)
    host: str = LOOPBACK

    @property
    def local_url(self) -> str:
        """Base address."""
        return f"http://{self.host}:{self.port}"

    @property
    def issuer(self) -> str:
        """Configured issuer."""
        return self.environment["THENAR_OIDC_ISSUER"]

    @property
    def log(self) -> Path:
        """File with its output."""
        return self.folder / "serve.log"

    @property
    def environment(self) -> dict[str, str]:
        """Environment of its commands, without inherited ``THENAR_…`` variables."""
        inherited = {
            name: value
            for name, value in os.environ.items()  # noqa: TID251 -- passed on, not read
            if not name.startswith("THENAR_")
        }
        usual = {
            "THENAR_OIDC_ISSUER": self.local_url,
            "THENAR_OIDC_AUTH_URL": self.local_url,
            "THENAR_OIDC_BASE_URL": self.local_url,
            "THENAR_OIDC_DATABASE_URL": f"sqlite:///{self.folder / 'protocol.sqlite3'}",
            "THENAR_OIDC_KEY_ENCRYPTION_KEY_FILE": str(self.folder / "protocol.key"),
            "THENAR_MOBILE_PUBLIC_URL": self.local_url,
            "THENAR_MOBILE_DATABASE_URL": f"sqlite:///{self.folder / 'biometric.sqlite3'}",
            "THENAR_MOBILE_KEY_FILE": str(self.folder / "biometric.key"),
            # Its phones show still pictures.
            "THENAR_ENGINE_ATTACK_DETECTION": "none",
            # Most tests show a palm at each sign-in.
            "THENAR_OIDC_SESSION_MINUTES": "0",
            **PATIENT,
            # One client and one phone do in a minute what others do in months.
            "THENAR_OIDC_CLIENT_REQUESTS_PER_MINUTE": "0",
            "THENAR_OIDC_CLIENT_LOGINS_PER_MINUTE": "0",
            "THENAR_MOBILE_DEVICE_REQUESTS_PER_MINUTE": "0",
            "THENAR_MOBILE_SUBMISSIONS_PER_DAY": "5000",
            "THENAR_MOBILE_FAILED_IDENTIFICATIONS_PER_DAY": "5000",
            "THENAR_MOBILE_NETWORK_FAILED_PER_DAY": "5000",
        }
        return inherited | usual | dict(self.settings)

    def run(self, *arguments: str) -> str:
        """Run a command of Thenar and return its output."""
        done = subprocess.run(  # noqa: S603 -- our own command line
            [sys.executable, "-m", "mobile_api", *arguments],
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise ServiceFault(f"thenar {arguments[0]} failed:\n{done.stdout}{done.stderr}")
        return done.stdout

    def add_client(self, name: str, redirect_uri: str, *options: str) -> Registration:
        """Register a relying party; without a secret, the secret is empty.

        No code to type by default: a test does not read the phone's screen.
        """
        named = "--name", name, "--redirect-uri", redirect_uri
        if "--confirm-code" not in options:
            options = (*options, "--confirm-code", "never")
        added = json.loads(self.run("client", "add", *named, *options, "--json"))
        return Registration(added["client_id"], added.get("client_secret", ""), redirect_uri)

    @contextmanager
    def running(self, *options: str) -> Iterator[subprocess.Popen[bytes]]:
        """Serve until the context ends."""
        command = [sys.executable, "-m", "mobile_api", "serve", "--port", str(self.port)]
        with self.log.open("ab") as log:
            process = subprocess.Popen(  # noqa: S603 -- our own command line
                [*command, *options], env=self.environment, stdout=log, stderr=log
            )
        try:
            self._wait_until_ready(process)
            yield process
        finally:
            _stop(process)

    def _wait_until_ready(self, process: subprocess.Popen[bytes]) -> None:
        end = time.perf_counter() + START_LIMIT_S
        while process.poll() is None and time.perf_counter() < end:
            try:
                httpx2.get(f"{self.local_url}/", timeout=5)
            except httpx2.TransportError:
                time.sleep(0.1)
            else:
                return
        raise ServiceFault(f"thenar serve did not start:\n{self.log.read_text()[-2000:]}")


def _stop(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
    try:
        process.wait(STOP_LIMIT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
