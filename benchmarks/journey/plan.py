"""Choose which palms are enrolled, from which pictures, and which answer logins.

No picture is used twice, and the seed chooses who is not enrolled, not the result.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from benchmarks.datasets.manifest import PalmSet, Picture

Item = TypeVar("Item")

ENROLLED_SHARE: Final = 5 / 6
"""Largest share of palms that is enrolled; the others are not."""

SPARE_SAMPLES: Final = 2
"""Unusable pictures that may be replaced by the next ones at enrolment."""


@dataclass(frozen=True, slots=True)
class PalmPlan:
    """One palm to enrol.

    Attributes:
        pictures: all of it, in manifest order; the first ones enrol.
    """

    identity: str = field(repr=False)
    pictures: tuple[Picture, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class JourneyPlan:
    """The people of a journey, enrolled and not enrolled.

    Attributes:
        unenrolled: pictures of palms that are not enrolled.
    """

    samples: int
    palms: tuple[PalmPlan, ...] = field(repr=False)
    unenrolled: tuple[Picture, ...] = field(repr=False)


def plan_journey(palms: PalmSet, *, enrol: int, samples: int, seed: int) -> JourneyPlan:
    """Choose palms to enrol; all others are not enrolled."""
    known = {
        name: [picture for picture in pictures if picture.kind == "hand"]
        for name, pictures in palms.by_identity().items()
    }
    fit = sorted(name for name, pictures in known.items() if len(pictures) > samples)
    random.Random(seed).shuffle(fit)  # noqa: S311 -- repeatable, not secret
    chosen = fit[: min(enrol, int(ENROLLED_SHARE * len(known)))]
    unenrolled = [
        picture for name in sorted(known.keys() - set(chosen)) for picture in known[name]
    ]
    unenrolled += [picture for picture in palms.unlabelled() if picture.kind == "hand"]
    return JourneyPlan(
        samples, tuple(PalmPlan(name, tuple(known[name])) for name in chosen), tuple(unenrolled)
    )


def limited(items: Sequence[Item], limit: int | None, seed: int) -> list[Item]:
    """Return at most ``limit`` items, chosen by the seed; all for None."""
    if limit is None or len(items) <= limit:
        return list(items)
    return random.Random(seed).sample(list(items), limit)  # noqa: S311 -- repeatable
