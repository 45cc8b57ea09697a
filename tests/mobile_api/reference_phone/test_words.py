"""Every reason, hint and error has a sentence that helps."""

from __future__ import annotations

import pytest

from engine.types import QualityReason
from mobile_api.errors import NoThenarLink, PhoneRefused
from mobile_api.reference_phone.words import (
    HINTS,
    NOTICES,
    REASONS,
    TRUST,
    counted,
    message_for,
)
from mobile_api.types import NoticeKind, PhoneTrust
from oidc.types import NextStep


def test_every_quality_gate_has_an_instruction() -> None:
    """A person can only do better if told what to do."""
    assert set(REASONS) == set(QualityReason)


def test_every_hint_has_a_sentence() -> None:
    """Nobody is left in front of a code."""
    assert set(HINTS) == set(NextStep)


def test_trust_and_every_notice_have_a_sentence() -> None:
    """What happened to an account is told in words."""
    assert set(TRUST) == set(PhoneTrust)
    assert set(NOTICES) == set(NoticeKind)


@pytest.mark.parametrize(
    ("fault", "word"),
    [
        (PhoneRefused(422, "quality_too_low", None, "too_dark", ""), "light"),
        (PhoneRefused(422, "quality_too_low", None, "new_gate", "Be nice."), "Be nice"),
        (PhoneRefused(410, "login_gone", "cancelled", None, ""), "cancelled"),
        (PhoneRefused(410, "login_gone", "go", None, ""), "approved before"),
        (PhoneRefused(410, "login_gone", None, None, ""), "over"),
        (PhoneRefused(409, "already_claimed", None, None, ""), "Another phone"),
        (PhoneRefused(409, "already_enrolled", None, None, "", "ABCD-EFGH"), "ABCD-EFGH"),
        (PhoneRefused(409, "already_enrolled", None, None, ""), "already enrolled"),
        (PhoneRefused(418, "teapot", None, None, "Short and stout."), "Short"),
        (PhoneRefused(502, "unknown", None, None, ""), "unknown"),
        (NoThenarLink("no link"), "no link"),
    ],
)
def test_a_fault_is_put_in_words(fault: PhoneRefused, word: str) -> None:
    """The most exact sentence that is known."""
    assert word in message_for(fault)


def test_a_phone_that_tried_too_often_is_told_for_how_long() -> None:
    """“Tomorrow” would be a guess."""
    refused = PhoneRefused(429, "too_many_attempts", None, None, "")
    refused.retry_after_s = 7200

    assert "in 2 hours" in message_for(refused)


def test_one_thing_is_no_plural() -> None:
    """“1 seconds ago” is how a machine speaks."""
    assert counted(1, "second") == "1 second"
    assert [counted(each, "attempt") for each in (0, 2)] == ["0 attempts", "2 attempts"]
