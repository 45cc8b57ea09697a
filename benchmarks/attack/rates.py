"""Counts what came of sessions: error rates of each species. ISO/IEC 30107-3.

IAPAR asks whether the victim's account is opened: the copy matches another session of the
victim's own hand, and is taken for bona fide. Real pictures have no such session here.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from benchmarks.attack.observed import BONA_FIDE, DrawnSession, ObservedSession
from benchmarks.measurement import interval_over, rate_numbers
from engine.comparison.alignment import compare_claimed
from engine.presentation_attack.session import Outcome, Verdict, open_templates
from engine.types import PalmTemplate


@dataclass(frozen=True, slots=True)
class Judged:
    """A session, its verdict, and whether its palm matches the victim's.

    Attributes:
        matches: None if the victim has no other session.
    """

    drawn: DrawnSession
    verdict: Verdict = field(repr=False)
    matches: bool | None
    cpu_s: float

    @property
    def outcome(self) -> Outcome:
        """The decision of the detector."""
        return self.verdict.outcome

    @property
    def gets_in(self) -> bool:
        """Whether the presentation signs in: no attack was found, and the palm matches."""
        return self.outcome is Outcome.BONA_FIDE and bool(self.matches)


def references_of(
    sessions: Iterable[ObservedSession],
) -> dict[tuple[int, int], list[PalmTemplate]]:
    """Return the templates of each bona fide session, by person and session."""
    return {
        (one.drawn.person, one.drawn.session): [
            first for first, *_ in open_templates(one.steps)
        ]
        for one in sessions
        if one.drawn.species == BONA_FIDE
    }


def matches(
    seen: ObservedSession,
    references: Mapping[tuple[int, int], Sequence[PalmTemplate]],
    threshold: float,
) -> bool | None:
    """Return whether the best palm of a session matches another session of its victim."""
    person, number = seen.drawn.person, seen.drawn.session
    others = [
        template
        for (owner, session), templates in references.items()
        if owner == person
        and (session != number or seen.drawn.species != BONA_FIDE)
        for template in templates
    ]  # fmt: skip
    if not others or seen.drawn.source is not None:
        return None
    probes = [first for first, *_ in open_templates(seen.steps)][:1]
    same = [other for other in others if probes and other.hand == probes[0].hand]
    return bool(same) and float(np.max(compare_claimed(probes[0], same))) >= threshold


def summary(judged: Sequence[Judged]) -> dict[str, Any]:
    """Return the rates, ready for JSON, worst species first."""
    bona_fide = [one for one in judged if one.drawn.species == BONA_FIDE]
    frr = _share([one for one in bona_fide if one.matches is not None], lambda j: not j.gets_in)
    species: dict[str, list[Judged]] = defaultdict(list)
    for one in judged:
        if one.drawn.species != BONA_FIDE:
            species[one.drawn.species].append(one)
    rows = [_species_row(name, ones, frr) for name, ones in species.items()]
    rows.sort(key=lambda row: (-row["apcer"]["share"], row["species"]))
    return {
        "bona_fide": {
            "all": _bona_fide_row(bona_fide),
            "tuned_scenes": _bona_fide_row(_scenes(bona_fide, kept_out=False)),
            "kept_out_scenes": _bona_fide_row(_scenes(bona_fide, kept_out=True)),
            "frr": frr,
        },
        "species": rows,
    }


def _species_row(name: str, ones: Sequence[Judged], frr: float) -> dict[str, Any]:
    known = [one for one in ones if one.matches is not None]
    iapar = _share(known, lambda j: j.gets_in)
    return {
        "species": name,
        "kept_out": ones[0].drawn.is_species_kept_out,
        "apcer": _rate(ones, _passes),
        "apcer_kept_out_scenes": _rate(_scenes(ones, kept_out=True), _passes),
        "apnrr": _rate(ones, _is_undecided),
        "iapar_without_detection": _rate(known, lambda j: bool(j.matches)),
        "iapar": _rate(known, lambda j: j.gets_in),
        "riapar": round(iapar + frr, 5),
        "of_real_pictures": sum(one.drawn.source is not None for one in ones),
        "reasons": _reasons(ones),
    }


def _bona_fide_row(ones: Sequence[Judged]) -> dict[str, Any]:
    return {
        "bpcer": _rate(ones, lambda j: j.outcome is Outcome.ATTACK),
        "bpnrr": _rate(ones, _is_undecided),
        "bpcer_and_bpnrr": _rate(ones, lambda j: not _passes(j)),
        "reasons": _reasons(ones),
    }


def _passes(one: Judged) -> bool:
    return one.outcome is Outcome.BONA_FIDE


def _is_undecided(one: Judged) -> bool:
    return one.outcome is Outcome.CANNOT_TELL


def _scenes(ones: Sequence[Judged], *, kept_out: bool) -> list[Judged]:
    return [one for one in ones if one.drawn.is_scene_kept_out == kept_out]


def _share(ones: Sequence[Judged], happened: Callable[[Judged], bool]) -> float:
    return sum(map(happened, ones)) / len(ones) if ones else 0.0


def _reasons(ones: Sequence[Judged]) -> dict[str, int]:
    counts: dict[str, int] = defaultdict(int)
    for one in ones:
        counts[one.verdict.reason or "bona_fide"] += 1
    return dict(sorted(counts.items(), key=lambda item: -item[1]))


def _rate(ones: Sequence[Judged], happened: Callable[[Judged], bool]) -> dict[str, Any]:
    """Return a rate; the bootstrap over people, widened to hold the exact interval."""
    hits: dict[int, list[bool]] = defaultdict(list)
    for one in ones:
        hits[one.drawn.person].append(happened(one))
    return rate_numbers(sum(map(sum, hits.values())), len(ones), interval_over(hits))
