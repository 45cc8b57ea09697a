"""Runs ``thenar serve`` for the demo in a process, with its data and log in one folder."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Final

import httpx2

from mobile_api.demo.people import DemoError
from mobile_api.demo.relying_party import Registration
from mobile_api.demo.site import Site

START_LIMIT_S: Final = 120
"""Networks and gallery load in seconds; a busy machine needs longer."""

STOP_LIMIT_S: Final = 15

FOREIGN: Final = ("THENAR_CONFIG", "THENAR_MOBILE_", "THENAR_OIDC_")
"""Settings that name another installation's keys, databases or gallery."""

CLIENT_NAME: Final = "Corner Bookshop"

STATION_NAME: Final = "Front desk"

DEVELOPER: Final = "developer@example.org"
"""Whom the demo invites to the portal. No e-mail is sent."""


@dataclass(frozen=True, slots=True)
class DemoService:
    """The demo's service.

    Attributes:
        demo_command: shown on the consent page.
        asks_challenges: whether unknown palms and phones must show moving hands.
        shop_url: the sample app, linked on the service's first page.
    """

    data: Path
    site: Site
    port: int
    demo_command: str
    asks_challenges: bool = False
    shop_url: str = ""

    @property
    def url(self) -> str:
        """Its address."""
        return self.site.url(self.site.host, self.port)

    @property
    def log(self) -> Path:
        """Its output since the start."""
        return self.data / "serve.log"

    @property
    def environment(self) -> dict[str, str]:
        """This environment with the demo's settings, and none of another installation."""
        inherited = os.environ.items()  # noqa: TID251 -- handed on to a child process
        own = {name: value for name, value in inherited if not name.startswith(FOREIGN)}
        return own | self.settings

    @property
    def settings(self) -> dict[str, str]:
        """The demo's settings; they hold from any folder."""
        data = self.data.resolve()
        return self._trusted | {
            "THENAR_OIDC_ISSUER": self.url,
            "THENAR_OIDC_AUTH_URL": self.url,
            "THENAR_OIDC_BASE_URL": self.url,
            "THENAR_OIDC_DATABASE_URL": f"sqlite:///{data / 'protocol.sqlite3'}",
            "THENAR_OIDC_KEY_ENCRYPTION_KEY_FILE": str(data / "protocol.key"),
            "THENAR_OIDC_DEMO_COMMAND_TEMPLATE": self.demo_command,
            "THENAR_OIDC_DEMO_APP_URL": self.shop_url,
            "THENAR_ENGINE_ATTACK_DETECTION": "challenge" if self.asks_challenges else "none",
            # A person copies the link into a terminal, more slowly than a camera reads it.
            "THENAR_OIDC_TICKET_GRACE_S": "120",
            "THENAR_MOBILE_PUBLIC_URL": self.url,
            "THENAR_MOBILE_DATABASE_URL": f"sqlite:///{data / 'biometric.sqlite3'}",
            "THENAR_MOBILE_KEY_FILE": str(data / "biometric.key"),
            "THENAR_MOBILE_GALLERY_DIR": str(data / "gallery"),
            "THENAR_MOBILE_ERASURE_LIST": str(data / "biometric.erasures"),
        }

    @property
    def _trusted(self) -> dict[str, str]:
        """How other commands trust the demo's certificate."""
        certificate = self.site.certificate
        return (
            {} if certificate is None else {"SSL_CERT_FILE": str(certificate.public.resolve())}
        )

    def write_settings(self) -> Path:
        """Write the settings to a file that a shell can read; return it."""
        file = self.data / "env"
        file.write_text(
            "".join(f"{name}={quote(value)}\n" for name, value in self.settings.items())
        )
        return file

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
        kept = self._kept("bookshop.json")
        if kept.get("redirect_uri") != redirect_uri:
            named = ("--name", CLIENT_NAME, "--redirect-uri", redirect_uri, "--json")
            # On loopback no network is known, so that every sign-in would ask for a code.
            chosen = ["--confirm-code", "never", "--accept-stations"]
            if self.site.certificate is None:  # else an address that the service would refuse
                logout = redirect_uri.removesuffix("callback") + "backchannel-logout"
                chosen += ["--backchannel-logout-uri", logout]
            added = self.run("client", "add", *named, *chosen)
            kept = json.loads(added) | {"redirect_uri": redirect_uri}
            self._keep("bookshop.json", kept)
        return Registration(self.url, kept["client_id"], kept["client_secret"], redirect_uri)

    def station(self) -> str:
        """Return a link that makes one browser a station; empty if one is."""
        listed = json.loads(self.run("station", "list", "--json"))
        states = {each["name"]: each["state"] for each in listed}
        if states.get(STATION_NAME) == "enrolled":
            return ""
        if STATION_NAME in states:
            self.run("station", "remove", STATION_NAME)
        return str(json.loads(self.run("station", "add", STATION_NAME, "--json"))["link"])

    def invitation(self) -> str:
        """Return a link that lets one developer into the portal; the same until it is used."""
        kept = self._kept("invitation.json")
        listed = json.loads(self.run("portal", "list", "--json")) if kept else []
        states = {each["developer_id"]: each["state"] for each in listed}
        if states.get(kept.get("developer_id")) != "invited":
            kept = json.loads(self.run("portal", "invite", "--email", DEVELOPER, "--json"))
            self._keep("invitation.json", kept)
        return str(kept["link"])

    def _kept(self, name: str) -> dict[str, str]:
        """Return what an earlier start kept."""
        file = self.data / name
        kept: dict[str, str] = json.loads(file.read_text()) if file.exists() else {}
        return kept

    def _keep(self, name: str, values: dict[str, str]) -> None:
        file = self.data / name
        file.touch(mode=0o600)
        file.write_text(json.dumps(values))

    @contextmanager
    def running(self) -> Iterator[subprocess.Popen[bytes]]:
        """Run the service while the context lasts.

        Raises:
            DemoError: it did not start.
        """
        place = ["--host", self.site.host, "--port", str(self.port)]
        if self.site.served_certificate is not None:
            place += ["--certificate", str(self.site.served_certificate)]
        with self.log.open("wb") as log:
            process = subprocess.Popen(  # noqa: S603 -- our own command line
                [sys.executable, "-m", "mobile_api", "serve", *place],
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
        with httpx2.Client(timeout=5, verify=self.site.trust) as http:
            while process.poll() is None and time.perf_counter() < end:
                try:
                    http.get(f"{self.url}/.well-known/openid-configuration")
                except httpx2.TransportError:
                    time.sleep(0.1)
                else:
                    return
        raise DemoError(f"The service did not start:\n{self.log.read_text()[-2000:]}")


def require_port_free(host: str, port: int) -> None:
    """Check that a port is free.

    Raises:
        DemoError: it is taken.
    """
    with socket.socket() as probe:
        probe.settimeout(1)
        if probe.connect_ex((host, port)) == 0:
            raise DemoError(
                f"Port {port} is taken: is another demo running? Choose others with "
                "`make demo PORT=8090`, or with --port, --shop-port and --data."
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
