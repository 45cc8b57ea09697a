"""The tests that ``make test`` leaves to ``make check``, and those that start first.

A tier is one expression: ``-m "not check"`` for ``make test``, everything for ``make check``.
Folders, marks and fixtures decide; ``@pytest.mark.check("what")`` moves one slow test.
"""

from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parent

FOLDERS: Final = {
    "journeys": "journeys through a running service",
    "relying_parties": "libraries of relying apps",
    "benchmarks": "benchmarks",
    "models/synthesis/test_drawn_hands.py": "drawn hands",
    "onnx_web/test_node.py": "the palm graph as a browser runs it",
    "generated_clients": "generated clients",
    "engine/comparison/test_kernels.py": "compiling the kernels again",
    "mobile_api/server/test_serving.py": "starting and stopping the service",
    "mobile_api/challenges/test_drawn_sessions.py": "drawn sessions",
    "models/synthesis/test_presentations.py": "drawn sessions",
    "mobile_api/reference_phone/test_camera.py": "programs in the place of a camera",
}
"""Folders and files under tests/, and what they are called in the closing lines."""

MARKS: Final = {
    "browser": "browsers",
    "milvus": "galleries on Milvus",
    "postgres": "PostgreSQL",
}

SAMPLES: Final = (
    "conformance/test_protocol_stores.py::TestLogoutNotices",
    "oidc/browser/test_consent_page_in_chromium.py::test_the_page_follows",
)
"""Starts of test names that ``make test`` runs all the same: one of each kind."""

LONGEST: Final = ("relying_parties", "journeys")
"""Folders whose files take minutes: they start first, so no worker waits for the last."""

QUICK: Final = "not check"
"""Selects what ``make test`` runs."""


def sort_into_tiers(items: list[pytest.Item]) -> None:
    """Mark what ``make test`` leaves out, and put it first: no long file is the last."""
    for item in items:
        place = item.path.relative_to(ROOT).as_posix()
        reason = _reason(item, place)
        if reason and item.get_closest_marker("check") is None:
            item.add_marker(pytest.mark.check(reason))
    items.sort(key=_turn)


def _turn(item: pytest.Item) -> tuple[bool, bool]:
    folder = item.path.relative_to(ROOT).parts[0]
    return item.get_closest_marker("check") is None, folder not in LONGEST


def _reason(item: pytest.Item, place: str) -> str:
    if any(f"{place}::{item.name}".startswith(sample) for sample in SAMPLES):
        return ""
    named = [name for folder, name in FOLDERS.items() if f"{place}/".startswith(f"{folder}/")]
    named += [name for mark, name in MARKS.items() if item.get_closest_marker(mark)]
    return named[0] if named else ""
