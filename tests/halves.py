"""Run all tests as two halves at once, each with its own coverage: two cores, half the time.

The slow half starts browsers and services and mostly waits; the other one mostly computes.
Everything a half prints comes in one piece: the first half's as it happens, then the other's.
``pytest`` alone runs the same tests one after another.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

SLOW: Final = ("tests/journeys", "tests/mobile_api", "tests/relying_parties")
"""Folders of the second half. What needs the Milvus server is not in them: there can be one."""


def main() -> int:
    """Run both halves; return the worse exit status."""
    first = _command(*(f"--ignore={folder}" for folder in SLOW))
    with tempfile.TemporaryFile() as printed:
        second = subprocess.Popen(
            _command(*SLOW), stdout=printed, stderr=subprocess.STDOUT, cwd=_root()
        )
        try:
            status = subprocess.run(first, check=False, cwd=_root()).returncode
            second.wait()
        finally:
            second.kill()
        printed.seek(0)
        sys.stdout.write(f"\nThe other half: {', '.join(SLOW)}\n")
        sys.stdout.write(printed.read().decode(errors="replace"))
    return max(status, second.returncode)


def _command(*options: str) -> list[str]:
    return [
        sys.executable,
        "-m",
        "coverage",
        "run",
        "--parallel-mode",
        "-m",
        "pytest",
        *options,
    ]


def _root() -> Path:
    return Path(__file__).resolve().parent.parent


if __name__ == "__main__":
    sys.exit(main())
