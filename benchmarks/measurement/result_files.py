"""Result files: numbers with the data, weights, code, machine and protocol behind them.

Aggregates only: no file name, score or identity.
"""

import hashlib
import json
import os
import platform
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.datasets.manifest import PalmSet

ROOT = Path(__file__).parents[2]


def made_by(protocol: str) -> dict[str, Any]:
    """Return which protocol, code and machine make a result, and when."""
    return {
        "protocol": protocol,
        "date": f"{datetime.now(UTC):%Y-%m-%d}",  # noqa: TID251 -- the date of a result
        "code": revision(),
        "machine": machine(),
    }


def result(
    *, protocol: str, palms: PalmSet, parameters: dict[str, Any], numbers: dict[str, Any]
) -> dict[str, Any]:
    """Return a result, ready for JSON."""
    return {
        **made_by(protocol),
        "data": {"name": palms.name, "manifest_sha256": palms.digest},
        "parameters": parameters,
        "models": digest_of(ROOT / "engine" / "networks" / "manifest.toml"),
        **numbers,
    }


def write_result(folder: Path, name: str, content: dict[str, Any]) -> Path:
    """Write a result; return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.json"
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    return path


def revision() -> str:
    """Return the code revision; ``unknown`` outside a checkout."""
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=12"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    return done.stdout.strip() or "unknown"


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file, hexadecimal."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def machine() -> dict[str, Any]:
    """Return what speed depends on, without naming the machine."""
    return {
        "cores": os.cpu_count(),
        "architecture": platform.machine(),
        "system": platform.system(),
        "python": platform.python_version(),
    }
