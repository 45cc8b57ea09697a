"""Count the instructions of a search with ``perf stat``.

Subtracts a process that does everything but search. Virtual machines often have no counters.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

import numpy as np

from benchmarks.datasets.drawn import EXTRACTOR
from engine.features.code_bytes import pack_code
from engine.gallery.search.packed import PackedGallery
from engine.parameters import CODE_CELLS, CODE_DIRECTIONS
from engine.types import GroupId, Hand, PalmTemplate, Reference, ReferenceId

if TYPE_CHECKING:
    from collections.abc import Iterator

ROWS: Final = 100_000
SEARCHES: Final = 200
EVENT: Final = "instructions:u"

_STEP_ROWS: Final = 1_000
_LIMIT_S: Final = 300


def count_instructions(
    dimension: int, *, rows: int = ROWS, searches: int = SEARCHES, perf: str = "perf"
) -> dict[str, Any]:
    """Return the instructions of one search, or why they cannot be counted."""
    program = shutil.which(perf)
    if program is None:
        return {"rows": rows, "a_search": None, "why": "perf is not installed"}
    counts = [_counted(program, dimension, rows, number) for number in (1, 1 + searches)]
    if None in counts:
        return {"rows": rows, "a_search": None, "why": "this machine counts no instructions"}
    without, with_searches = (count or 0 for count in counts)
    return {"rows": rows, "a_search": round((with_searches - without) / searches), "why": ""}


def _counted(program: str, dimension: int, rows: int, searches: int) -> int | None:
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as told:
        count = [program, "stat", "-x", ",", "-e", EVENT, "-o", told.name, "--"]
        module = ["-m", "benchmarks.search.instructions", str(dimension), str(rows)]
        subprocess.run(  # noqa: S603 - our own program
            [*count, sys.executable, *module, str(searches)],
            cwd=Path(__file__).parents[2],
            capture_output=True,
            check=False,
            timeout=_LIMIT_S,
        )
        return read_count(told.read())


def read_count(told: str) -> int | None:
    """Read the output of ``perf stat -x ,``; None without a number."""
    lines = (line.split(",") for line in told.splitlines() if EVENT.split(":")[0] in line)
    return next((int(cells[0]) for cells in lines if cells[0].isdecimal()), None)


def search_random(dimension: int, rows: int, searches: int) -> int:
    """Fill a gallery with random templates and search; return how many mates came first."""
    gallery = PackedGallery(EXTRACTOR, dimension)
    probes: list[PalmTemplate] = []
    for references in _references(dimension, rows):
        gallery.enrol(references)
        probes = [reference.template for reference in references]
    first = [gallery.search([probes[n % len(probes)]])[0].score for n in range(searches)]
    return sum(score > 1 / 2 for score in first)


def _references(dimension: int, rows: int) -> Iterator[list[Reference]]:
    rng = np.random.default_rng(0)
    shape = _STEP_ROWS, CODE_CELLS, CODE_CELLS
    cells, seen = rng.integers(0, CODE_DIRECTIONS, shape), np.ones(shape[1:], np.bool_)
    codes = [pack_code(each, seen) for each in cells]
    for first in range(0, rows, _STEP_ROWS):
        vectors = rng.standard_normal((min(_STEP_ROWS, rows - first), dimension), np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        yield [
            Reference(
                ReferenceId(UUID(int=first + place)),
                GroupId(UUID(int=first + place)),
                PalmTemplate(EXTRACTOR, Hand.LEFT, vector, codes[place]),
            )
            for place, vector in enumerate(vectors)
        ]


if __name__ == "__main__":
    search_random(*map(int, sys.argv[1:]))
