"""A nonce is ours, fresh, and used once."""

import base64

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mobile_api.devices import NonceService
from mobile_api.errors import NonceNeeded
from tests.support.service.mobile_api import MobileWorld

KEY = b"k" * 32


@pytest.fixture
def nonces(world: MobileWorld) -> NonceService:
    """Give nonces that live for a minute."""
    return NonceService(lambda: [KEY], world.database, world.clock, lifetime_s=60)


def test_a_nonce_works_until_its_minute_is_over(
    world: MobileWorld, nonces: NonceService
) -> None:
    """A proof that was caught and held back is worthless soon."""
    in_time, late = nonces.issue(), nonces.issue()
    world.clock.advance(59.9)
    nonces.consume(in_time)
    world.clock.advance(0.1)

    with pytest.raises(NonceNeeded):
        nonces.consume(late)


def test_a_nonce_under_another_key_is_not_ours(
    world: MobileWorld, nonces: NonceService
) -> None:
    """The service alone makes nonces."""
    forged = NonceService(
        lambda: [b"x" * 32], world.database, world.clock, lifetime_s=60
    ).issue()

    with pytest.raises(NonceNeeded):
        nonces.consume(forged)


def test_a_nonce_whose_deadline_was_moved_is_not_ours(nonces: NonceService) -> None:
    """The deadline inside is signed."""
    raw = bytearray(base64.urlsafe_b64decode(nonces.issue() + "=="))
    raw[3] ^= 1
    moved = base64.urlsafe_b64encode(bytes(raw)).rstrip(b"=").decode()

    with pytest.raises(NonceNeeded):
        nonces.consume(moved)


def test_handing_out_nonces_writes_nothing(world: MobileWorld) -> None:
    """A caller who asks for many must not fill a table."""
    for _ in range(20):
        world.client.get("/oauth2/mobile/v1/nonce")

    assert world.rows("spent_nonces") == 0


@settings(deadline=None)
@given(st.text(max_size=80))
def test_no_text_makes_spending_raise_anything_else(text: str) -> None:
    """Nonces come from unauthenticated callers."""
    nonces = NonceService(lambda: [KEY], _NoStorage(), _no_clock, lifetime_s=60)  # type: ignore[arg-type]

    with pytest.raises(NonceNeeded):
        nonces.consume(text)


class _NoStorage:
    """Fails if it is asked anything: no forged nonce may reach the database."""


def _no_clock() -> None:
    raise AssertionError
