"""Logout notices on their way: sent once, tried again, given up."""

from dataclasses import dataclass, field
from threading import Lock

import pytest

from oidc.clients.registry import RegisteredClient
from oidc.errors import DeliveryFailed
from oidc.keys import SigningKeys, load_cipher
from oidc.logout import CLAIM_LIFETIME, RETRIES, LogoutDelivery
from oidc.storage.stores.sessions import LogoutNotice, NoticeId
from oidc.types import PairwiseSubject, Sid
from tests.support.service.sign_in import SignIn

URI = "https://shop.example/logout"


@dataclass
class Post:
    """Takes logout tokens; fails on demand."""

    is_down: bool = False
    taken: list[tuple[str, str]] = field(default_factory=list)
    lock: Lock = field(default_factory=Lock)

    def __call__(self, address: str, logout_token: str) -> None:
        """Take a token, or fail."""
        with self.lock:
            self.taken.append((address, logout_token))
        if self.is_down:
            raise DeliveryFailed("no answer (TimeoutError)")


@dataclass
class Office:
    """A provider, a client with a logout address, and the delivery."""

    sign_in: SignIn
    client: RegisteredClient
    post: Post

    def worker(self) -> LogoutDelivery:
        """Return the delivery of one more process."""
        settings, clock = self.sign_in.settings, self.sign_in.clock
        cipher = load_cipher(settings.key_source)
        keys = SigningKeys(self.sign_in.database, cipher, clock)
        return LogoutDelivery(self.sign_in.database, keys, clock, settings.issuer, self.post)

    def leave(self, count: int = 1) -> None:
        """Leave notices in the outbox."""
        notices = [
            LogoutNotice(
                NoticeId(str(number)),
                self.client.client.client_id,
                PairwiseSubject("vu-anna"),
                Sid("sid"),
                0,
                self.sign_in.clock(),
            )
            for number in range(count)
        ]
        with self.sign_in.database.write() as stores:
            stores.logouts.add(notices)


@pytest.fixture
def office(sign_in: SignIn) -> Office:
    """Give a provider with a client to notify."""
    client = sign_in.register(
        "Shop", "https://shop.example/", backchannel_logout_uri=URI, id_token_algorithm="ES256"
    )
    return Office(sign_in, client, Post())


def test_each_notice_becomes_a_fresh_token_once(office: Office) -> None:
    """Signed as the client's ID tokens are, no older than its delivery; more than one batch."""
    office.leave(30)
    office.sign_in.clock.advance(3600)

    assert office.worker().deliver() == 30

    assert len({token for _, token in office.post.taken}) == 30
    address, token = office.post.taken[0]
    opened = office.sign_in.opened(token)
    assert address == URI
    assert opened.header["alg"] == "ES256"
    assert opened.claims["iat"] == office.sign_in.clock().timestamp()
    assert opened.claims["sub"] == "vu-anna"
    office.sign_in.clock.advance(86_400)
    assert office.worker().deliver() == 0
    assert len(office.post.taken) == 30


def test_a_client_that_is_down_is_tried_again_then_given_up(
    office: Office, caplog: pytest.LogCaptureFixture
) -> None:
    """After longer and longer pauses; at last the operator reads whom, never about whom."""
    office.post.is_down = True
    office.leave()
    for pause in RETRIES:
        assert office.worker().deliver() == 1
        office.sign_in.clock.advance(pause.total_seconds() - 1)
        assert office.worker().deliver() == 0, "too early"
        office.sign_in.clock.advance(1)
    assert not caplog.records

    assert office.worker().deliver() == 1
    office.sign_in.clock.advance(86_400)
    assert office.worker().deliver() == 0

    assert len(office.post.taken) == len(RETRIES) + 1
    assert office.client.client.client_id in caplog.text
    assert "vu-anna" not in caplog.text


def test_a_worker_that_died_leaves_its_notices_to_the_next(office: Office) -> None:
    """It had claimed them; when its time is over, they are due again."""
    office.leave()
    now = office.sign_in.clock()
    with office.sign_in.database.write() as stores:
        assert stores.logouts.claim(now, now + CLAIM_LIFETIME, count=1)

    assert office.worker().deliver() == 0
    office.sign_in.clock.advance(CLAIM_LIFETIME.total_seconds())
    assert office.worker().deliver() == 1


def test_a_client_that_no_longer_wants_to_know_is_left_alone(office: Office) -> None:
    """Its address was taken away meanwhile."""
    office.leave()
    with office.sign_in.database.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE clients SET backchannel_logout_uri = NULL")

    office.worker().deliver()
    office.sign_in.clock.advance(86_400)

    assert office.worker().deliver() == 0
    assert not office.post.taken
