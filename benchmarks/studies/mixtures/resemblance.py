"""``thenar bench resemblance``: mixtures of enrolled people, and who is refused beside them.

All palms of all sets are enrolled, and drawn ones. Each real enrolment is tried while its palm
is not enrolled; each forged one while its people are enrolled by other pictures. Mixtures of
people who are not enrolled resemble nobody: ``thenar bench mixtures`` counts them.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import numpy as np
import typer
from rich.console import Console
from rich.progress import track

from benchmarks.datasets.drawn import read_drawn
from benchmarks.datasets.manifest import DatasetFault, PalmSet, read_palm_set
from benchmarks.measurement.rates import rate
from benchmarks.measurement.result_files import result, write_result
from benchmarks.studies.mixtures.attack import refusal_of, rules_of
from benchmarks.studies.mixtures.command import (
    SAMPLES,
    WAYS,
    Forger,
    Palms,
    Shot,
    collect,
    plans,
    real_enrolments,
)
from benchmarks.studies.mixtures.population import Population
from engine.decision.calibration import load_calibration
from engine.errors import EngineError, FailureToAcquire
from engine.pipeline import load_pipeline
from engine.settings import EngineSettings
from mobile_api.enrolment.rules import TOO_MANY_SIMILAR
from mobile_api.errors import TemplateUnusual

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.studies.mixtures.attack import Rules
    from engine.decision.calibration import Calibration
    from engine.extract import Extractor
    from engine.types import PalmTemplate

RATES: Final = (0.01, 0.03, 0.1, 0.3, 0.5)
"""Of searches in which a stranger is similar; the service uses ``RESEMBLANCE_FPIR``."""

RESEMBLES_SEVERAL: Final = "resembles_several"

_console = Console(stderr=True, highlight=False)


@dataclass(frozen=True, slots=True)
class Tried:
    """One enrolment beside everybody.

    Attributes:
        verdict: code of the refusal; empty if it passed.
        similar: accounts that it resembles, at each of ``RATES``.
    """

    name: str
    verdict: str
    similar: tuple[int, ...] = ()


def resemblance(
    data: Annotated[list[Path], typer.Argument(help="Folders with manifest.csv and pictures.")],
    out: Annotated[Path, typer.Option(help="Folder for the JSON.")],
    drawn: Annotated[Path | None, typer.Option(help="Drawn templates to enrol, too.")] = None,
    tries: Annotated[int, typer.Option(min=1, help="Forged enrolments, a set and way.")] = 200,
    without: Annotated[str, typer.Option(help="Leave out identities that begin so.")] = "",
    seed: Annotated[int, typer.Option(help="Seed of all random choices.")] = 1,
) -> None:
    """Enrol mixtures of enrolled people, and real palms, beside many others."""
    settings = EngineSettings()
    try:
        palm_sets = [read_palm_set(folder) for folder in data]
        pipeline = load_pipeline(settings)
        sets = {each.name: collect(each, pipeline, without) for each in palm_sets}
        calibration = load_calibration(pipeline.extractor.extractor_id)
        rules = rules_of(pipeline.extractor, calibration, settings)
        trial = Trial(pipeline.extractor, calibration, rules, sets)
        drawn_palms = 0 if drawn is None else trial.enrol_drawn(drawn)
        real = list(trial.real())
        forged = list(trial.forged(tries, np.random.default_rng(seed)))
    except (DatasetFault, EngineError) as fault:
        _console.print(f"[red]{fault}[/]", soft_wrap=True)
        raise typer.Exit(code=1) from fault
    digests = "".join(each.digest for each in palm_sets)
    content = result(
        protocol="resemblance-1",
        palms=PalmSet("+".join(sets), sha256(digests.encode()).hexdigest(), ()),
        parameters={"tries": tries, "samples": SAMPLES, "without": without, "seed": seed},
        numbers={
            "extractor": str(pipeline.extractor.extractor_id),
            "rows": trial.population.rows,
            "drawn_palms": drawn_palms,
            "real": tally(real),
            "forged": tally(forged),
            "curve": curve(real, forged),
        },
        at=datetime.now(UTC),  # noqa: TID251 -- the date of a result
    )
    path = write_result(out, "resemblance", content)
    _console.print_json(data=content["curve"])
    _console.print(f"written to {path}", soft_wrap=True)


class Trial:
    """Enrols beside everybody."""

    def __init__(
        self,
        extractor: Extractor,
        calibration: Calibration,
        rules: Rules,
        sets: dict[str, Palms],
    ) -> None:
        self._extractor, self._calibration, self._sets = extractor, calibration, sets
        self._rules = rules
        self.population = Population(extractor.extractor_id, extractor.dimension)
        for name, palms in sets.items():
            self.population.enrol({(name, palm): _first(palms[palm]) for palm in palms})

    def enrol_drawn(self, folder: Path) -> int:
        """Enrol drawn palms as well; return how many."""
        drawn = read_drawn(folder)
        self.population.enrol_drawn(drawn)
        return len(drawn.codes)

    def real(self) -> Iterator[Tried]:
        """Enrol each palm by other pictures of a session, while it is not enrolled."""
        for name, palms in self._sets.items():
            for palm, shots in track(palms.items(), f"real {name}", console=_console):
                self.population.enrol({(name, palm): []})
                for _, samples in real_enrolments(shots):
                    yield self._tried(name, samples)
                self.population.enrol({(name, palm): _first(shots)})

    def forged(self, tries: int, rng: np.random.Generator) -> Iterator[Tried]:
        """Enrol mixtures of people who are enrolled by other pictures."""
        for name, palms in self._sets.items():
            forger = Forger(palms, self._extractor, self._rules, rng)
            for way in WAYS:
                for layout, people in track(
                    plans(way, tries), f"{name} {way}", console=_console
                ):
                    yield self._mixture(name, palms, forger, (way, layout, people))

    def _mixture(
        self, name: str, palms: Palms, forger: Forger, plan: tuple[str, str, int]
    ) -> Tried:
        try:
            forgery = forger.forge(*plan)
        except FailureToAcquire as fault:
            return Tried(name, fault.code)
        keys = [(name, palm) for palm in forgery.palms]
        self.population.enrol(dict(zip(keys, forgery.others, strict=True)))
        tried = self._tried(name, forgery.samples)
        self.population.enrol({(name, palm): _first(palms[palm]) for palm in forgery.palms})
        return tried

    def _tried(self, name: str, samples: Sequence[PalmTemplate]) -> Tried:
        if refused := refusal_of(samples, self._rules):
            return Tried(name, refused)
        verdict = self.population.verdict(samples, self._rules.matcher)
        similar = self.population.similar(samples, self._calibration, RATES)
        # Both rules have one code: this one is the gallery's.
        is_mixture = verdict == TemplateUnusual.code
        return Tried(name, RESEMBLES_SEVERAL if is_mixture else verdict, tuple(similar))


def tally(tried: Sequence[Tried]) -> dict[str, dict[str, int]]:
    """Count the verdicts of each set."""
    names = dict.fromkeys(each.name for each in tried)
    return {
        name: dict(Counter(t.verdict or "enrolled" for t in tried if t.name == name))
        for name in names
    }


def curve(real: Sequence[Tried], forged: Sequence[Tried]) -> list[dict[str, Any]]:
    """Return what each rate and number of accounts refuses of who passes all other rules."""
    kinds = {"real": real, "forged": forged}
    new = {
        kind: [t for t in tried if t.verdict in {"", RESEMBLES_SEVERAL}]
        for kind, tried in kinds.items()
    }
    return [
        {
            "rate": allowed,
            "accounts": accounts,
            **{
                kind: asdict(rate(sum(t.similar[n] >= accounts for t in tried), len(tried)))
                for kind, tried in new.items()
            },
        }
        for n, allowed in enumerate(RATES)
        for accounts in (TOO_MANY_SIMILAR, TOO_MANY_SIMILAR + 1)
    ]


def _first(shots: Sequence[Shot]) -> list[PalmTemplate]:
    return [shot.extraction.template for shot in shots[:SAMPLES]]
