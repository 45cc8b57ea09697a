"""A network that parts within a transaction, and a COMMIT that is never answered.

PostgreSQL, and a proxy that falls silent at a message: the server never gets it, and neither
side sees the connection end.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
import uvicorn
from starlette.types import ASGIApp

from mobile_api.observability.health import Health
from mobile_api.observability.metrics import Metrics
from mobile_api.server.provider_app import provider_checks
from mobile_api.storage.database import Database as BiometricDatabase
from mobile_api.storage.database import Transaction
from mobile_api.storage.database import open_engine as open_biometric
from mobile_api.storage.stores.attempts import Question, Requester
from mobile_api.types import Networks
from oidc.errors import DatabaseUnavailable
from oidc.plumbing.database import Database
from oidc.plumbing.patience import Patience, patience
from oidc.storage.database import Database as ProtocolDatabase
from oidc.storage.database import open_engine as open_protocol
from oidc.types import AccountId, utc_now
from tests.conformance.test_mobile_storage import NOW, limits
from tests.support.databases.postgres import empty_database
from tests.support.palms.fake_engine import picture, shots
from tests.support.servers.app_server import listening
from tests.support.servers.silent_proxy import SilentProxy
from tests.support.service.mobile_api import MobileWorld
from tests.support.service.process import free_port
from tests.support.service.sign_in import ANNA, new_provider

pytestmark = [pytest.mark.postgres, pytest.mark.check]

COMMIT = b"COMMIT"
CROWD = 60
OTHERS_S = 60
"""A busy machine takes its time; other people's transactions wait 8 s for a lock."""

MAYA, OMAR = 1, 2
SHORT = Patience(answer_s=1, lock_s=1, idle_s=1)


@pytest.fixture
def url(postgres_url: str) -> Iterator[str]:
    """Give the URL of an empty database."""
    with empty_database(postgres_url) as url:
        yield url


@pytest.fixture
def proxy(url: str) -> Iterator[SilentProxy]:
    """Give another way to it, which can part."""
    with SilentProxy(url) as proxy:
        yield proxy


@pytest.fixture
def world(tmp_path: Path, url: str) -> Iterator[MobileWorld]:
    """Give a mobile API whose own way to the database stays."""
    with MobileWorld(tmp_path, url) as world:
        yield world


@contextmanager
def parted(
    proxy: SilentProxy, database: Database[Any], act: Callable[[Any], object]
) -> Iterator[Future[None]]:
    """Do something whose COMMIT does not arrive; give what its caller waits for."""

    def work() -> None:
        with database.write() as stores:
            act(stores)

    with ThreadPoolExecutor(1) as thread:
        proxy.fall_silent_at(COMMIT)
        caller = thread.submit(work)
        assert proxy.hung.acquire(timeout=OTHERS_S)
        yield caller
        with pytest.raises(DatabaseUnavailable):
            caller.result(timeout=OTHERS_S)
    database.close()


def present_palm(transaction: Transaction) -> None:
    """Charge another person's palm, or sample."""
    networks = Networks("n" * 43, "w" * 43, "x" * 43)
    requester = Requester("p" * 43, networks)
    assert transaction.attempts.add(requester, NOW, limits(), Question.WHOSE_PALM)


def finish(transaction: Transaction) -> None:
    """Enrol another person."""
    transaction.history.lock()
    transaction.history.record(AccountId(ANNA), NOW)


@pytest.mark.parametrize("act", [present_palm, finish])
def test_other_people_sign_in_and_enrol(
    world: MobileWorld, proxy: SilentProxy, act: Callable[[Transaction], object]
) -> None:
    """The orphaned transaction ends, with its locks, before they give up."""
    own = world.enrolled(shots(MAYA))
    database = BiometricDatabase(open_biometric(proxy.url))
    with parted(proxy, database, act), ThreadPoolExecutor(2) as people:
        signs_in = people.submit(world.answer_palm, own, picture(MAYA, shot=9))
        enrols = people.submit(world.enrolled, shots(OMAR))

        assert signs_in.result(timeout=OTHERS_S).hint == "wait_approve"
        assert enrols.result(timeout=OTHERS_S).standing() is not None


@pytest.mark.parametrize("message", [b"BEGIN", b"SELECT 1", COMMIT, b"ROLLBACK"])
def test_each_answer_has_a_deadline(proxy: SilentProxy, message: bytes) -> None:
    """And its connection is closed: what the server did on it is unknown."""
    database = ProtocolDatabase(open_protocol(proxy.url))
    proxy.fall_silent_at(message)
    with patience(SHORT), pytest.raises(DatabaseUnavailable), database.write() as stores:
        stores.connection.exec_driver_sql("SELECT 1")
        if message == b"ROLLBACK":
            raise ValueError
    opened = proxy.opened
    with database.write() as stores:
        assert stores.connection.exec_driver_sql("SELECT 2").scalar() == 2
    assert (opened, proxy.opened, proxy.gave_up) == (1, 2, False)
    database.close()


def test_a_crowd_whose_commits_hang_leaves_reads(
    tmp_path: Path, url: str, proxy: SilentProxy
) -> None:
    """Pushed requests end in 503; what only reads goes on meanwhile, and readiness tells."""
    port = free_port()
    sign_in = new_provider(proxy.url, tmp_path, f"http://127.0.0.1:{port}")
    sign_in.clock.now = utc_now()
    token = sign_in.tokens()["access_token"]
    headers, request = sign_in.basic(), sign_in.request()
    app = Health(sign_in.app, provider_checks(sign_in.app, Metrics(), utc_now))
    with _served(app, port) as http, ThreadPoolExecutor(CROWD) as crowd:
        proxy.fall_silent_at(COMMIT, once=False)
        pushes = [
            crowd.submit(http.post, "/par", data=request, headers=headers) for _ in range(CROWD)
        ]
        # A proxy may ask another process; the app, sent back to, could not.
        pushes.append(crowd.submit(http.get, "/oauth/authorize", params=request))
        assert proxy.hung.acquire(timeout=OTHERS_S)
        while http.get("/readyz").status_code == 200:
            assert any(not each.done() for each in pushes)
        knows = http.post("/introspect", data={"token": token}, headers=headers)
        who = http.get("/userinfo", headers={"Authorization": f"Bearer {token}"})
        assert any(not each.done() for each in pushes)
        answers = [each.result(timeout=OTHERS_S) for each in pushes]
        proxy.fall_silent_at(None)
        again = http.post("/par", data=request, headers=headers)

    assert (knows.json()["active"], who.status_code) == (True, 200)
    assert {each.status_code for each in answers} == {503}
    assert all("retry-after" in each.headers for each in answers)
    assert again.status_code == 201
    sign_in.close()


@contextmanager
def _served(app: ASGIApp, port: int) -> Iterator[httpx2.Client]:
    """Serve an application; give a client that waits no longer than other people did."""
    config = uvicorn.Config(app, port=port, log_level="error", lifespan="off")
    limits_of_client = httpx2.Limits(max_connections=2 * CROWD)
    with (
        listening(uvicorn.Server(config)),
        httpx2.Client(
            base_url=f"http://127.0.0.1:{port}", timeout=OTHERS_S, limits=limits_of_client
        ) as client,
    ):
        yield client
