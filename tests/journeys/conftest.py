"""A running service with drawn people, for the journeys."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from benchmarks.datasets.manifest import PalmSet, read_palm_set
from benchmarks.harness.relying_party import RelyingParty
from benchmarks.harness.service import LOOPBACK, Service
from tests.fakes.journey import Serve, World, people_of
from tests.fakes.servers.tls_gateway import Gateway

PEOPLE = 7
"""How many people are drawn: enough for every journey, few enough to be drawn in seconds."""

SHOP = "http://127.0.0.1:9/callback"
"""Redirect URI of the first relying party. Nobody listens there: browsers stop before it."""

SHOTS = 4
"""Pictures of each hand: two to enrol with, two to log in with."""

LIBRARY = "http://127.0.0.1:9/library/callback?from=thenar"
"""Redirect URI of the second one; its own query must survive (RFC 6749 §3.1.2)."""


@pytest.fixture(scope="session")
def hands(tmp_path_factory: pytest.TempPathFactory) -> PalmSet:
    """Draw people, once for all journeys."""
    folder = tmp_path_factory.mktemp("hands")
    many = ["--people", str(PEOPLE), "--shots", str(SHOTS), "--jobs", "2"]
    command = ["models", "draw", *many, "--out", str(folder)]
    subprocess.run(  # noqa: S603 -- our own command line
        [sys.executable, "-m", "mobile_api", *command], check=True
    )
    return read_palm_set(folder)


def gateway_to(service: Service) -> Gateway | None:
    """Return a TLS gateway if the service was told to live under https."""
    hosts = {urlsplit(value).hostname for value in service.settings.values()}
    if not service.issuer.startswith("https:"):
        return None
    return Gateway(frozenset(host for host in hosts if host), service.port)


@pytest.fixture(scope="session")
def serve(hands: PalmSet, tmp_path_factory: pytest.TempPathFactory) -> Serve:
    """Give a way to start a service of one's own, with its own settings."""

    @contextmanager
    def start(host: str = LOOPBACK, **settings: str) -> Iterator[World]:
        folder = tmp_path_factory.mktemp("service")
        service = Service(folder, settings=settings, host=host)
        service.run("migrate")
        shop = service.add_client("Corner Bookshop", SHOP, "--redirect-uri", f"{SHOP}/2")
        library = service.add_client("Library", LIBRARY, "--no-external-user-id")
        with ExitStack() as closing, ExitStack() as running:
            running.enter_context(service.running())
            transport = gateway_to(service)
            if transport is not None:
                closing.callback(transport.shut)
            parties = [
                RelyingParty(service.issuer, registration, transport=transport)
                for registration in (shop, library)
            ]
            for party in parties:
                closing.callback(party.http.close)
            people = people_of(hands)
            yield World(service, parties[0], parties[1], people, transport, running, closing)

    return start


@pytest.fixture(scope="session")
def world(serve: Serve) -> Iterator[World]:
    """Give the service most journeys share: usual settings, plain http on loopback."""
    with serve() as shared:
        yield shared


@pytest.fixture(scope="session")
def artefacts() -> Path:
    """Give the folder for screenshots; it is not in git."""
    folder = Path(__file__).parents[2] / "artefacts"
    folder.mkdir(exist_ok=True)
    return folder
