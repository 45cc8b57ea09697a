"""The tickets of a login: many, short-lived, and none of them in the store."""

import base64
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oidc.errors import LoginGone
from oidc.login.tickets import TicketChain, chain_of, parse_ticket, staleness_s
from oidc.types import BrowserSecret, LoginId, LoginLimits, Ticket
from tests.support.clock import FakeClock

NOW = FakeClock()()
LIMITS = LoginLimits()
LOGIN_ID = LoginId("0123456789abcdef" * 2)
CHAIN = chain_of(LOGIN_ID, BrowserSecret("secret"), LIMITS)


def age(ticket: Ticket, after_s: float, chain: TicketChain = CHAIN) -> int:
    """Return how long ago a ticket left the screen, that many seconds after the beginning."""
    now = NOW + timedelta(seconds=after_s)
    return staleness_s(parse_ticket(ticket), chain.anchor, NOW, now, LIMITS)


@given(st.floats(0, LIMITS.pending_s - 0.001))
def test_what_is_on_the_screen_is_always_fresh(second: float) -> None:
    """At any moment of its life."""
    assert age(CHAIN.at(second), second) == 0


def test_a_ticket_of_the_future_cannot_be_shown() -> None:
    """A minute ahead is another process's clock; more is a forgery."""
    assert age(CHAIN.at(60), 0) == 0
    with pytest.raises(LoginGone):
        age(CHAIN.at(75), 0)


def test_what_was_seen_says_nothing_of_what_will_be_shown() -> None:
    """A hash chain walked backwards: from one ticket follow the earlier ones only."""
    seen = parse_ticket(CHAIN.at(10)).element
    later = parse_ticket(CHAIN.at(15)).element
    earlier = parse_ticket(CHAIN.at(5)).element

    assert TicketChain(LOGIN_ID, seen, 1, LIMITS.ticket_step_s).anchor == earlier
    assert TicketChain(LOGIN_ID, later, 1, LIMITS.ticket_step_s).anchor == seen


def test_tickets_of_another_login_are_none_of_this_one() -> None:
    """Not even with the same browser secret: the login's name is in every step."""
    other = chain_of(LoginId("f" * 32), BrowserSecret("secret"), LIMITS)
    swapped_bytes = bytes.fromhex(LOGIN_ID) + parse_ticket(other.at(0)).element
    swapped = base64.urlsafe_b64encode(swapped_bytes)

    with pytest.raises(LoginGone):
        age(Ticket(swapped.rstrip(b"=").decode()), 0)


@pytest.mark.parametrize(
    "text", ["", "x", "a" * 42, "a" * 44, "ä" * 43, "\ud800" * 43, "!" * 43, " " * 43]
)
def test_what_is_no_ticket_is_a_login_that_is_gone(text: str) -> None:
    """Nothing tells a malformed ticket from one of a login that never was."""
    with pytest.raises(LoginGone) as caught:
        parse_ticket(Ticket(text))

    assert caught.value.hint is None


def test_a_chain_does_not_print_its_secret() -> None:
    """A view logged by mistake must not log every ticket to come."""
    assert CHAIN.seed.hex() not in repr(CHAIN)
    assert repr(CHAIN.seed) not in repr(CHAIN)
