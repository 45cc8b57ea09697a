"""Measure how a gallery on disk starts: time, disk and memory."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Final

import numpy as np

from engine.gallery.durability.blocks import write_block
from engine.gallery.durability.encryption import ENCRYPTION_OVERHEAD_BYTES
from engine.gallery.durability.gallery_file import GalleryFile
from engine.gallery.durability.state import RowFormat, State
from engine.gallery.durability.stored import StoredGallery
from engine.gallery.rows.coarse_codes import COARSE_BYTES
from engine.gallery.rows.columns import Columns, Shape
from engine.gallery.search.codebook import packed_bits
from engine.gallery.search.packed import PackedGallery
from engine.gallery.search.slot_columns import BLOCK_SLOTS
from engine.parameters import CODE_BYTES
from engine.types import ExtractorId

if TYPE_CHECKING:
    from collections.abc import Iterator

EXTRACTOR: Final = ExtractorId("start-1")
KEY: Final = bytes(range(32))

_PAGES: Final = Path("/proc/self/statm")
_PAGE_BYTES: Final = 4096
_ROWS_PER_GROUP: Final = 4


@dataclass(frozen=True, slots=True)
class StartResult:
    """Cost of a start.

    Attributes:
        seconds: until it could be searched.
        cpu_seconds: of this process.
        disk_bytes_per_row: of all files, codes included.
        resident_bytes_per_row: growth of this process over an empty gallery.
    """

    rows: int
    dimension: int
    seconds: float
    cpu_seconds: float
    disk_bytes_per_row: float
    resident_bytes_per_row: float


def measure_start_in_process(rows: int, dimension: int) -> StartResult:
    """Measure a start in its own process.

    Memory that this process used before would be counted or reused.
    """
    with (
        TemporaryDirectory(prefix="thenar-start-") as folder,
        ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool,
    ):
        return pool.submit(measure_start, Path(folder), rows, dimension).result()


def measure_start(folder: Path, rows: int, dimension: int) -> StartResult:
    """Write a gallery of random rows and open it; memory is right in a new process only."""
    model = RowFormat(EXTRACTOR, dimension, CODE_BYTES, packed_bits(dimension))
    _write(folder / "full", rows, model)
    # Loads and compiles what every gallery needs.
    StoredGallery(GalleryFile(folder / "empty", model, KEY)).close()
    PackedGallery(EXTRACTOR, dimension)
    before = _resident_bytes()
    began, cpu_began = perf_counter(), process_time()
    gallery = StoredGallery(GalleryFile(folder / "full", model, KEY))
    seconds, cpu = perf_counter() - began, process_time() - cpu_began
    if len(gallery) != rows:
        raise AssertionError("the gallery lost rows")
    grown = _resident_bytes() - before
    disk = gallery.state().disk_bytes
    gallery.close()
    return StartResult(rows, dimension, seconds, cpu, disk / rows, grown / rows)


def _write(path: Path, rows: int, model: RowFormat) -> None:
    file = GalleryFile(path, model, KEY)
    shape = Shape(model.dimension, model.dimension * model.bits // 8, COARSE_BYTES)
    entries = []
    for number, block in enumerate(_blocks(rows, model.dimension)):
        with file.transaction() as db:
            entries.append(write_block(db, file.cipher, number, 1, block, shape))
            first, sealed = number * BLOCK_SLOTS, model.code_bytes + ENCRYPTION_OVERHEAD_BYTES
            codes = ((first + slot, bytes(sealed)) for slot in range(len(block)))
            db.executemany("INSERT INTO codes VALUES (?, ?)", codes)
    with file.transaction() as db:
        file.write_state(db, State(1, 1, "", packed=True, blocks=tuple(entries)))
    file.truncate_log()
    file.close()


def _blocks(rows: int, dimension: int) -> Iterator[Columns]:
    """Draw rows: unit vectors, packed rows, four to a group, half of each hand."""
    rng = np.random.default_rng(0)
    packed_octets = dimension * packed_bits(dimension) // 8
    for first in range(0, rows, BLOCK_SLOTS):
        numbers = np.arange(first, min(first + BLOCK_SLOTS, rows))
        vectors = rng.standard_normal((len(numbers), dimension), np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        names = np.zeros((len(numbers), 32), np.uint8)
        names[:, :16] = rng.integers(0, 256, (len(numbers), 16), np.uint8)
        groups = (numbers // _ROWS_PER_GROUP + 1).astype(">u8")
        names[:, 24:] = groups.view(np.uint8).reshape(-1, 8)
        yield Columns(
            names,
            numbers + 1,
            (numbers // 2 % 2).astype(np.uint8),
            vectors.astype(np.float16),
            rng.integers(0, 256, (len(numbers), packed_octets), np.uint8),
            rng.integers(0, 256, (len(numbers), COARSE_BYTES), np.uint8),
        )


def _resident_bytes() -> int:
    return int(_PAGES.read_text(encoding="ascii").split()[1]) * _PAGE_BYTES
