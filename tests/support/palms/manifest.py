"""A set of palm pictures in a folder, as the commands read it."""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

HEADING = ("path", "identity", "session", "hand", "kind")


def write_manifest(
    folder: Path, rows: Iterable[Sequence[str]], heading: Sequence[str] = HEADING
) -> Path:
    """Write the manifest of a set; return its folder."""
    with (folder / "manifest.csv").open("w", newline="") as file:
        csv.writer(file).writerows([heading, *rows])
    return folder
