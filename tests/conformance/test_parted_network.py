"""A network that parts within a transaction, and a COMMIT that is never answered.

PostgreSQL, and a proxy that falls silent at a message: the server never gets it, and neither
side sees the connection end.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from mobile_api.storage.database import Database as BiometricDatabase
from mobile_api.storage.database import Transaction
from mobile_api.storage.database import open_engine as open_biometric
from mobile_api.types import Networks, Question, Requester
from oidc.errors import DatabaseUnavailable
from oidc.plumbing.database import Database
from oidc.plumbing.patience import Patience, patience
from oidc.storage.database import Database as ProtocolDatabase
from oidc.storage.database import open_engine as open_protocol
from oidc.types import AccountId
from tests.conformance.test_mobile_storage import NOW, limits
from tests.support.databases.postgres import empty_database
from tests.support.palms.fake_engine import picture, shots
from tests.support.servers.silent_proxy import SilentProxy
from tests.support.service.mobile_api import MobileWorld
from tests.support.service.sign_in import ANNA

pytestmark = [pytest.mark.postgres, pytest.mark.check]

COMMIT = b"COMMIT"
OTHERS_S = 20
"""So long other people got no answer."""

MAYA, OMAR = 1, 2
SHORT = Patience(answer_s=1, lock_s=1, idle_s=1)
UNSEEN = Patience(answer_s=0, lock_s=0, idle_s=0)
"""As if the server never learnt that the network parted."""


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


def test_a_palm_holds_no_lock_of_other_networks(world: MobileWorld, proxy: SilentProxy) -> None:
    """Not even while the server does not know that the network parted."""
    own = world.enrolled(shots(MAYA))
    database = BiometricDatabase(open_biometric(proxy.url))
    release = Event()

    def work() -> None:
        with patience(UNSEEN), database.write() as transaction:
            present_palm(transaction)
            release.wait(2 * OTHERS_S)

    with ThreadPoolExecutor(2) as people:
        orphan = people.submit(work)
        signs_in = people.submit(world.answer_palm, own, picture(MAYA, shot=9))

        assert signs_in.result(timeout=OTHERS_S).hint == "wait_approve"
        assert not orphan.done()
        release.set()
    database.close()


@pytest.mark.parametrize("message", [b"BEGIN", b"SELECT 1", COMMIT, b"ROLLBACK"])
def test_each_answer_has_a_deadline(proxy: SilentProxy, message: bytes) -> None:
    """And its connection is closed: what the server did on it is unknown."""
    database = ProtocolDatabase(open_protocol(proxy.url))
    proxy.fall_silent_at(message)
    with patience(SHORT):
        with pytest.raises(DatabaseUnavailable), database.write() as stores:
            stores.connection.exec_driver_sql("SELECT 1")
            if message == b"ROLLBACK":
                raise ValueError
        opened = proxy.opened
        with database.write() as stores:
            assert stores.connection.exec_driver_sql("SELECT 2").scalar() == 2
    assert (opened, proxy.opened, proxy.gave_up) == (1, 2, False)
    database.close()


def test_a_lock_that_is_not_had_in_time_is_no_fault_of_other_connections(
    world: MobileWorld,
) -> None:
    """The phone may come again; what lies idle stays."""
    client = world.client
    with world.database.write() as holder:
        holder.history.lock()
        with ThreadPoolExecutor(1) as others:
            refused = others.submit(_wait_for_the_head, world.database)
            with pytest.raises(DatabaseUnavailable):
                refused.result(timeout=OTHERS_S)
        assert holder.history.head() == 0
    assert world.database.connections_in_use() == 0
    assert client.get(f"{world.settings.public_url}/mobile/v1/consent").status_code == 200


def _wait_for_the_head(database: BiometricDatabase) -> None:
    with patience(SHORT), database.write() as transaction:
        transaction.history.lock()
