"""A crowd that announces long bodies leaves threads, and turns to write, to everybody else."""

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from mobile_api.api.http import LONG_BODY_CHECKS
from mobile_api.devices import Proof
from mobile_api.errors import InvalidProof
from tests.support.service.mobile_api import API, MobileWorld

CROWD = LONG_BODY_CHECKS + 4
PATIENCE_S = 60


class SlowChecks:
    """Checks proofs of long bodies on demand, and notes how many it checks at once."""

    def __init__(self) -> None:
        self.begun, self.finish = threading.Semaphore(0), threading.Event()
        self.working = self.most = 0
        self._lock = threading.Lock()

    def __call__(self, _proofs: Sequence[str], _method: str, _path: str) -> Proof:
        """Wait, then refuse."""
        with self._lock:
            self.working += 1
            self.most = max(self.most, self.working)
        self.begun.release()
        self.finish.wait(PATIENCE_S)
        with self._lock:
            self.working -= 1
        raise InvalidProof("no proof")


def test_few_senders_of_long_bodies_are_checked_at_once(
    world: MobileWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others wait in a line of their own; a short request is not behind them."""
    checks, headers = SlowChecks(), {"Content-Type": "image/png"}
    address = f"{API}/enrolments/none/samples"
    with ThreadPoolExecutor(CROWD) as pool, monkeypatch.context() as slow:
        slow.setattr(
            type(world.services.devices), "prove", lambda _, *reported: checks(*reported)
        )
        crowd = [pool.submit(world.client.post, address, headers=headers) for _ in range(CROWD)]
        for _ in range(LONG_BODY_CHECKS):
            assert checks.begun.acquire(timeout=PATIENCE_S)
        consent = world.client.get(f"{API}/consent").status_code
        checks.finish.set()
        answered = {each.result().status_code for each in crowd}

    assert checks.most == LONG_BODY_CHECKS
    assert (consent, answered) == (200, {401})
