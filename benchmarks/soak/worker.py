"""Change and search a gallery on disk until killed; send the number of each durable step."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from benchmarks.soak.workload import apply, open_gallery, reference

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from pathlib import Path

    from benchmarks.soak.workload import Workload
    from engine.gallery.durability.stored import StoredGallery


def work(folder: Path, workload: Workload, limit: int, steps: Connection[int, None]) -> None:
    """Continue a workload from the state of the files, until killed."""
    gallery, _ = open_gallery(folder, limit)
    while workload.number < gallery.sequence:
        workload.step()
    gallery.checkpoint()
    steps.send(workload.number)
    threading.Thread(target=_search, args=(gallery,), daemon=True).start()
    while True:
        step = workload.step()
        apply(gallery, step, workload.number)
        if workload.number % 23 == 0:
            gallery.checkpoint()
        elif workload.number % 3 or not gallery.sync():
            continue
        steps.send(workload.number)


def _search(gallery: StoredGallery) -> None:
    number = 0
    while True:
        gallery.search([reference(number, 0).template])
        number = (number + 1) % 1000
