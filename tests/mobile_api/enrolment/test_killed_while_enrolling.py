"""kill -9 while people enrol: nothing acknowledged is lost, nothing is half there."""

from __future__ import annotations

import random
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import httpx2
import pytest

from mobile_api.errors import PhoneError
from mobile_api.messages import API_PREFIX
from mobile_api.reference_phone.client import ReferencePhone, new_key
from tests.support.palms.fake_engine import picture, shots
from tests.support.service.mobile_api import MobileWorld

KILLS = 2
PHONES = 3
START_LIMIT_S = 30
ROOT = Path(__file__).resolve().parents[3]


@contextmanager
def running(folder: Path, port: int) -> Iterator[subprocess.Popen[bytes]]:
    """Run the service, wait until it answers, and kill it at the end."""
    command = [
        sys.executable,
        "-m",
        "tests.support.service.process",
        str(folder),
        str(port),
    ]
    process = subprocess.Popen(command, cwd=ROOT)  # noqa: S603 -- our own module
    try:
        end = time.perf_counter() + START_LIMIT_S
        while time.perf_counter() < end:
            try:
                httpx2.get(f"http://127.0.0.1:{port}{API_PREFIX}/nonce")
                break
            except httpx2.TransportError:
                time.sleep(0.05)
        yield process
    finally:
        process.kill()
        process.wait()


class Crowd:
    """People who enrol one after the other, on a few phones at once, until they are stopped.

    Attributes:
        acknowledged: who was told that it worked.
    """

    def __init__(self, api: str) -> None:
        self._api, self._numbers = api, count()
        self._stopping = threading.Event()
        self.acknowledged: list[int] = []

    @contextmanager
    def enrolling(self) -> Iterator[None]:
        """Enrol for as long as the context lasts."""
        self._stopping.clear()
        threads = [threading.Thread(target=self._enrol_on) for _ in range(PHONES)]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self._stopping.set()
            for thread in threads:
                thread.join()

    def _enrol_on(self) -> None:
        with httpx2.Client(timeout=60) as http:
            while not self._stopping.is_set():
                person = next(self._numbers)
                try:
                    phone = ReferencePhone(self._api, new_key(), http)
                    phone.register("p")
                    phone.enrol(shots(person))
                except PhoneError:
                    continue
                self.acknowledged.append(person)


def test_nothing_acknowledged_is_lost_and_nothing_is_half_there(
    tmp_path: Path,
) -> None:
    """SQLite with synchronous=FULL, one transaction for one enrolment, the gallery rebuilt."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    crowd = Crowd(f"http://127.0.0.1:{port}{API_PREFIX}")
    chance = random.Random(1)  # noqa: S311 -- when to kill, not a secret
    for _ in range(KILLS):
        with running(tmp_path, port) as process, crowd.enrolling():
            time.sleep(chance.uniform(0.5, 1.5))
            process.kill()

    with MobileWorld(tmp_path) as world:
        accounts = world.rows("accounts")
        whole = world.row(
            "SELECT count(*) FROM (SELECT account FROM biometric_references"
            " GROUP BY account HAVING count(*) = 2) AS whole"
        )[0]
        assert accounts == whole == world.row("SELECT sequence FROM gallery_head")[0]
        assert len(crowd.acknowledged) >= KILLS
        assert len(crowd.acknowledged) <= accounts <= len(crowd.acknowledged) + KILLS * PHONES
        for person in crowd.acknowledged:
            assert _is_recognised(world, person)


def _is_recognised(world: MobileWorld, person: int) -> bool:
    phone = world.phone()
    login = phone.claim(world.door.open())
    return phone.answer_picture(login.login_id, picture(person, shot=9)).hint == "wait_approve"


pytestmark = pytest.mark.timeout(180)
