"""Puts enrolments to the service's rules, and counts whom they let in afterwards.

No HTTP and no database: the rules and the matcher that the service runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final
from uuid import UUID

from engine.gallery.search.exact import ExactGallery
from engine.plausibility import is_plausible
from engine.types import Reference, ReferenceId
from mobile_api.enrolment.rules import IsPlausible, palms_of, require_new, require_sound
from mobile_api.errors import MobileError
from mobile_api.gallery.template_encryption import group_of
from mobile_api.recognition.matcher import PalmMatcher
from mobile_api.recognition.thresholds import CalibratedThresholds
from oidc.types import AccountId

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.decision.calibration import Calibration
    from engine.extract import Extractor
    from engine.settings import EngineSettings
    from engine.types import PalmTemplate

_ACCOUNT: Final = AccountId(UUID(int=1))


@dataclass(frozen=True, slots=True)
class Enrolled:
    """Whom an enrolment lets in.

    Attributes:
        refused: code of the refusal; empty if it passed.
        by_score: people with a probe above the threshold.
        identified: people with a probe that is identified.
    """

    refused: str
    by_score: int = 0
    identified: int = 0


@dataclass(frozen=True, slots=True)
class Rules:
    """What the service judges enrolments and sign-ins by."""

    matcher: PalmMatcher
    is_plausible: IsPlausible


def rules_of(extractor: Extractor, calibration: Calibration, settings: EngineSettings) -> Rules:
    """Return the service's rules at the operator's rates."""
    rates = {"target_fmr": settings.target_fmr, "target_fpir": settings.target_fpir}
    matcher = PalmMatcher(CalibratedThresholds(calibration, **rates))
    return Rules(matcher, partial(is_plausible, extractor=extractor))


def refusal_of(samples: Sequence[PalmTemplate], rules: Rules) -> str:
    """Return the code with which enrolment refuses samples, empty if it does not."""
    try:
        for number, sample in enumerate(samples):
            require_new(sample, samples[:number], rules.matcher)
        require_sound(palms_of(samples), rules.matcher, rules.is_plausible)
    except MobileError as refused:
        return refused.code
    return ""


def enrol(
    samples: Sequence[PalmTemplate],
    people: Sequence[Sequence[PalmTemplate]],
    rules: Rules,
) -> Enrolled:
    """Enrol samples where nobody else is, the lowest threshold; try each person's probes."""
    if refused := refusal_of(samples, rules):
        return Enrolled(refused)
    gallery = ExactGallery(samples[0].extractor, samples[0].vector.size)
    gallery.enrol(
        [
            Reference(ReferenceId(UUID(int=number)), group_of(_ACCOUNT), sample)
            for number, sample in enumerate(samples)
        ]
    )
    by_score = [
        any(rules.matcher.any_enrolled(gallery, [p]) for p in probes) for probes in people
    ]
    named = [any(rules.matcher.identify(gallery, [p]) for p in probes) for probes in people]
    return Enrolled("", sum(by_score), sum(named))
