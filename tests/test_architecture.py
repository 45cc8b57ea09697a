"""The rooms import one another as `pyproject.toml` says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def test_the_import_contracts_hold() -> None:
    """Rooms import in one direction only."""
    program = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    done = subprocess.run(  # noqa: S603 - our own interpreter, our own arguments
        [sys.executable, "-c", program, "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )

    assert done.returncode == 0, done.stdout + done.stderr
