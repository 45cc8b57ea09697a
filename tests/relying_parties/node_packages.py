"""See to the npm packages that the tests with Node's libraries need and nobody else does.

Run before the tests. Installs exactly what the lock files say, from npm's cache where it can;
does nothing if that was done already. Without Node it says which tests are left out.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent

LOCK: Final = "package-lock.json"

INSTALLED: Final = "node_modules/.installed-lock.json"
"""A copy of the lock file the packages were installed from."""

NODE_VERSION: Final = (20, 19)
"""What the youngest of the libraries asks for."""

NEEDED_BY: Final = {
    HERE: "the journeys with libraries of Node (tests/relying_parties)",
    HERE.with_name("onnx_web"): "the palm graph as a browser runs it (tests/onnx_web)",
}
"""Folders with a lock file, and what its packages are for."""


def program(name: str) -> str:
    """Return where a program is; empty if it is not installed."""
    return shutil.which(name) or ""


def missing_programs() -> str:
    """Return what must be installed before the packages can be; empty if nothing."""
    wanted = ".".join(map(str, NODE_VERSION))
    for name in ("node", "npm"):
        if not program(name):
            return f"{name} is not installed (Node {wanted} or later)"
    said = subprocess.run(  # noqa: S603 -- a program found on the path
        [program("node"), "--version"], capture_output=True, text=True, check=True
    ).stdout
    found = tuple(int(part) for part in said.strip().lstrip("v").split("."))
    return "" if found >= NODE_VERSION else f"Node {said.strip()} is older than {wanted}"


def are_installed(folder: Path) -> bool:
    """Tell whether the packages of a folder's lock file are there."""
    installed = folder / INSTALLED
    return installed.is_file() and installed.read_bytes() == (folder / LOCK).read_bytes()


def what_is_missing(folder: Path = HERE) -> str:
    """Return why the tests of a folder must be left out; empty if they need not."""
    if not are_installed(folder):
        missing = missing_programs() or "npm packages are not installed"
        return f"{missing}: python tests/relying_parties/node_packages.py"
    return missing_programs()


def main() -> int:
    """Install the packages, or say why not. Return 0: tests without them still run."""
    missing = missing_programs()
    for folder, needed_by in NEEDED_BY.items():
        if missing:
            print(f"Left out, because {missing}: {needed_by}.")
        elif not are_installed(folder):
            install(folder, needed_by)
    return 0


def install(folder: Path, needed_by: str) -> None:
    """Install what a folder's lock file says, or say what is left out without it."""
    print(f"Installing npm packages for {needed_by}", flush=True)
    quiet = ["--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund"]
    done = subprocess.run(  # noqa: S603 -- a program found on the path
        [program("npm"), "ci", *quiet], cwd=folder, check=False
    )
    if done.returncode:
        print(f"Left out, because npm could not install its packages: {needed_by}.")
        return
    shutil.copyfile(folder / LOCK, folder / INSTALLED)


if __name__ == "__main__":
    sys.exit(main())
