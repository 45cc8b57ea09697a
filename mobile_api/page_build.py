"""``python -m mobile_api.page_build``: build the phone page if its sources changed.

Parameters and networks of the engine in, hashed files out: ``module`` and ``write_networks``
write phone_page/generated, ``bundle`` runs Node on phone_page into static/, which api/page.py
serves. Needs Node; without it the page sends pictures instead of templates. Always exits with
status 0: the service runs without the built page.
"""

import hashlib
import json
import shutil
import subprocess
from pathlib import Path
from typing import Final

import numpy as np

from engine import parameters
from engine.networks.manifest import read_manifest
from engine.settings import PALM_GRAPH, EngineSettings

PREFIXES: Final = ("DETECT", "HAND", "LANDMARK_", "ROI_FIT_LANDMARKS", "ROI_MEAN_PALM", "SEEN_")
"""Parameters of hand detection, and of what follows the palm graph."""

HEAD: Final = "// Written by mobile_api.page_build from engine/parameters.py."


def module() -> str:
    """Return the module's source, one exported constant per parameter."""
    lines = [
        f"export const {name} = {json.dumps(value)};"
        for name, value in sorted(vars(parameters).items())
        if name.startswith(PREFIXES)
    ]
    return "\n".join((HEAD, *lines, ""))


NETWORKS: Final = ("hand_detector", "hand_landmarks", PALM_GRAPH)
"""Networks the page runs. A service with another palm graph is sent pictures."""


def in_planes(data: bytes) -> bytes:
    """Reorder bytes: every fourth, then every fourth from the second on, and so on.

    Similar bytes then compress a tenth better. ``palm/networks.js`` reverses it.
    """
    return b"".join(np.frombuffer(data, np.uint8)[start::4].tobytes() for start in range(4))


def write_networks(folder: Path, settings: EngineSettings) -> None:
    """Write the networks and their index."""
    entries = read_manifest(settings.manifest)
    for name in NETWORKS:
        network = settings.weights_dir / entries[name].file
        (folder / f"{name}.planes").write_bytes(in_planes(network.read_bytes()))
    described = {
        "extractor": entries[PALM_GRAPH].extractor,
        "files": {name: {"sha256": entries[name].sha256} for name in NETWORKS},
    }
    (folder / "networks.json").write_text(json.dumps(described))


NODE_VERSION: Final = 20
"""Required by esbuild and the build script."""

SOURCE: Final = Path(__file__).with_name("phone_page")

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


OUT: Final = SOURCE.with_name("static")
"""Where the service looks for the built page."""

GENERATED: Final = SOURCE / "generated"

STAMP: Final = SOURCE / "generated" / "built-from"
"""Digest of the last build's sources."""


def main() -> None:
    """Build the page if its sources changed."""
    missing = what_is_missing() or install_packages()
    if missing:
        _leave_out(missing)
        return
    _write_generated()
    digest = _digest()
    if OUT.joinpath("index.html").is_file() and STAMP.is_file() and STAMP.read_text() == digest:
        return
    print("Building the phone page (the first time takes a minute)", flush=True)
    failed = bundle(OUT)
    if failed:
        _leave_out(failed)
        return
    STAMP.write_text(digest)


def _write_generated() -> None:
    """Write what the page needs of the engine."""
    GENERATED.mkdir(exist_ok=True)
    (GENERATED / "parameters.js").write_text(module(), "utf-8")
    write_networks(GENERATED, EngineSettings())


def _leave_out(reason: str) -> None:
    """Print why there is no built page; delete an old one."""
    shutil.rmtree(OUT, ignore_errors=True)
    print(f"The phone page will send pictures, because {reason}.")


def _digest() -> str:
    """Return one digest of all sources and their names."""
    digest = hashlib.sha256()
    for path in sorted(_sources()):
        digest.update(f"{path.relative_to(SOURCE)}\0".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _sources() -> list[Path]:
    return [
        path
        for path in SOURCE.rglob("*")
        if path.is_file() and path != STAMP and "node_modules" not in path.parts
    ]


if __name__ == "__main__":
    main()
