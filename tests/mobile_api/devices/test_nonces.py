"""A nonce is ours, fresh, and used once."""

import base64
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mobile_api.devices import NonceService
from mobile_api.errors import NonceNeeded
from tests.support.service.mobile_api import MobileWorld

KEY = b"k" * 32


def test_a_nonce_works_until_its_minute_is_over(world: MobileWorld) -> None:
    """A proof that was held back is worthless soon; the deadline inside is signed."""
    nonces, others = [
        NonceService(partial(list, [key]), world.database, world.clock, lifetime_s=60)
        for key in (KEY, b"x" * 32)
    ]
    in_time, late = nonces.issue(), nonces.issue()
    raw = bytearray(base64.urlsafe_b64decode(nonces.issue() + "=="))
    raw[3] ^= 1
    world.clock.advance(59.9)
    nonces.consume(in_time)

    for wrong in (in_time, others.issue(), base64.urlsafe_b64encode(raw).rstrip(b"=").decode()):
        with pytest.raises(NonceNeeded):
            nonces.consume(wrong)
    world.clock.advance(0.1)
    with pytest.raises(NonceNeeded):
        nonces.consume(late)


def test_handing_out_nonces_writes_nothing(world: MobileWorld) -> None:
    """A caller who asks for many must not fill a table."""
    for _ in range(20):
        world.client.get("/oauth2/mobile/v1/nonce")

    assert world.rows("spent_nonces") == 0


@settings(deadline=None)
@given(st.text(max_size=80))
def test_no_text_makes_spending_raise_anything_else(text: str) -> None:
    """Nonces come from unauthenticated callers; no forged one reaches clock or database."""
    nonces = NonceService(lambda: [KEY], None, None, lifetime_s=60)  # type: ignore[arg-type]

    with pytest.raises(NonceNeeded):
        nonces.consume(text)
