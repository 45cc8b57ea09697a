"""A phone that waits is told what happens to its login, and costs the databases nothing."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import Engine, event

from mobile_api.errors import PhoneRefused
from mobile_api.reference_phone.client import ReferencePhone
from tests.fakes.mobile_api.fake_engine import picture
from tests.fakes.mobile_api.service import API, MobileWorld

UNTIL_NOTICED_S = 3


class Follower(threading.Thread):
    """Reads a login's stream to its end; the test's client holds it back until then."""

    def __init__(self, phone: ReferencePhone, login_id: str) -> None:
        super().__init__(daemon=True)
        self._phone, self._login_id = phone, login_id
        self.hints: list[str] = []

    def run(self) -> None:
        """Read."""
        self.hints = [each.hint for each in self._phone.login_states(self._login_id)]


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


@pytest.fixture
def world(tmp_path: Path) -> Iterator[MobileWorld]:
    """Give a service of one's own."""
    with MobileWorld(tmp_path) as world:
        yield world


def test_a_waiting_phone_is_told_each_state_until_the_end(world: MobileWorld) -> None:
    """Within a second or two, also of an end elsewhere."""
    phone = world.enrolled([picture(1, shot=each) for each in range(2)])
    login_id = phone.claim(world.door.open()).login_id
    follower = Follower(ReferencePhone(API, phone.key, world.client), login_id)
    follower.start()
    time.sleep(UNTIL_NOTICED_S)
    phone.answer_picture(login_id, picture(1, shot=9))
    time.sleep(UNTIL_NOTICED_S)
    phone.decline(login_id)
    follower.join(10)

    assert follower.hints == ["wait_palm", "wait_approve", "declined"]


def test_waiting_and_reading_commit_nothing(world: MobileWorld) -> None:
    """No nonce is stored, and no row is touched."""
    phone = world.enrolled([picture(1, shot=each) for each in range(2)])
    login_id = phone.claim(world.door.open()).login_id
    follower = Follower(ReferencePhone(API, phone.key, world.client), login_id)
    with commits() as seen:
        follower.start()
        for _ in range(3):
            phone.login_state(login_id)
        time.sleep(UNTIL_NOTICED_S)
        counted = list(seen)
    phone.decline(login_id)
    follower.join(10)

    assert counted == []


def test_nobody_follows_the_login_of_another_phone(world: MobileWorld) -> None:
    """A login's name is no secret."""
    login_id = world.phone().claim(world.door.open()).login_id

    with pytest.raises(PhoneRefused) as refused:
        next(world.phone().login_states(login_id))

    assert (refused.value.status, refused.value.error) == (410, "login_gone")
