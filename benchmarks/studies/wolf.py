"""``thenar bench wolf``: how many palms does a forged template match?

The attacker has templates of half of a set's palms and optimises a code, patch by patch, to be
similar to all; its vector is their mean. The other half are enrolled. Counts matches by score
alone and with the margin to all others (``engine.decision.decide``). Rates only; the template
is not stored.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import numpy as np
import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.calibration.fit import LabelledTemplate, labelled_templates
from benchmarks.datasets.manifest import DatasetFault, read_palm_set
from benchmarks.measurement.result_files import result, write_result
from engine.comparison.compare import compare_many, fused_scores
from engine.comparison.vector_penalty import load_vector_penalty
from engine.decision.calibration import load_calibration, threshold_for_fpir
from engine.errors import EngineError
from engine.features.code_bytes import directions_of, pack_code
from engine.parameters import CODE_CELLS, CODE_DIRECTIONS
from engine.pipeline import load_pipeline
from engine.settings import EngineSettings
from engine.types import Hand, PalmTemplate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Directions = NDArray[np.integer]

REFERENCES: Final = 3

KNOWN_PICTURES: Final = 4
"""Most pictures per palm that the attacker has."""

OTHERS: Final = (0, 1, 2, 5, 10, 20)

DRAWS: Final = 500

SUFFICIENT_EXCESS: Final = 0.02
"""Excess over the threshold beyond which scores do not help the attacker."""

LARGEST_PATCH: Final = 12
"""Side of the largest changed patch, cells."""

_EVERYWHERE: Final = np.ones((CODE_CELLS, CODE_CELLS), np.bool_)
_console = Console(stderr=True, highlight=False)


@dataclass(frozen=True, slots=True)
class Attack:
    """Scores of a forged template on one side.

    Attributes:
        known: with the attacker's pictures.
        claimed: best with each enrolled palm.
    """

    known: NDArray[np.float32] = field(repr=False)
    claimed: NDArray[np.float32] = field(repr=False)
    threshold: float


def wolf(
    data: Annotated[Path, typer.Argument(help="Folder with manifest.csv and pictures.")],
    out: Annotated[Path, typer.Option(help="Folder for the JSON.")],
    steps: Annotated[
        int, typer.Option(min=1, help="Changes that the attacker tries.")
    ] = 20_000,
    seed: Annotated[int, typer.Option(help="Seed of all random choices.")] = 1,
) -> None:
    """Forge a template from half of a set's palms; count which others it matches."""
    settings = EngineSettings()
    try:
        palms = read_palm_set(data)
        pipeline = load_pipeline(settings)
        templates = labelled_templates(palms, pipeline, pictures_per_palm=10**6)
        calibration = load_calibration(pipeline.extractor.extractor_id)
    except (DatasetFault, EngineError) as fault:
        _console.print(f"[red]{fault}[/]", soft_wrap=True)
        raise typer.Exit(code=1) from fault
    threshold = threshold_for_fpir(calibration, settings.target_fmr, REFERENCES)
    rng = np.random.default_rng(seed)
    sides = [attack_side(templates, hand, threshold, steps, rng) for hand in Hand]
    attacks = [attack for attack in sides if attack is not None]
    lines = [count_matches(attacks, count, calibration.margin, rng) for count in OTHERS]
    content = result(
        protocol="wolf-2",
        palms=palms,
        parameters={"references": REFERENCES, "steps": steps, "seed": seed},
        numbers={"extractor": str(calibration.extractor), "attack": lines},
        at=datetime.now(UTC),  # noqa: TID251 -- the date of a result
    )
    path = write_result(out, f"wolf-{palms.name}", content)
    _console.print(_table(lines))
    _console.print(f"written to {path}", soft_wrap=True)


def attack_side(
    templates: Sequence[LabelledTemplate],
    hand: Hand,
    threshold: float,
    steps: int,
    rng: np.random.Generator,
) -> Attack | None:
    """Forge a template from half of one side's palms; compare it with the others.

    Returns:
        None with fewer than four palms.
    """
    palms: dict[str, list[PalmTemplate]] = {}
    for each in templates:
        if each.template.hand is hand:
            palms.setdefault(each.identity, []).append(each.template)
    enough = [shots for shots in palms.values() if len(shots) >= REFERENCES]
    if len(enough) < 4:
        return None
    order = rng.permutation(len(enough))
    known = [t for i in order[::2] for t in enough[i][:KNOWN_PICTURES]]
    forged = forge(known, threshold, steps, rng)
    enrolled = [t for i in order[1::2] for t in enough[i][:REFERENCES]]
    claimed = compare_many(forged, enrolled).reshape(-1, REFERENCES).max(axis=1)
    return Attack(compare_many(forged, known), claimed, threshold)


def forge(
    known: Sequence[PalmTemplate], threshold: float, steps: int, rng: np.random.Generator
) -> PalmTemplate:
    """Optimise the mean score with all known templates, capped above the threshold."""
    codes = np.stack([template.code for template in known])
    vectors = np.stack([template.vector for template in known])
    mean = vectors.mean(axis=0)
    vector = np.asarray(mean / np.linalg.norm(mean), np.float32)
    cosines, penalty = vectors @ vector, load_vector_penalty(known[0].extractor)
    parts = [directions_of(code) for code in codes]
    directions: Directions = rng.integers(0, CODE_DIRECTIONS, _EVERYWHERE.shape)
    best = -np.inf
    for _ in track(range(steps), "forging", console=_console, transient=True):
        changed = _changed(directions, parts, rng)
        scores = fused_scores(pack_code(changed, _EVERYWHERE), codes, cosines, penalty)
        reached = float(np.minimum(scores, threshold + SUFFICIENT_EXCESS).mean())
        if reached >= best:
            directions, best = changed, reached
    code = pack_code(directions, _EVERYWHERE)
    return PalmTemplate(known[0].extractor, known[0].hand, vector, code)


def count_matches(
    attacks: Sequence[Attack], others: int, margin: float, rng: np.random.Generator
) -> dict[str, Any]:
    """Count verifications in galleries with so many other palms."""
    tried = by_score = passed = 0
    for attack in attacks:
        if others >= len(attack.claimed):
            continue
        for _ in range(DRAWS):
            claimed, *rest = attack.claimed[
                rng.choice(len(attack.claimed), others + 1, replace=False)
            ]
            tried += 1
            is_taken = claimed >= attack.threshold
            by_score += is_taken
            passed += bool(is_taken and all(claimed - other >= margin for other in rest))
    return {
        "other_palms": others,
        "verifications": tried,
        "passed_by_score": int(by_score),
        "passed_with_margin": passed,
        "palms": sum(len(attack.claimed) for attack in attacks),
        "palms_passed_for": sum(int((a.claimed >= a.threshold).sum()) for a in attacks),
        "known_pictures": sum(len(attack.known) for attack in attacks),
        "known_pictures_passed_for": sum(int((a.known >= a.threshold).sum()) for a in attacks),
    }


def _changed(
    directions: Directions, parts: Sequence[Directions], rng: np.random.Generator
) -> Directions:
    changed = directions.copy()
    size = int(rng.integers(1, LARGEST_PATCH + 1) * rng.random()) + 1
    row, column = rng.integers(0, CODE_CELLS, 2)
    patch = np.s_[row : row + size, column : column + size]
    match int(rng.integers(3)):
        case 0:
            changed[patch] = rng.integers(0, CODE_DIRECTIONS)
        case 1:
            step = rng.choice((1, CODE_DIRECTIONS - 1))
            changed[patch] = (changed[patch] + step) % CODE_DIRECTIONS
        case _:
            part = parts[int(rng.integers(len(parts)))]
            changed[patch] = np.roll(part, rng.integers(-4, 5, 2), axis=(0, 1))[patch]
    return changed


def _table(lines: Sequence[dict[str, Any]]) -> Table:
    table = Table("other palms", "by score alone", "with the margin", box=None)
    for line in lines:
        tried = line["verifications"]
        table.add_row(
            str(line["other_palms"]),
            f"{line['passed_by_score']} of {tried}",
            f"{line['passed_with_margin']} of {tried}",
        )
    return table
