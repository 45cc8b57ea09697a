"""Limits of both services: who has to wait, and for how long."""

from __future__ import annotations

import pytest

from oidc.plumbing.rate_limit import RateLimit

pytestmark = pytest.mark.usefixtures("still_clock")


def test_a_rate_says_when_there_is_room_again() -> None:
    """RFC 6585 §4: whoever is turned away should know for how long."""
    rate = RateLimit(2, 60)

    assert [rate.count(each) for each in ("one", "one", "another")] == [0, 0, 0]
    assert 1 <= rate.wait_s("one") <= 60
    assert 1 <= rate.count("one") <= 60


def test_no_limit_is_no_limit() -> None:
    """An operator whose gateway counts wants nobody to count twice."""
    rate = RateLimit(0, 60)

    assert not any(rate.count("one") for _ in range(100))
