"""``thenar bench short-list``: is the mate among the first hundred of a large gallery?

The gallery holds enrolled pictures among drawn palms, which may be less similar to real palms
than real strangers. So every share is given three times: with drawn palms as they are (then an
upper bound); with their cosines scaled per probe to the set's own strangers; and with the
cosine that as many real strangers exceed as fit in the list.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import numpy as np
import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.accuracy.acquisition.acquire import NEGATIVE, Acquired, acquire
from benchmarks.accuracy.plan import UNKNOWN_PALM, plan_comparisons
from benchmarks.accuracy.rates.evaluation import rate_numbers, rounded
from benchmarks.datasets.drawn import EXTRACTOR, read_drawn
from benchmarks.datasets.manifest import DatasetFault, read_palm_set
from benchmarks.measurement.result_files import result, write_result
from engine.errors import EngineError
from engine.networks.manifest import read_manifest
from engine.settings import EngineSettings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from benchmarks.accuracy.plan import Plan
    from benchmarks.datasets.drawn import DrawnTemplates
    from benchmarks.datasets.manifest import PalmSet, Picture

    Vectors = NDArray[np.float32]

LIST_ROWS: Final = 100
"""As in the service."""

SHARES: Final = (0.5, 0.9, 0.99, 0.999, 0.9999)

_SAMPLED_PROBES: Final = 64

_console = Console(stderr=True, highlight=False)


@dataclass(frozen=True, slots=True)
class MateRanks:
    """Rows before the mate, for each probe.

    Attributes:
        stretched: drawn rows with scaled cosines.
        mate: cosine of the mate's best reference.
    """

    own: NDArray[np.int64] = field(repr=False)
    drawn: NDArray[np.int64] = field(repr=False)
    stretched: NDArray[np.int64] = field(repr=False)
    mate: Vectors = field(repr=False)


def short_list(
    data: Annotated[Path, typer.Argument(help="Folder with manifest.csv and pictures.")],
    drawn: Annotated[Path, typer.Option(help="Templates of drawn palms: the gallery.")],
    out: Annotated[Path, typer.Option(help="Folder for the JSON.")],
    rows: Annotated[int, typer.Option(min=1000, help="Most drawn rows.")] = 100_000,
    leave_out: Annotated[
        list[str] | None, typer.Option(help="Prefix of mislabelled identities to skip.")
    ] = None,
    workers: Annotated[int, typer.Option(min=1, help="Processes.")] = 1,
) -> None:
    """Search for every probe of a set among drawn palms."""
    settings = EngineSettings()
    try:
        palms = read_palm_set(data)
        strangers = read_drawn(drawn, palms=rows)
        strangers.require_graph(read_manifest(settings.manifest)[settings.palm_graph].sha256)
        kept = [p for p in palms.pictures if p.kind != NEGATIVE and _is_kept(p, leave_out)]
        acquired = _acquired(kept, workers)
    except (DatasetFault, EngineError) as fault:
        _console.print(f"[red]{fault}[/]", soft_wrap=True)
        raise typer.Exit(code=1) from fault
    plan = plan_comparisons(kept, acquired, seed=1)
    real = np.stack([acquired[place].vectors[0] for place in plan.order])
    numbers = {str(EXTRACTOR): measured(plan, real, strangers.unit_vectors()[:, 0])}
    _write(palms, strangers, leave_out, numbers, out)


def _is_kept(picture: Picture, leave_out: Sequence[str] | None) -> bool:
    return not picture.identity.startswith(tuple(leave_out or ())) or not leave_out


def _acquired(kept: list[Picture], workers: int) -> list[Acquired]:
    outcomes = acquire(kept, (), workers=workers)
    seen = track(outcomes, "acquiring", len(kept), console=_console, transient=True)
    return [outcome for outcome in seen if isinstance(outcome, Acquired)]


def measured(plan: Plan, real: Vectors, drawn: Vectors) -> dict[str, Any]:
    """Return the results, ready for JSON."""
    every = [find_ranks(plan, real, drawn, single=single) for single in (False, True)]
    strangers = _real_strangers(plan, real)
    total = len(drawn) + int(
        (plan.gallery_ends[plan.is_probe] - plan.starts[plan.is_probe]).max()
    )
    limit = float(np.quantile(strangers, 1 - LIST_ROWS / total))
    some = np.flatnonzero(plan.is_probe)
    some = some[:: max(1, len(some) // _SAMPLED_PROBES)]
    return {
        "all_references_of_the_mate": _shares(every[0], limit),
        "one_reference_of_the_mate": _shares(every[1], limit),
        "cosines_of_strangers": {
            "shares": list(SHARES),
            "real_real": _quantiles(strangers),
            "real_drawn": _quantiles(real[some] @ drawn.T),
        },
    }


def find_ranks(plan: Plan, real: Vectors, drawn: Vectors, *, single: bool) -> MateRanks:
    """Search for every probe whose palm is enrolled."""
    found: list[tuple[int, int, int, float]] = []
    for probe in track(np.flatnonzero(plan.is_probe), "searching", console=_console):
        start, end = int(plan.starts[probe]), int(plan.gallery_ends[probe])
        own = plan.identities[start:end] == plan.identities[probe]
        if plan.identities[probe] == UNKNOWN_PALM or not own.any():
            continue
        cosines = real[start:end] @ real[probe]
        mates = cosines[own] if single else cosines[own].max(keepdims=True)
        others, drawn_cosines = np.sort(cosines[~own]), np.sort(drawn @ real[probe])
        middle, spread = drawn_cosines.mean(), drawn_cosines.std()
        shrunk = middle + (mates - others.mean()) * (spread / max(float(others.std()), 1e-6))
        counts = (
            _count_reaching(others, mates), _count_reaching(drawn_cosines, mates),
            _count_reaching(drawn_cosines, shrunk), mates,
        )  # fmt: skip
        found += zip(*(column.tolist() for column in counts), strict=True)
    columns = [np.array(column) for column in zip(*found, strict=True)] or [np.zeros(0)] * 4
    return MateRanks(columns[0], columns[1], columns[2], columns[3].astype(np.float32))


def _count_reaching(rising: Vectors, limits: Vectors) -> NDArray[np.int64]:
    return rising.size - np.searchsorted(rising, limits)


def _shares(found: MateRanks, limit: float) -> dict[str, Any]:
    total = len(found.mate)
    ways = {
        "among_drawn": found.own + found.drawn < LIST_ROWS,
        "among_drawn_stretched": found.own + found.stretched < LIST_ROWS,
        "above_what_real_strangers_reach": found.mate > limit,
    }
    return {name: rate_numbers(int(inside.sum()), total) for name, inside in ways.items()}


def _real_strangers(plan: Plan, real: Vectors) -> Vectors:
    """Return the cosines of each probe with enrolled pictures of other palms of its side."""
    parts = [np.zeros(0, np.float32)]
    for probe in np.flatnonzero(plan.is_probe):
        start, end = int(plan.starts[probe]), int(plan.gallery_ends[probe])
        others = plan.identities[start:end] != plan.identities[probe]
        parts.append(real[start:end][others] @ real[probe])
    return np.concatenate(parts)


def _quantiles(cosines: Vectors) -> list[float]:
    return [rounded(float(value)) for value in np.quantile(cosines, SHARES)]


def _write(
    palms: PalmSet,
    strangers: DrawnTemplates,
    leave_out: Sequence[str] | None,
    numbers: dict[str, Any],
    out: Path,
) -> None:
    content = result(
        protocol="short-list-1",
        palms=palms,
        parameters={
            "drawn": strangers.plan,
            "drawn_rows": len(strangers.codes),
            "list_rows": LIST_ROWS,
            "left_out": list(leave_out or ()),
        },
        numbers={"vectors": numbers},
        at=datetime.now(UTC),  # noqa: TID251 -- the date of a result
    )
    path = write_result(out, f"short-list-{palms.name}", content)
    _console.print(_table(palms.name, numbers))
    _console.print(f"written to {path}", soft_wrap=True)


def _table(name: str, numbers: dict[str, Any]) -> Table:
    table = Table("vector", "mate", "as drawn", "scaled", "limit", box=None, title=name)
    for vector, lines in numbers.items():
        for mate in ("all_references_of_the_mate", "one_reference_of_the_mate"):
            cells = (f"{100 * way['share']:.2f} %" for way in lines[mate].values())
            table.add_row(vector, mate.partition("_")[0], *cells)
    return table
