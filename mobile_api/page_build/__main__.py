"""``python -m mobile_api.page_build``: build the phone page if its sources changed.

Always exits with status 0: the service runs without the built page.
"""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path
from typing import Final

from engine.settings import EngineSettings
from mobile_api.page_build import networks, node, parameters

OUT: Final = node.SOURCE.with_name("static")
"""Where the service looks for the built page."""

GENERATED: Final = node.SOURCE / "generated"

STAMP: Final = node.SOURCE / "generated" / "built-from"
"""Digest of the last build's sources."""


def main() -> None:
    """Build the page if its sources changed."""
    missing = node.what_is_missing() or node.install_packages()
    if missing:
        _leave_out(missing)
        return
    _write_generated()
    digest = _digest()
    if OUT.joinpath("index.html").is_file() and STAMP.is_file() and STAMP.read_text() == digest:
        return
    print("Building the phone page (the first time takes a minute)", flush=True)
    failed = node.bundle(OUT)
    if failed:
        _leave_out(failed)
        return
    STAMP.write_text(digest)


def _write_generated() -> None:
    """Write what the page needs of the engine."""
    GENERATED.mkdir(exist_ok=True)
    (GENERATED / "parameters.js").write_text(parameters.module(), "utf-8")
    networks.write_networks(GENERATED, EngineSettings())


def _leave_out(reason: str) -> None:
    """Print why there is no built page; delete an old one."""
    shutil.rmtree(OUT, ignore_errors=True)
    print(f"The phone page will send pictures, because {reason}.")


def _digest() -> str:
    """Return one digest of all sources and their names."""
    digest = hashlib.sha256()
    for path in sorted(_sources()):
        digest.update(f"{path.relative_to(node.SOURCE)}\0".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _sources() -> list[Path]:
    return [
        path
        for path in node.SOURCE.rglob("*")
        if path.is_file() and path != STAMP and "node_modules" not in path.parts
    ]


if __name__ == "__main__":
    main()
