"""Plan the comparisons: within one side, and across sessions if there are several.

Templates are sorted by side, unknown palms last, session (of a single one: enrolled pictures
first) and palm: the references of each probe are one range before it, the gallery first.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.accuracy.acquisition import Acquired
from benchmarks.datasets import Picture, side_of

Numbers = NDArray[np.int32]

ENROLLED_PICTURES: Final = 3
"""Gallery pictures of a palm with a single session; at most half of its pictures."""

UNKNOWN_PALM: Final = -1
"""Identity of a picture of an unknown palm."""


@dataclass(frozen=True, slots=True)
class Plan:
    """All comparisons of a set. Arrays have one entry per template, in sorted order.

    Attributes:
        order: index among the acquired templates.
        identities: palm, or ``UNKNOWN_PALM``.
        subjects: unit of the bootstrap: person, palm, or an unknown picture by itself.
        sides: 0 left, 1 right, 2 unknown.
        starts: first template it is compared with; ``ends``: end of the range.
        gallery_ends: end of its side's gallery, which begins at ``starts``.
    """

    order: Numbers = field(repr=False)
    rows: Numbers = field(repr=False)
    identities: Numbers = field(repr=False)
    subjects: Numbers = field(repr=False)
    sides: Numbers = field(repr=False)
    starts: Numbers = field(repr=False)
    ends: Numbers = field(repr=False)
    gallery_ends: Numbers = field(repr=False)
    is_probe: NDArray[np.bool_] = field(repr=False)
    session_count: int

    def comparison_counts(self) -> NDArray[np.int64]:
        """Return the comparisons of each template as probe."""
        return (self.ends - self.starts).astype(np.int64)

    def pairs(self) -> tuple[Numbers, NDArray[np.bool_]]:
        """Return probe and reference of each comparison, shape (count, 2), and which are mated.

        Probe by probe, references in their order.
        """
        counts = self.comparison_counts()
        probes = np.repeat(np.arange(len(counts)), counts)
        firsts = np.repeat(np.cumsum(counts) - counts, counts)
        references = self.starts[probes] + np.arange(len(probes)) - firsts
        known = self.identities[probes] != UNKNOWN_PALM
        is_mated = known & (self.identities[probes] == self.identities[references])
        return np.stack([probes, references], axis=1).astype(np.int32), is_mated


def plan_comparisons(pictures: Sequence[Picture], acquired: Sequence[Acquired]) -> Plan:
    """Plan the comparisons of the acquired pictures."""
    sessions = sorted({p.session for p in pictures if p.identity}, key=_session_key)
    labels = sorted(_labels(pictures, acquired, sessions))
    columns = np.array(labels, np.int32).reshape(-1, 7).T.copy()
    sides, _, tiers, identities, rows, subjects, order = columns
    starts = np.searchsorted(sides, sides).astype(np.int32)
    tier_starts = _run_starts(sides, identities == UNKNOWN_PALM, tiers)
    is_known = identities != UNKNOWN_PALM
    several = len(sessions) > 1
    ends = np.where(is_known & (not several), np.arange(len(labels)), tier_starts)
    enrolled = is_known & (tiers == 0)
    gallery_sizes = np.bincount(sides[enrolled], minlength=3)
    return Plan(
        order=order,
        rows=rows,
        identities=identities,
        subjects=subjects,
        sides=sides,
        starts=starts,
        ends=ends.astype(np.int32),
        gallery_ends=(starts + gallery_sizes[sides]).astype(np.int32),
        is_probe=~enrolled & (gallery_sizes[sides] > 0),
        session_count=len(sessions),
    )


def _session_key(session: str) -> tuple[int, str]:
    return (int(session) if session.isdecimal() else -1, session)


def _labels(
    pictures: Sequence[Picture], acquired: Sequence[Acquired], sessions: Sequence[str]
) -> list[tuple[int, ...]]:
    """Return side, whether the palm is unknown, tier, identity, row, subject and place."""
    names = {name: n for n, name in enumerate(sorted({p.identity for p in pictures} - {""}))}
    people = {name: n for n, name in enumerate(sorted({p.subject for p in pictures} - {""}))}
    tiers = _enrolment_tiers(pictures, acquired)
    labels: list[tuple[int, ...]] = []
    for place, one in enumerate(acquired):
        picture = pictures[one.row]
        known = bool(picture.identity)
        tier = sessions.index(picture.session) if known and len(sessions) > 1 else tiers[place]
        subject = people[picture.subject] if known else len(people) + one.row
        side = _side(picture, one)
        identity = names[picture.identity] if known else UNKNOWN_PALM
        tier = tier if known else 0
        labels.append((side, not known, tier, identity, one.row, subject, place))
    return labels


def _side(picture: Picture, one: Acquired) -> int:
    side = side_of(picture.hand)
    if side is None and picture.kind == "roi":
        return 2
    return 0 if (side or one.hand) == "left" else 1


def _enrolment_tiers(pictures: Sequence[Picture], acquired: Sequence[Acquired]) -> list[int]:
    """For a single session: 0 for the first pictures of each palm (gallery), 1 for others."""
    names = [pictures[one.row].identity for one in acquired]
    totals, seen, tiers = Counter(names), Counter[str](), []
    for name in names:
        seen[name] += 1
        enrolled = min(ENROLLED_PICTURES, totals[name] // 2)
        tiers.append(0 if seen[name] <= enrolled else 1)
    return tiers


def _run_starts(*columns: NDArray[np.generic]) -> NDArray[np.int64]:
    count = len(columns[0])
    begins = np.zeros(count, bool)
    begins[:1] = True
    for column in columns:
        begins[1:] |= column[1:] != column[:-1]
    return np.maximum.accumulate(np.where(begins, np.arange(count), 0))
