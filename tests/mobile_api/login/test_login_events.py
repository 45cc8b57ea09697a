"""A waiting phone reads each state of its login."""

import threading

from mobile_api.reference_phone.client import ReferencePhone
from oidc.types import LoginId
from tests.support.at_once import wait_until
from tests.support.palms.fake_engine import picture, shots
from tests.support.phone.reference import refusal
from tests.support.service.mobile_api import API, MobileWorld


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


def test_a_waiting_phone_gets_each_state_until_the_end(anywhere: MobileWorld) -> None:
    """Within a second or two, also of an end by another party."""
    follower = Follower(anywhere)
    follower.start()
    wait_until(follower.is_current)
    follower.phone.answer_picture(follower.login_id, picture(1, shot=9))
    wait_until(follower.is_current)
    follower.phone.decline(follower.login_id)
    follower.join(60)

    assert follower.hints == ["wait_palm", "wait_approve", "declined"]


def test_no_phone_follows_the_login_of_another(world: MobileWorld) -> None:
    """A login's name is no secret."""
    login_id = world.phone().claim(world.handoff.open()).login_id

    refused = refusal(lambda: next(world.phone().login_states(login_id)))

    assert (refused.status, refused.error) == (410, "login_gone")
