"""The service and everybody who is known to it: clients, an operator's tokens, invitations."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Final

from joserfc.jwk import ECKey

from benchmarks.harness.service import Service, free_port

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.harness.relying_party import Registration
    from benchmarks.hostile_requests.planted_secrets import PlantedSecrets

REDIRECT_URI: Final = "http://127.0.0.1:9/callback"
"""Nobody listens there: nothing is followed."""

_SETTINGS: Final = {
    "THENAR_OIDC_SESSION_MINUTES": "60",
    "THENAR_OIDC_REGISTRATIONS_HOURLY": "100000",
    "THENAR_OIDC_PORTAL_CLIENTS": "50",
    "THENAR_MOBILE_SUBMISSIONS_PER_DAY": "1000000",
    "THENAR_MOBILE_FAILED_IDENTIFICATIONS_PER_DAY": "1000000",
    "THENAR_MOBILE_NETWORK_SUBMISSIONS_PER_DAY": "10000000",
    "THENAR_MOBILE_NETWORK_FAILED_PER_DAY": "10000000",
    "THENAR_MOBILE_STRANGERS_FAILED_PER_DAY": "10000000",
}
"""Limits raised so that the requests behind them are reached, not only the limits."""


@dataclass(frozen=True, slots=True)
class Installation:
    """A running service, and who may do what there.

    Attributes:
        service: itself.
        shop: a client with a secret that may ask about tokens of others.
        spa: a public client.
        signer: a client that proves itself by signing.
        signer_key: with this key.
        initial_token: registers clients.
        metrics_port: where the process tells its numbers.
        pid: of its process.
    """

    service: Service
    shop: Registration
    spa: Registration
    signer: Registration
    signer_key: ECKey = field(repr=False)
    initial_token: str = field(repr=False)
    metrics_port: int
    pid: int

    def invite(self, name: str) -> str:
        """Invite a developer; return what is behind the ``#`` of the link."""
        printed = self.service.run(
            "portal", "invite", "--email", f"{name}@dev.example", "--json"
        )
        link: str = json.loads(printed)["link"]
        return link.rpartition("#")[2]

    def add_secrets_to(self, planted: PlantedSecrets) -> None:
        """Plant the secrets of the installation itself."""
        for client in (self.shop, self.signer):
            if client.client_secret:
                planted.add("client_secret", client.client_secret)
        planted.add("client key", str(self.signer_key.as_dict(private=True)["d"]))
        planted.add("initial_access_token", self.initial_token)
        for name in ("protocol.key", "biometric.key"):
            for connection in (self.service.folder / name).read_text().split():
                planted.add("key of a database", connection)


@contextmanager
def running_installation(folder: Path) -> Iterator[Installation]:
    """Run the whole service on databases of its own, with everybody in place."""
    metrics_port = free_port()
    told = {"THENAR_MOBILE_METRICS_PORT": str(metrics_port)}
    service = Service(folder, settings=_SETTINGS | told)
    service.run("migrate")
    key = ECKey.generate_key("P-256")
    shop, spa, signer = _clients(service, key)
    given = service.run("client", "token", "add", "--name", "requests", "--json")
    token = json.loads(given)["initial_access_token"]
    with service.running() as process:
        yield Installation(service, shop, spa, signer, key, token, metrics_port, process.pid)


def _clients(service: Service, key: ECKey) -> tuple[Registration, Registration, Registration]:
    """Register one client of each kind."""
    leaving = ("--post-logout-redirect-uri", REDIRECT_URI)
    shop = service.add_client("Shop", REDIRECT_URI, "--resource-server", *leaving)
    spa = service.add_client("Page", REDIRECT_URI, "--authentication", "none", *leaving)
    with NamedTemporaryFile("w", suffix=".json", dir=service.folder) as file:
        json.dump({"keys": [key.as_dict(private=False)]}, file)
        file.flush()
        signing = ("--authentication", "private_key_jwt", "--jwks", file.name)
        return shop, spa, service.add_client("Signer", REDIRECT_URI, *signing)
