"""``thenar bench milvus``: a gallery on a Milvus server, as the service uses it."""

from __future__ import annotations

import os
import secrets
import tempfile
import time
from collections import Counter
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from rich.console import Console
from rich.progress import Progress

from benchmarks.datasets.drawn import EXTRACTOR
from benchmarks.datasets.manifest import DatasetFault
from benchmarks.harness.milvus_server import MilvusProcess, milvus_server
from benchmarks.measurement.result_files import result, write_result
from benchmarks.measurement.timing import time_calls
from benchmarks.oidc.process_usage import resident_mb
from benchmarks.search.population.drawn import read_palms
from benchmarks.search.population.mates import choose_mates, exact_ranks
from benchmarks.search.population.mosaics import Mosaics
from benchmarks.search.population.people import BATCH_PALMS, REFERENCES, SEED, People, group_of
from engine.decision.calibration import load_calibration, threshold_for_fpir
from engine.errors import EngineError
from engine.parameters import SHORT_LIST_ROWS
from engine.types import Hand

if TYPE_CHECKING:
    from benchmarks.search.population.mates import Mates
    from engine.gallery.milvus.gallery import MilvusGallery

TARGET_FPIR: Final = 1e-3
NAME: Final = "bench"

_console = Console(stderr=True, highlight=False)


def milvus(
    data: Annotated[
        Path, typer.Argument(help="Output of “thenar models templates --views 3”.")
    ],
    out: Annotated[Path, typer.Option(help="Folder for the JSON.")] = Path(
        "benchmarks/results"
    ),
    package: Annotated[
        Path, typer.Option(help="Folder with the server's package (tests/milvus_server.py).")
    ] = Path(".milvus"),
    rows: Annotated[
        int, typer.Option(min=2_000, help="References to enrol; a multiple of 2,000.")
    ] = 1_000_000,
    mates: Annotated[int, typer.Option(min=100, help="Mated probes.")] = 1_000,
    runs: Annotated[int, typer.Option(min=10, help="Timed searches, and changes.")] = 100,
) -> None:
    """Measure a gallery on a Milvus server of its own: memory, times, and what is lost.

    Enrols palms mixed from drawn ones, searches for mates, then kills the server, starts it
    again on the same data and counts the rows that were acknowledged.
    """
    if rows % (REFERENCES * BATCH_PALMS):
        raise typer.BadParameter("the rows must be a multiple of 2,000", param_hint="--rows")
    try:
        drawn, palms = read_palms(data)
    except (DatasetFault, EngineError) as fault:
        _console.print(f"[red]{fault}[/]", soft_wrap=True)
        raise typer.Exit(code=1) from fault
    people = People(Mosaics(drawn.parents(), SEED), drawn, rows // REFERENCES)
    with tempfile.TemporaryDirectory(
        prefix="thenar-milvus-", ignore_cleanup_errors=True
    ) as folder:
        numbers = _measured(Path(folder), package, people, mates, runs)
    numbers["client"] = metadata.version("pymilvus")
    numbers["load_average"] = [round(load, 2) for load in os.getloadavg()]
    content = result(
        protocol="milvus",
        palms=palms,
        parameters={"rows": rows, "mated_probes": mates, "timed": runs, "seed": SEED},
        numbers=numbers,
    )
    _console.print(f"written to {write_result(out, f'milvus-{rows}', content)}")


def _measured(
    folder: Path, package: Path, people: People, mates: int, runs: int
) -> dict[str, Any]:
    key = secrets.token_bytes(32)
    with milvus_server(folder, package) as server:
        gallery = _opened(server, people, key)
        numbers = {"memory_empty_mb": round(resident_mb(server.pid))}
        numbers |= measure_gallery(gallery, people, mates, runs)
        numbers |= {"memory_mb": round(resident_mb(server.pid)), "disk_mb": _disk_mb(folder)}
        acknowledged = gallery.row_count(Hand.LEFT)
    began = time.perf_counter()
    with milvus_server(folder, package) as server:
        present = _opened(server, people, key).row_count(Hand.LEFT)
        seconds = round(time.perf_counter() - began, 1)
    return numbers | {
        "after_kill": {"acknowledged": acknowledged, "present": present, "start_s": seconds}
    }


def measure_gallery(
    gallery: MilvusGallery, people: People, mates: int, runs: int
) -> dict[str, Any]:
    """Fill an empty gallery, time it, and search for mates; return numbers for JSON."""
    numbers = _filled(gallery, people) | _times(gallery, people, runs)
    return numbers | _found(gallery, people, mates)


def _opened(server: MilvusProcess, people: People, key: bytes) -> MilvusGallery:
    from engine.gallery.milvus.connect import open_gallery  # noqa: PLC0415 - an extra

    return open_gallery(server.url, NAME, EXTRACTOR, people.dimension, key=key)


def _filled(gallery: MilvusGallery, people: People) -> dict[str, Any]:
    began = time.perf_counter()
    with Progress(console=_console) as progress:
        for first in progress.track(range(0, people.count, BATCH_PALMS), description="enrol"):
            gallery.enrol(people.references(first))
    return {"enrolled_per_s": round(people.rows / (time.perf_counter() - began), 1)}


def _times(gallery: MilvusGallery, people: People, runs: int) -> dict[str, Any]:
    new = people.new_references(runs)
    probes = [reference.template for reference in new]
    works = {
        "search_strong": lambda n: gallery.search([probes[n]], is_strong=True),
        "enrol": lambda n: gallery.enrol([new[n]]),
        "erase": lambda n: gallery.erase([new[n].reference_id]),
        "search": lambda n: gallery.search([probes[n]]),
    }
    found = {}
    for name, work in works.items():
        _console.print(f"timing {name}")
        found[name] = time_calls(work, runs).as_json()
    return found


def _found(gallery: MilvusGallery, people: People, count: int) -> dict[str, Any]:
    threshold = threshold_for_fpir(load_calibration(EXTRACTOR), TARGET_FPIR, people.rows)
    mates = choose_mates(people, count, SEED)
    above = mates.above(threshold)
    _console.print(f"searching for {len(above)} mates above the threshold")
    outcomes = Counter(_outcome(gallery, people, mates, number) for number in above)
    return {"threshold": round(threshold, 4), "mates_above": len(above), "mates": outcomes}


def _outcome(gallery: MilvusGallery, people: People, mates: Mates, number: int) -> str:
    """Return ``first``, ``outranked``, ``not_compared`` (others are nearer) or ``lost``."""
    own = group_of(mates.palms[number])
    places = [found.group_id for found in gallery.search([mates.probes[number]])]
    if own in places:
        return "outranked" if places.index(own) else "first"
    nearer = int(exact_ranks(people, mates, [number])[0])
    return "lost" if nearer * REFERENCES < SHORT_LIST_ROWS else "not_compared"


def _disk_mb(folder: Path) -> int:
    sizes = (path.stat().st_size for path in folder.rglob("*") if path.is_file())
    return round(sum(sizes) / 1e6)
