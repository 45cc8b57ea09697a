"""Reads ``manifest.csv``, which says whose palm each file of a folder shows."""

import csv
from io import StringIO
from pathlib import Path
from typing import Final

MANIFEST: Final = "manifest.csv"

MANIFEST_HELP: Final = (
    "Its columns: `path`, relative to the folder, and `identity`, which palm it shows: two"
    " hands of a person are two, empty is unknown. Optional: `hand` (L or R; otherwise as"
    " detected), `session` (otherwise one), `kind` (hand: a picture of a hand, the default;"
    " roi: the palm's square, cut out; negative: no palm) and `subject`, the person (otherwise"
    " the identity)."
)

VALUES: Final = {"hand": ("L", "R", "left", "right"), "kind": ("hand", "roi", "negative")}
"""Columns whose values are fixed, and those values; upper and lower case are the same."""

_NEEDED: Final = ("path", "identity")


class InputFault(Exception):
    """Nothing to read at this path, or not what it should be."""


def manifest_rows(manifest: Path) -> list[dict[str, str]]:
    """Return the rows of a manifest; missing values are empty.

    Raises:
        InputFault: not CSV in UTF-8, without the needed columns, or a value that is not known.
    """
    try:
        text = manifest.read_text(encoding="utf-8-sig")
        rows = csv.DictReader(StringIO(text, newline=""), restkey="", restval="")
        lines = [(rows.line_num, row) for row in rows]
    except OSError as fault:
        raise InputFault(f"{manifest}: {fault.strerror}") from fault
    except (UnicodeDecodeError, csv.Error) as fault:
        raise InputFault(f"{manifest}: not CSV in UTF-8: save it as that") from fault
    if missing := [name for name in _NEEDED if name not in (rows.fieldnames or ())]:
        named = ", ".join(missing)
        raise InputFault(f"{manifest}: needs the columns path and identity; missing: {named}")
    for number, row in lines:
        _require_known(manifest, number, row)
    return [row for _, row in lines]


def _require_known(manifest: Path, number: int, row: dict[str, str]) -> None:
    if not row["path"] or "" in row:
        raise InputFault(f"{manifest}, line {number}: no path, or more values than columns")
    for name, values in VALUES.items():
        value = row.get(name, "").lower()
        if value and value not in {known.lower() for known in values}:
            known = ", ".join(values)
            raise InputFault(f"{manifest}, line {number}: {name} is one of {known}, or empty")
