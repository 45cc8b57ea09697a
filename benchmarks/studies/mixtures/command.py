"""``thenar bench mixtures``: does a forged enrolment make one account of several people?

Three samples are forged of 2 to 5 palms by one layout, each of other pictures, so that they are
no copies. Each person then shows three more pictures. Beside it, what the same rules refuse of
real enrolments and sign-ins.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from itertools import cycle, islice, product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import numpy as np
import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.calibration.fit import extraction_of
from benchmarks.datasets.manifest import DatasetFault, read_palm_set
from benchmarks.measurement.rates import rate
from benchmarks.measurement.result_files import result, write_result
from benchmarks.studies.mixtures.attack import Enrolled, enrol, rules_of
from benchmarks.studies.mixtures.mixing import (
    BLEND,
    LAYOUTS,
    mix_regions,
    mix_templates,
    template_of_region,
)
from engine.decision.calibration import load_calibration
from engine.errors import EngineError, FailureToAcquire
from engine.pipeline import load_pipeline
from engine.settings import EngineSettings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from benchmarks.datasets.manifest import PalmSet
    from benchmarks.studies.mixtures.attack import Rules
    from benchmarks.studies.mixtures.mixing import Owners
    from engine.extract import Extractor
    from engine.pipeline import PalmPipeline
    from engine.types import Extraction, Hand, PalmTemplate

SAMPLES: Final = 3
"""Of an enrolment, as the page sends; as many probes follow."""

PEOPLE: Final = (2, 3, 4, 5)

TEMPLATES: Final = "templates"
PICTURES: Final = "pictures"
WAYS: Final[Mapping[str, Sequence[str]]] = {
    TEMPLATES: tuple(LAYOUTS),
    PICTURES: (*LAYOUTS, BLEND),
}

_console = Console(stderr=True, highlight=False)


@dataclass(frozen=True, slots=True)
class Shot:
    """A picture's extraction and session."""

    session: str
    extraction: Extraction = field(repr=False)


Palm = tuple[str, "Hand"]
Palms = dict[Palm, list[Shot]]
"""Pictures by palm and side; a palm under both labels is two."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One forged enrolment: how, of how many, and what came of it."""

    way: str
    layout: str
    people: int
    outcome: Enrolled


def mixtures(
    data: Annotated[Path, typer.Argument(help="Folder with manifest.csv and pictures.")],
    out: Annotated[Path, typer.Option(help="Folder for the JSON.")],
    tries: Annotated[int, typer.Option(min=1, help="Forged enrolments of each way.")] = 1000,
    without: Annotated[str, typer.Option(help="Leave out identities that begin so.")] = "",
    seed: Annotated[int, typer.Option(help="Seed of all random choices.")] = 1,
) -> None:
    """Forge enrolments of several people; count those that let two of them in."""
    settings = EngineSettings()
    try:
        palm_set = read_palm_set(data)
        pipeline = load_pipeline(settings)
        palms = collect(palm_set, pipeline, without)
        calibration = load_calibration(pipeline.extractor.extractor_id)
        rules = rules_of(pipeline.extractor, calibration, settings)
        forger = Forger(palms, pipeline.extractor, rules, np.random.default_rng(seed))
        attempts = [each for way in WAYS for each in forger.attempts(way, tries)]
    except (DatasetFault, EngineError) as fault:
        _console.print(f"[red]{fault}[/]", soft_wrap=True)
        raise typer.Exit(code=1) from fault
    lines = by_layout(attempts)
    numbers = {
        "extractor": str(pipeline.extractor.extractor_id),
        "bona_fide": bona_fide(palms, rules),
        "forged": [counted(attempts, way) for way in WAYS],
        "forged_by_layout": lines,
    }
    content = result(
        protocol="mixtures-1",
        palms=palm_set,
        parameters={"tries": tries, "samples": SAMPLES, "without": without, "seed": seed},
        numbers=numbers,
        at=datetime.now(UTC),  # noqa: TID251 -- the date of a result
    )
    path = write_result(out, f"mixtures-{palm_set.name}", content)
    _console.print(_table(lines))
    _console.print(f"written to {path}", soft_wrap=True)


def collect(palm_set: PalmSet, pipeline: PalmPipeline, without: str) -> Palms:
    """Extract all pictures of known palms."""
    palms: Palms = {}
    for picture in track(palm_set.pictures, "extracting", console=_console):
        is_left_out = bool(without) and picture.identity.startswith(without)
        if not picture.identity or is_left_out:
            continue
        if (extraction := extraction_of(picture, pipeline)) is not None:
            palm = picture.identity, extraction.template.hand
            palms.setdefault(palm, []).append(Shot(picture.session, extraction))
    return palms


@dataclass(frozen=True, slots=True)
class Forgery:
    """Forged samples, and whom they were forged of.

    Attributes:
        palms: the forged ones.
        others: further pictures of each of them.
    """

    samples: list[PalmTemplate] = field(repr=False)
    palms: list[Palm]
    others: list[list[PalmTemplate]] = field(repr=False)


class Forger:
    """Forges enrolments of palms with enough pictures."""

    def __init__(
        self,
        palms: Palms,
        extractor: Extractor,
        rules: Rules,
        rng: np.random.Generator,
    ) -> None:
        self._extractor, self._rules, self._rng = extractor, rules, rng
        self._sides: dict[Hand, list[tuple[Palm, list[Shot]]]] = {}
        for palm, shots in palms.items():
            if len(shots) >= 2 * SAMPLES:
                self._sides.setdefault(palm[1], []).append((palm, shots))
        enough = [len(side) >= max(PEOPLE) for side in self._sides.values()]
        if not enough or not all(enough):
            raise DatasetFault(f"too few palms have {2 * SAMPLES} pictures")

    def attempts(self, way: str, tries: int) -> Iterator[Attempt]:
        """Forge by every layout and number of people in turn."""
        for layout, people in track(plans(way, tries), f"forging {way}", console=_console):
            yield Attempt(way, layout, people, self._attempt(way, layout, people))

    def _attempt(self, way: str, layout: str, people: int) -> Enrolled:
        try:
            forgery = self.forge(way, layout, people)
        except FailureToAcquire as fault:
            return Enrolled(fault.code)
        return enrol(forgery.samples, forgery.others, self._rules)

    def forge(self, way: str, layout: str, people: int) -> Forgery:
        """Forge samples of palms of one side. Raises ``FailureToAcquire``."""
        hands = list(self._sides)
        side = self._sides[hands[int(self._rng.integers(len(hands)))]]
        chosen = [side[int(n)] for n in self._rng.choice(len(side), people, replace=False)]
        shots = [self._shuffled(each) for _, each in chosen]
        owners = None if layout == BLEND else LAYOUTS[layout](people, self._rng)
        parts_of = islice(zip(*shots, strict=False), SAMPLES)
        samples = [self._forged(way, parts, owners) for parts in parts_of]
        others = [[each.template for each in person[SAMPLES : 2 * SAMPLES]] for person in shots]
        return Forgery(samples, [palm for palm, _ in chosen], others)

    def _shuffled(self, shots: Sequence[Shot]) -> list[Extraction]:
        return [shots[int(n)].extraction for n in self._rng.permutation(len(shots))]

    def _forged(
        self, way: str, parts: Sequence[Extraction], owners: Owners | None
    ) -> PalmTemplate:
        if way == TEMPLATES and owners is not None:
            return mix_templates([part.template for part in parts], owners)
        picture = mix_regions([part.roi.pixels for part in parts], owners)
        return template_of_region(picture, parts[0].template.hand, self._extractor)


def plans(way: str, tries: int) -> list[tuple[str, int]]:
    """Return layout and number of people of each try."""
    return list(islice(cycle(product(WAYS[way], PEOPLE)), tries))


def real_enrolments(shots: Sequence[Shot]) -> Iterator[tuple[str, list[PalmTemplate]]]:
    """Return session and samples of each enrolment that a palm's pictures give."""
    for session in sorted({shot.session for shot in shots}):
        templates = [s.extraction.template for s in shots if s.session == session]
        for first in range(0, len(templates) - SAMPLES + 1, SAMPLES):
            yield session, templates[first : first + SAMPLES]


def bona_fide(palms: Palms, rules: Rules) -> dict[str, Any]:
    """Count what the rules refuse of real people: enrolments of a session, later sign-ins."""
    refused: Counter[str] = Counter()
    by_score = identified = 0
    probes_of: list[int] = []
    for shots in track(palms.values(), "real enrolments", console=_console):
        for session, samples in real_enrolments(shots):
            probes = _probes(shots, session, samples)
            outcome = enrol(samples, [[probe] for probe in probes], rules)
            refused[outcome.refused or "enrolled"] += 1
            if not outcome.refused:
                by_score += outcome.by_score
                identified += outcome.identified
                probes_of.append(len(probes))
    total = refused.total()
    return {
        "enrolments": total,
        "outcomes": dict(refused),
        "refused": asdict(rate(total - refused["enrolled"], total)),
        "sign_ins": sum(probes_of),
        "above_threshold": by_score,
        "refused_as_not_spread": asdict(rate(by_score - identified, by_score)),
    }


def _probes(
    shots: Sequence[Shot], session: str, samples: Sequence[PalmTemplate]
) -> list[PalmTemplate]:
    """Return pictures of another day, or others of this one where there is none."""
    later = [s.extraction.template for s in shots if s.session != session]
    same = [s.extraction.template for s in shots if s.session == session]
    used = {id(sample) for sample in samples}
    others = later or [template for template in same if id(template) not in used]
    return others[:SAMPLES]


def counted(attempts: Sequence[Attempt], way: str) -> dict[str, Any]:
    """Count the outcomes of one way of forging."""
    outcomes = [each.outcome for each in attempts if each.way == way]
    two = sum(outcome.identified >= 2 for outcome in outcomes)
    return {
        "way": way,
        "tries": len(outcomes),
        "outcomes": dict(Counter(each.refused or "enrolled" for each in outcomes)),
        "two_above_threshold": sum(outcome.by_score >= 2 for outcome in outcomes),
        "two_identified": asdict(rate(two, len(outcomes))),
    }


def by_layout(attempts: Sequence[Attempt]) -> list[dict[str, Any]]:
    """Count enrolled mixtures and those that let two people in, by layout and people."""
    lines = []
    for way, layouts in WAYS.items():
        for layout, people in product(layouts, PEOPLE):
            of = [
                each.outcome
                for each in attempts
                if (each.way, each.layout, each.people) == (way, layout, people)
            ]
            lines.append(
                {
                    "way": way,
                    "layout": layout,
                    "people": people,
                    "tries": len(of),
                    "enrolled": sum(not each.refused for each in of),
                    "two_above_threshold": sum(each.by_score >= 2 for each in of),
                    "two_identified": sum(each.identified >= 2 for each in of),
                }
            )
    return lines


def _table(lines: Sequence[dict[str, Any]]) -> Table:
    names = "way", "layout", "people", "tries", "enrolled"
    table = Table(*names, "two by score", "two identified", box=None)
    for line in lines:
        table.add_row(*(str(value) for value in line.values()))
    return table
