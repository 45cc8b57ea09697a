"""A waiting phone reads each state of its login, and costs the databases nothing."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import pytest
from sqlalchemy import Engine, event

from mobile_api.reference_phone.client import ReferencePhone
from oidc.types import LoginId
from tests.support.palms.fake_engine import picture, shots
from tests.support.phone.reference import refusal
from tests.support.service.mobile_api import API, MobileWorld

PATIENCE_S = 60


class Follower(threading.Thread):
    """Reads a login's stream to its end; the test's client holds it back until then."""

    def __init__(self, world: MobileWorld) -> None:
        super().__init__(daemon=True)
        self.phone = world.enrolled(shots(1))
        self.login_id = self.phone.claim(world.handoff.open()).login_id
        self.hints: list[str] = []
        self._waiting = ReferencePhone(API, self.phone.key, world.client)
        self._watch, self._handoff = world.services.login_watch, world.handoff

    def run(self) -> None:
        """Read."""
        self.hints = [each.hint for each in self._waiting.login_states(self.login_id)]

    def is_current(self) -> bool:
        """Return whether the stream has the state that the database has."""
        name = LoginId(self.login_id)
        waiter = self._watch._subscriptions.get(name)
        return (
            waiter is not None and waiter.state == self._handoff.sequence_numbers([name])[name]
        )


def wait_until(is_so: Callable[[], bool]) -> None:
    """Wait for something, however busy the machine is."""
    end = time.perf_counter() + PATIENCE_S
    while not is_so() and time.perf_counter() < end:
        time.sleep(0.02)
    assert is_so()


@contextmanager
def commits() -> Iterator[list[str]]:
    """Collect the databases that commit."""
    seen: list[str] = []

    def note(connection: object) -> None:
        seen.append(str(connection))

    event.listen(Engine, "commit", note)
    try:
        yield seen
    finally:
        event.remove(Engine, "commit", note)


@pytest.fixture(autouse=True)
def idle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no second round of housekeeping come in between."""
    monkeypatch.setattr("mobile_api.server.jobs.INTERVAL_S", 3600.0)


@pytest.fixture
def follower(idle: None, anywhere: MobileWorld) -> Follower:
    """Give a phone that will wait for its login."""
    return Follower(anywhere)


def test_a_waiting_phone_gets_each_state_until_the_end(follower: Follower) -> None:
    """Within a second or two, also of an end by another party."""
    follower.start()
    wait_until(follower.is_current)
    follower.phone.answer_picture(follower.login_id, picture(1, shot=9))
    wait_until(follower.is_current)
    follower.phone.decline(follower.login_id)
    follower.join(PATIENCE_S)

    assert follower.hints == ["wait_palm", "wait_approve", "declined"]


def test_waiting_and_reading_commit_nothing(
    follower: Follower, anywhere: MobileWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No nonce is stored, and no row is touched."""
    watch, looks = anywhere.services.login_watch, list[object]()
    numbers = watch._fetch

    def noted(asked: Sequence[LoginId]) -> Mapping[LoginId, int]:
        looks.append(asked)
        return numbers(asked)

    monkeypatch.setattr(watch, "_fetch", noted)
    with commits() as seen:
        follower.start()
        for _ in range(3):
            follower.phone.login_state(follower.login_id)
        wait_until(lambda: len(looks) > 1)
        counted = list(seen)
    follower.phone.decline(follower.login_id)
    follower.join(PATIENCE_S)

    assert counted == []


def test_no_phone_follows_the_login_of_another(world: MobileWorld) -> None:
    """A login's name is no secret."""
    login_id = world.phone().claim(world.handoff.open()).login_id

    refused = refusal(lambda: next(world.phone().login_states(login_id)))

    assert (refused.status, refused.error) == (410, "login_gone")
