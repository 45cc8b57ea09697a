"""The npm packages of the tests: locked, and done without where there is no Node."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.relying_parties import node_packages


@pytest.mark.parametrize("folder", node_packages.NEEDED_BY, ids=lambda folder: folder.name)
def test_every_package_is_locked_and_no_registry_is_named(folder: Path) -> None:
    """The lock file decides what is installed; whoever installs decides from where."""
    locked = json.loads((folder / node_packages.LOCK).read_text())["packages"]
    installed = {name: package for name, package in locked.items() if name}

    assert all(package["integrity"].startswith("sha512-") for package in installed.values())
    assert not any("resolved" in package for package in installed.values())


@pytest.mark.parametrize("folder", node_packages.NEEDED_BY, ids=lambda folder: folder.name)
def test_packages_come_from_the_lock_file_alone(folder: Path) -> None:
    """What package.json asks for is exact and is what the lock file says."""
    asked = json.loads((folder / "package.json").read_text())
    locked = json.loads((folder / node_packages.LOCK).read_text())["packages"]

    for name, version in asked["dependencies"].items():
        assert locked[f"node_modules/{name}"]["version"] == version


def test_without_node_the_command_says_what_is_left_out(tmp_path: Path) -> None:
    """A machine without Node runs all other tests and learns what it does not run."""
    done = subprocess.run(  # noqa: S603 -- our own command line
        [sys.executable, node_packages.__file__],
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout == "".join(
        f"Left out, because node is not installed (Node 20.19 or later): {needed_by}.\n"
        for needed_by in node_packages.NEEDED_BY.values()
    )
