"""See to the npm packages that the tests with Node's libraries need and nobody else does.

Run before the tests. Installs exactly what the lock file says, from npm's cache where it can;
does nothing if that was done already. Without Node it says which tests are left out.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent

LOCK: Final = HERE / "package-lock.json"

INSTALLED: Final = HERE / "node_modules" / ".installed-lock.json"
"""A copy of the lock file the packages were installed from."""

NODE_VERSION: Final = (20, 19)
"""What the youngest of the libraries asks for."""

NEEDED_BY: Final = "the journeys with libraries of Node (tests/relying_parties)"


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


def are_installed() -> bool:
    """Tell whether the packages of the lock file are there."""
    return INSTALLED.is_file() and INSTALLED.read_bytes() == LOCK.read_bytes()


def what_is_missing() -> str:
    """Return why the tests with Node must be left out; empty if they need not."""
    if not are_installed():
        missing = missing_programs() or "npm packages are not installed"
        return f"{missing}: python tests/relying_parties/node_packages.py"
    return missing_programs()


def main() -> int:
    """Install the packages, or say why not. Return 0: tests without them still run."""
    missing = missing_programs()
    if missing:
        print(f"Left out, because {missing}: {NEEDED_BY}.")
        return 0
    if are_installed():
        return 0
    print("Installing npm packages for the tests", flush=True)
    quiet = ["--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund"]
    done = subprocess.run(  # noqa: S603 -- a program found on the path
        [program("npm"), "ci", *quiet], cwd=HERE, check=False
    )
    if done.returncode:
        print(f"Left out, because npm could not install its packages: {NEEDED_BY}.")
        return 0
    shutil.copyfile(LOCK, INSTALLED)
    return 0


if __name__ == "__main__":
    sys.exit(main())
