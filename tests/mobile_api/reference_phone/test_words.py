"""Every reason, hint and error has a sentence that helps."""

from engine.types import QualityReason
from mobile_api.reference_phone.words import HINTS, NOTICES, REASONS, TRUST
from mobile_api.types import NoticeKind, PhoneTrust
from oidc.types import NextStep


def test_every_quality_gate_has_an_instruction() -> None:
    """A person can only do better with an instruction."""
    assert set(REASONS) == set(QualityReason)


def test_every_hint_has_a_sentence() -> None:
    """No person is left in front of a code."""
    assert set(HINTS) == set(NextStep)


def test_trust_and_every_notice_have_a_sentence() -> None:
    """The events of an account are explained in words."""
    assert set(TRUST) == set(PhoneTrust)
    assert set(NOTICES) == set(NoticeKind)
