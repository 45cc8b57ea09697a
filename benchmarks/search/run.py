"""Measure galleries of several sizes; write the JSON and the page.

The page has tables, without scripts.
"""

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from benchmarks.console import console, print_written, track
from benchmarks.datasets import EXTRACTOR, DrawnTemplates, PalmSet, read_drawn
from benchmarks.measurement import result, write_result
from benchmarks.report.page import render
from benchmarks.search.gallery import (
    MILVUS_NAME,
    TARGET_FPIR,
    ExactScan,
    LocalFiles,
    Mates,
    MeasuredGallery,
    choose_mates,
    count_failures,
    faiss_versions,
    identification,
    identify,
    measure_beside_enrolments,
    measure_changes,
    measure_search,
    measure_start,
    search_mates,
    time_in_turn,
)
from benchmarks.search.population import (
    BATCH_PALMS,
    REFERENCES,
    SEED,
    Fillers,
    People,
    origin_count,
    require_enough,
)
from engine import parameters as tuned
from engine.decision.calibration import Calibration, load_calibration, threshold_for_fpir


def render_page(content: dict[str, Any]) -> str:
    """Return the self-contained page of a result."""
    sizes = content["sizes"]
    return render(
        "search.html", content=content, largest=max(sizes, key=lambda size: int(size["rows"]))
    )


SWITCH_INTERVAL_S: Final = 0.0005
"""Longest time a Python thread keeps others waiting, a tenth of the default: otherwise a search
beside enrolments would time the interpreter.
"""

TARGET_FMR: Final = 1e-4


@dataclass(frozen=True, slots=True)
class Options:
    """Options of a measurement.

    Attributes:
        milvus: address of a server, or None.
    """

    mates: int
    runs: int
    exact_runs: int
    milvus: str | None = field(default=None, repr=False)


def measure_sizes(data: Path, out: Path, rows: list[int], options: Options) -> None:
    """Measure a gallery of each size, write the result, print it.

    Raises:
        DatasetFault: ``data`` holds no templates of drawn palms, or too few.
        EngineError: their extractor has no calibration.
    """
    drawn = read_drawn(data)
    require_enough(drawn)
    calibration = load_calibration(EXTRACTOR)
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    fillers, sizes = Fillers(drawn, SEED), dict[int, dict[str, Any]]()
    kind = "milvus" if options.milvus else f"search-{EXTRACTOR}"
    name = f"{kind}-{'-'.join(map(str, rows))}"
    path, content = Path(), dict[str, Any]()
    for count in rows:
        people = People(fillers, drawn, count // REFERENCES)
        thresholds = thresholds_of(calibration, count)
        for sizes[count] in measure_size(people, thresholds, options):
            content = result(
                protocol="search",
                palms=PalmSet(data.resolve().name, drawn.digest(), ()),
                parameters=_parameters(options, drawn),
                numbers={
                    "load_average": [round(load, 2) for load in os.getloadavg()],
                    "sizes": list(sizes.values()),
                },
            )
            path = write_result(out, name, content)
    print_written(path)
    if options.milvus is None and options.exact_runs:
        (out / f"{name}.html").write_text(render_page(content), "utf-8")


def thresholds_of(calibration: Calibration, rows: int) -> dict[str, float]:
    """Return the thresholds at which losses are counted, by name."""
    return {
        f"fpir_{TARGET_FPIR:g}": threshold_for_fpir(calibration, TARGET_FPIR, rows),
        f"fmr_{TARGET_FMR:g}": calibration.threshold_for_fmr(TARGET_FMR),
    }


def measure_size(
    people: People, thresholds: dict[str, float], options: Options
) -> Iterator[dict[str, Any]]:
    """Measure one size; yield all numbers so far, ready for JSON, after each step."""
    console.print(f"{people.rows} rows: mated probes")
    mates = choose_mates(people, options.mates, SEED)
    numbers: dict[str, Any] = {"rows": people.rows, "drawn_mates": len(mates.palms)}
    measure = _on_milvus if options.milvus else _on_disk
    for step in measure(people, mates, thresholds, options):
        numbers |= step
        console.print(f"{people.rows} rows: {', '.join(step)}")
        yield numbers


def _on_milvus(
    people: People, mates: Mates, thresholds: dict[str, float], options: Options
) -> Iterator[dict[str, Any]]:
    from engine.gallery.milvus.stored import open_gallery, open_table  # noqa: PLC0415 -- an extra

    url = options.milvus or ""
    try:
        gallery = open_gallery(url, MILVUS_NAME, EXTRACTOR, people.dimension, key=bytes(32))
        fill(gallery, people)
        yield from measure_gallery(gallery, people, mates, thresholds, options)
    finally:
        open_table(url, MILVUS_NAME, EXTRACTOR).drop()


def _on_disk(
    people: People, mates: Mates, thresholds: dict[str, float], options: Options
) -> Iterator[dict[str, Any]]:
    with TemporaryDirectory(prefix="thenar-search-") as name:
        files, empty = (
            LocalFiles(Path(name) / part, EXTRACTOR, people.dimension)
            for part in ("full", "empty")
        )
        files.folder.mkdir()
        empty.folder.mkdir()
        stored = files.open()
        fill(stored.gallery, people)
        if options.exact_runs:
            exact = ExactScan(people)
            yield {"duel": time_in_turn(exact, stored.gallery, mates, options.exact_runs)}
        yield from measure_gallery(stored.gallery, people, mates, thresholds, options)
        stored.close()
        yield {"start": measure_start(files, empty)}


def fill(gallery: MeasuredGallery, people: People) -> None:
    """Enrol everybody."""
    firsts = range(0, people.count, BATCH_PALMS)
    for first in track(firsts, f"{people.rows} rows: enrolling"):
        gallery.enrol(people.references(first))


def measure_gallery(
    gallery: MeasuredGallery,
    people: People,
    mates: Mates,
    thresholds: dict[str, float],
    options: Options,
) -> Iterator[dict[str, Any]]:
    """Time a filled gallery, and search for every mate."""
    above = mates.above(min(thresholds.values()))
    yield {"whole_search": measure_search(gallery, mates, options.runs)}
    yield {"changes": measure_changes(gallery, people, options.runs)}
    yield {"beside_enrolments": measure_beside_enrolments(gallery, people, mates, options.runs)}
    failures = search_mates(gallery, people, mates, above)
    yield {
        "mates": {
            name: count_failures(failures, mates, threshold)
            for name, threshold in thresholds.items()
        }
    }
    yield {"identification": identification(identify(gallery, mates), thresholds)}


def _parameters(options: Options, drawn: DrawnTemplates) -> dict[str, Any]:
    return {
        "extractor": EXTRACTOR,
        "dimension": drawn.vectors.shape[2],
        "drawn_palms": len(drawn.codes) - origin_count(drawn),
        "fillers_of_palms": origin_count(drawn),
        "recipe": _recipe(drawn),
        "references_per_palm": REFERENCES,
        "scanned_rows": tuned.SCANNED_ROWS,
        "scanned_share": tuned.SCANNED_SHARE,
        "short_list_rows": tuned.SHORT_LIST_ROWS,
        "compared_groups": tuned.COMPARED_GROUPS,
        "mated_probes": options.mates,
        "timed_searches": options.runs,
        "timed_exact_scans": options.exact_runs,
        "seed": SEED,
        **faiss_versions(),
    }


def _recipe(drawn: DrawnTemplates) -> str:
    """Return the command that draws this population."""
    options = " ".join(f"--{name} {drawn.plan[name]}" for name in ("views", "seed", "shift"))
    return f"thenar models templates --palms {len(drawn.codes)} {options}"
