"""Change and search a gallery on disk until killed; print the number of each durable step.

``python -m benchmarks.soak.worker FOLDER SEED LIMIT`` continues from the state of the files.
"""

from __future__ import annotations

import sys
import threading
from pathlib import Path

from benchmarks.soak.workload import Workload, apply, open_gallery, reference
from engine.gallery.durability.stored import StoredGallery


def main() -> None:
    """Run until killed."""
    folder, seed, limit = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    gallery, _ = open_gallery(folder, limit)
    workload = Workload(seed)
    while workload.number < gallery.sequence:
        workload.step()
    gallery.checkpoint()
    _acknowledge(workload.number)
    threading.Thread(target=_search, args=(gallery,), daemon=True).start()
    while True:
        step = workload.step()
        apply(gallery, step, workload.number)
        if workload.number % 23 == 0:
            gallery.checkpoint()
        elif workload.number % 3 or not gallery.sync():
            continue
        _acknowledge(workload.number)


def _acknowledge(number: int) -> None:
    sys.stdout.write(f"{number}\n")
    sys.stdout.flush()


def _search(gallery: StoredGallery) -> None:
    number = 0
    while True:
        gallery.search([reference(number, 0).template])
        number = (number + 1) % 1000


if __name__ == "__main__":
    main()
