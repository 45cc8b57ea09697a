"""A running service with clients, an initial access token and invitations."""

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
"""Nothing listens there."""

_SETTINGS: Final = {
    "THENAR_OIDC_SESSION_MINUTES": "60",
    "THENAR_OIDC_REGISTRATIONS_HOURLY": "100000",
    "THENAR_OIDC_PORTAL_CLIENTS": "50",
    "THENAR_MOBILE_TEMPLATE_TRUST": "any_device",
    "THENAR_MOBILE_SUBMISSIONS_PER_DAY": "1000000",
    "THENAR_MOBILE_FAILED_IDENTIFICATIONS_PER_DAY": "1000000",
    "THENAR_MOBILE_NETWORK_SUBMISSIONS_PER_DAY": "10000000",
    "THENAR_MOBILE_NETWORK_FAILED_PER_DAY": "10000000",
    "THENAR_MOBILE_NETWORK_WIDE_FAILED_PER_DAY": "10000000",
    "THENAR_MOBILE_NETWORK_WIDEST_FAILED_PER_DAY": "10000000",
    "THENAR_MOBILE_STRANGERS_FAILED_PER_DAY": "10000000",
}
"""Raised limits: requests must reach the code behind them."""


@dataclass(frozen=True, slots=True)
class Installation:
    """A running service and its clients.

    Attributes:
        shop: a client with a secret that may introspect the tokens of others.
        signer: a client that authenticates with private_key_jwt, by ``signer_key``.
        initial_token: an initial access token. RFC 7591 §3.
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
        """Invite a developer; return the invitation from the link's fragment."""
        printed = self.service.run(
            "portal", "invite", "--email", f"{name}@dev.example", "--json"
        )
        link: str = json.loads(printed)["link"]
        return link.rpartition("#")[2]

    def add_secrets_to(self, planted: PlantedSecrets) -> None:
        """Add the secrets of the installation itself."""
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
    """Run the whole service on its own databases, with clients registered."""
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
    leaving = ("--post-logout-redirect-uri", REDIRECT_URI)
    shop = service.add_client("Shop", REDIRECT_URI, "--resource-server", *leaving)
    spa = service.add_client("Page", REDIRECT_URI, "--authentication", "none", *leaving)
    with NamedTemporaryFile("w", suffix=".json", dir=service.folder) as file:
        json.dump({"keys": [key.as_dict(private=False)]}, file)
        file.flush()
        signing = ("--authentication", "private_key_jwt", "--jwks", file.name)
        return shop, spa, service.add_client("Signer", REDIRECT_URI, *signing)
