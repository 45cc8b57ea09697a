"""The clock that tries to tell four kinds of ``user_id`` apart."""

from __future__ import annotations

from itertools import count

import pytest

from benchmarks.studies.user_id import UserIdFault, measure, summary

KINDS = {"unknown": "a", "revoked": "b", "foreign": "c", "malformed": "d"}


def test_every_kind_is_asked_as_often_in_an_order_that_changes() -> None:
    """What slows the machine for a moment must fall on all kinds alike."""
    asked: list[str] = []

    def send(value: str) -> str:
        asked.append(value)
        return "the one answer"

    times = measure(send, KINDS, 50, seed=1)

    rounds = {tuple(asked[at : at + 4]) for at in range(0, len(asked), 4)}
    assert [len(each) for each in times.values()] == [50] * 4
    assert len(asked) == 4 * 55
    assert len(rounds) > 10


def test_two_answers_end_the_measurement() -> None:
    """Nobody needs a clock to tell those apart."""
    numbers = count()

    with pytest.raises(UserIdFault, match="different answers"):
        measure(lambda _: str(next(numbers)), KINDS, 10, seed=1)


def test_a_kind_that_is_slower_is_found() -> None:
    """By its median: one slow request among many means nothing."""
    alike = {kind: [0.010, 0.010, 0.010, 5.0] for kind in KINDS}
    slower = {**alike, "foreign": [0.0106] * 4}

    assert summary(alike)["holds"] is True
    found = summary(slower)
    assert found["holds"] is False
    assert found["largest_difference"] == pytest.approx(0.06)
    assert found["median_ms"]["foreign"] == 10.6
