"""Fixtures: a running service with drawn people, for journeys and libraries of relying apps."""

import fcntl
import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.support.servers.tls_gateway import Gateway
from tests.support.service.journey import Serve, World, drawn_people
from tests.support.service.process import LOOPBACK, Service
from tests.support.service.relying_party import Registration, RelyingParty

SHOP = "http://127.0.0.1:9/callback"
"""Redirect URI of the first relying party. No server listens there: browsers stop before it."""

LIBRARY = "http://127.0.0.1:9/library/callback?from=thenar"
"""Redirect URI of the second one; its own query must survive (RFC 6749 §3.1.2)."""


def made_once(folder: Path, make: Callable[[Path], object]) -> Path:
    """Return a folder of the whole run; the first worker that asks fills it."""
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            made = folder.with_suffix(".new")
            made.mkdir()
            make(made)
            made.rename(folder)
    return folder


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the folder that all workers of a run share."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if own.name.startswith("popen-") else own


def migrate(service: Service) -> list[Registration]:
    """Make the databases of a service, and register two relying parties.

    They accept a palm alone where a test's operator sets ``PALM_ALONE=allow``.
    """
    service.run("migrate")
    alone = "--accept-palm-alone"
    return [
        service.add_client("Corner Bookshop", SHOP, "--redirect-uri", f"{SHOP}/2", alone),
        service.add_client("Library", LIBRARY, "--no-external-user-id", alone),
    ]


def keep_migrated(folder: Path) -> None:
    """Keep databases to be copied, and apart from them what was registered."""
    data = folder / "data"
    data.mkdir()
    registered = [asdict(each) for each in migrate(Service(data))]
    (folder / "registered.json").write_text(json.dumps(registered))


def copy_migrated(kept: Path, folder: Path) -> list[Registration]:
    """Give a service databases with two relying parties."""
    shutil.copytree(kept / "data", folder, dirs_exist_ok=True)
    registered = json.loads((kept / "registered.json").read_text())
    return [Registration(**each) for each in registered]


def gateway_to(service: Service) -> Gateway | None:
    """Return a TLS gateway if the service is configured for https."""
    hosts = {urlsplit(value).hostname for value in service.settings.values()}
    if not service.issuer.startswith("https:"):
        return None
    return Gateway(frozenset(host for host in hosts if host), service.port)


@pytest.fixture(scope="session")
def serve(run_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Serve:
    """Give a way to start a service of one's own, with its own settings.

    Its databases are copies, but for those that the settings name.
    """

    @contextmanager
    def start(host: str = LOOPBACK, **settings: str) -> Iterator[World]:
        folder = tmp_path_factory.mktemp("service")
        service = Service(folder, settings=settings, host=host)
        if "THENAR_OIDC_DATABASE_URL" in settings:
            registered = migrate(service)
        else:
            kept = made_once(run_folder / "migrated", keep_migrated)
            registered = copy_migrated(kept, folder)
        with ExitStack() as closing, ExitStack() as running:
            running.enter_context(service.running())
            transport = gateway_to(service)
            if transport is not None:
                closing.callback(transport.shut)
            parties = [
                RelyingParty(service.issuer, registration, transport=transport)
                for registration in registered
            ]
            for party in parties:
                closing.callback(party.http.close)
            people = drawn_people()
            yield World(service, parties[0], parties[1], people, transport, running, closing)

    return start
