"""SECURITY.md: what it says is held by tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]

TEXT = (TESTS.parent / "mobile_api" / "SECURITY.md").read_text("utf-8")


def test_every_test_that_is_named_exists() -> None:
    """A sentence whose test is gone is a promise nobody holds."""
    named = set(re.findall(r"`(test_\w+)`", TEXT))
    there = {
        name
        for path in TESTS.rglob("test_*.py")
        for name in re.findall(r"def (test_\w+)\(", path.read_text("utf-8"))
    }

    assert len(named) > 20
    assert named <= there, named - there


def test_every_row_names_a_test() -> None:
    """What cannot be done is said with what shows it."""
    rows = [line for line in TEXT.splitlines() if line.startswith("| ")]
    said = [row for row in rows if not row.startswith("| it cannot ")]

    assert said
    assert all("`test_" in row for row in said)
