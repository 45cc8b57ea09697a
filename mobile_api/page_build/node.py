"""Runs Node and npm, which only the build needs."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Final

NODE_VERSION: Final = 20
"""Required by esbuild and the build script."""

SOURCE: Final = Path(__file__).parents[1] / "phone_page"

LOCK: Final = "package-lock.json"

INSTALLED: Final = "node_modules/.installed-lock.json"
"""Copy of the lock file that the packages were installed from."""

QUIET: Final = ("--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund")


def what_is_missing() -> str:
    """Return what must be installed first, or an empty string."""
    for name in ("node", "npm"):
        if shutil.which(name) is None:
            return f"{name} is not installed (Node {NODE_VERSION} or later)"
    found = _run("node", "--version").stdout.strip()
    major = int(found.lstrip("v").split(".")[0])
    return "" if major >= NODE_VERSION else f"Node {found} is older than {NODE_VERSION}"


def are_installed(folder: Path = SOURCE) -> bool:
    """Return whether the packages of a folder's lock file are there."""
    installed = folder / INSTALLED
    return installed.is_file() and installed.read_bytes() == (folder / LOCK).read_bytes()


def install_packages(folder: Path = SOURCE) -> str:
    """Install a folder's locked packages once; return the error, or an empty string."""
    if are_installed(folder):
        return ""
    if _run("npm", "ci", *QUIET, folder=folder).returncode:
        return f"npm could not install the packages of {folder.name}"
    shutil.copyfile(folder / LOCK, folder / INSTALLED)
    return ""


def bundle(out: Path) -> str:
    """Run the build script; return its error, or an empty string."""
    done = _run("node", "build.mjs", str(out))
    return done.stderr.strip() if done.returncode else ""


def _run(
    program: str, *arguments: str, folder: Path = SOURCE
) -> subprocess.CompletedProcess[str]:
    """Run a program in a folder."""
    return subprocess.run(  # noqa: S603 -- found on the path, arguments of our own
        [shutil.which(program) or program, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
