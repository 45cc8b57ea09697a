"""The galleries that are measured, and how one starts from its files."""

import secrets
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter, process_time
from typing import Protocol

from benchmarks.measurement.timing import resident_bytes
from engine.gallery.durability.snapshot_file import SnapshotFile
from engine.gallery.durability.state import RowFormat
from engine.gallery.durability.stored import StoredGallery
from engine.gallery.port import Gallery
from engine.gallery.search.memory_gallery import MemoryGallery
from engine.parameters import CODE_BYTES
from engine.types import ExtractorId, Reference, ReferenceId

MILVUS_NAME = "bench"


class MeasuredGallery(Gallery, Protocol):
    """A gallery that is changed and searched."""

    def enrol(self, references: Sequence[Reference]) -> None:
        """Add references."""

    def erase(self, reference_ids: Sequence[ReferenceId]) -> None:
        """Remove references."""


@dataclass(frozen=True, slots=True)
class LocalFiles:
    """A gallery's file on disk, encrypted as in the service."""

    folder: Path
    extractor: ExtractorId
    dimension: int
    key: bytes = field(default_factory=partial(secrets.token_bytes, 32), repr=False)

    def open(self, *, threads: int = 1) -> StoredGallery:
        """Open the gallery as the service does."""
        rows = RowFormat(self.extractor, self.dimension, CODE_BYTES)
        file = SnapshotFile(self.folder / "gallery.sqlite3", rows, self.key)
        return StoredGallery(file, new_gallery=partial(MemoryGallery, threads=threads))


def measure_start(files: LocalFiles, empty: LocalFiles) -> dict[str, float]:
    """Open a gallery in its own process: memory that another one used would be reused."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(_measured_start, files, empty).result()


def _measured_start(files: LocalFiles, empty: LocalFiles) -> dict[str, float]:
    empty.open().close()  # loads and compiles what every gallery needs
    before, began, cpu_began = resident_bytes(), perf_counter(), process_time()
    stored = files.open()
    seconds, cpu_seconds = perf_counter() - began, process_time() - cpu_began
    grown, rows = resident_bytes() - before, len(stored.gallery)
    disk = sum(path.stat().st_size for path in files.folder.iterdir())
    stored.close()
    return {
        "rows": rows,
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "disk_bytes_per_row": disk / rows,
        "resident_bytes_per_row": grown / rows,
    }
