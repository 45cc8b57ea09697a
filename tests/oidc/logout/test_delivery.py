"""Logout notices on their way: sent once, tried again, given up."""

import pytest

from oidc.keys import SigningKeys, load_cipher
from oidc.logout import CLAIM_LIFETIME, RETRIES, LogoutDelivery, LogoutHttpClient, Post
from oidc.storage.stores.sessions import LogoutNotice, NoticeId
from oidc.types import PairwiseSubject, Sid
from tests.support.servers.recording import Recorder
from tests.support.service.sign_in import SignIn

DAY_S = 86_400


@pytest.fixture
def shop(sign_in: SignIn, logouts: Recorder) -> SignIn:
    """Give a provider with a client to notify."""
    options = {"backchannel_logout_uri": logouts.address, "id_token_algorithm": "ES256"}
    return sign_in.another("Shop", **options)


def process(shop: SignIn, post: Post) -> LogoutDelivery:
    """Return what one more process delivers by."""
    keys = SigningKeys(shop.database, load_cipher(shop.settings.key_source), shop.clock)
    return LogoutDelivery(shop.database, keys, shop.clock, shop.settings.issuer, post)


def deliver(shop: SignIn) -> int:
    """Deliver what is due, as one more process does."""
    return process(shop, LogoutHttpClient(allows_private_hosts=True)).deliver()


def leave(shop: SignIn, count: int = 1) -> None:
    """Leave notices in the outbox."""
    client_id, now = shop.shop.client.client_id, shop.clock()
    about = client_id, PairwiseSubject("vu-anna"), Sid("sid"), 0, now
    with shop.database.write() as stores:
        for number in range(count):
            stores.logouts.add([LogoutNotice(NoticeId(str(number)), *about)])


def test_each_notice_becomes_a_fresh_token_once(shop: SignIn, logouts: Recorder) -> None:
    """Signed as the client's ID tokens are, no older than its delivery; more than one batch."""
    leave(shop, 30)
    shop.clock.advance(3600)

    assert deliver(shop) == 30

    assert len({*logouts.tokens}) == 30
    opened = shop.opened(logouts.tokens[0])
    assert opened.header["alg"] == "ES256"
    assert opened.claims["iat"] == shop.clock().timestamp()
    assert opened.claims["sub"] == "vu-anna"
    shop.clock.advance(DAY_S)
    assert deliver(shop) == 0
    assert len(logouts.tokens) == 30


def test_of_a_crowd_of_sign_outs_one_delivers(shop: SignIn) -> None:
    """Any number of them may come: the others give their threads back at once."""
    leave(shop, 30)
    tried: list[int] = []
    one = process(shop, lambda *_: tried.append(one.deliver()))

    assert one.deliver() == 30
    assert tried == [0] * 30


def test_a_client_that_is_down_is_tried_again_then_given_up(
    shop: SignIn, logouts: Recorder, caplog: pytest.LogCaptureFixture
) -> None:
    """After longer and longer pauses; at last the operator reads whom, never about whom."""
    logouts.status = 500
    leave(shop)
    for pause in RETRIES:
        assert deliver(shop) == 1
        shop.clock.advance(pause.total_seconds() - 1)
        assert deliver(shop) == 0, "too early"
        shop.clock.advance(1)
    assert not caplog.records

    assert deliver(shop) == 1
    shop.clock.advance(DAY_S)
    assert deliver(shop) == 0

    assert len(logouts.tokens) == len(RETRIES) + 1
    assert shop.shop.client.client_id in caplog.text
    assert "vu-anna" not in caplog.text


def test_a_worker_that_died_leaves_its_notices_to_the_next(shop: SignIn) -> None:
    """It had claimed them; when its time is over, they are due again."""
    leave(shop)
    now = shop.clock()
    with shop.database.write() as stores:
        assert stores.logouts.claim(now, now + CLAIM_LIFETIME, count=1)

    assert deliver(shop) == 0
    shop.clock.advance(CLAIM_LIFETIME.total_seconds())
    assert deliver(shop) == 1


def test_a_client_that_no_longer_wants_to_know_is_left_alone(
    shop: SignIn, logouts: Recorder
) -> None:
    """Its address was taken away meanwhile."""
    leave(shop)
    with shop.database.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE clients SET backchannel_logout_uri = NULL")

    deliver(shop)
    shop.clock.advance(DAY_S)

    assert deliver(shop) == 0
    assert not logouts.tokens
