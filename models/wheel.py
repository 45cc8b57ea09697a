"""Downloads a pinned wheel with this machine's pip and reads files from it.

pip knows the package index, proxy and certificates. The digest is checked by pip
(``--require-hashes``) and again on reading.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import zipfile
from typing import TYPE_CHECKING

from models.errors import DownloadFailed, SourceRefused

if TYPE_CHECKING:
    from pathlib import Path

    from models.sources import Package


def download_wheel(package: Package, folder: Path) -> Path:
    """Download the wheel into a folder and return its path.

    Raises:
        DownloadFailed: pip failed.
    """
    pin = folder / "requirement.txt"
    pin.write_text(f"{package.requirement} --hash=sha256:{package.sha256}\n", encoding="utf-8")
    command = [
        *(sys.executable, "-m", "pip", "download", "--no-deps", "--require-hashes"),
        *("--only-binary=:all:", "--implementation=cp", f"--python-version={package.python}"),
        *(f"--platform={package.platform}", f"--dest={folder}", f"--requirement={pin}"),
        *("--disable-pip-version-check", "--progress-bar=on"),
    ]
    # Fixed arguments, no shell.
    result = subprocess.run(command, check=False)  # noqa: S603
    wheels = sorted(folder.glob("*.whl"))
    if result.returncode or len(wheels) != 1:
        msg = (
            f"pip could not download {package.requirement} (its reason is above). Fetching "
            "needs a package index once. On a machine without one, download that wheel "
            f"elsewhere (Python {package.python}, {package.platform}) and run "
            "`thenar models fetch --wheel FILE`"
        )
        raise DownloadFailed(msg)
    return wheels[0]


def read_wheel(path: Path, package: Package, members: list[str]) -> dict[str, bytes]:
    """Return files of a wheel by their path inside.

    Raises:
        SourceRefused: no such file, another wheel, or a member is missing.
    """
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        msg = f"{path.name} cannot be read: {error.strerror}"
        raise SourceRefused(msg) from error
    if digest != package.sha256:
        msg = f"{path.name} is not the {package.requirement} wheel that the manifest pins"
        raise SourceRefused(msg)
    try:
        with zipfile.ZipFile(path) as wheel:
            return {member: wheel.read(member) for member in members}
    except (KeyError, zipfile.BadZipFile) as error:
        msg = f"{path.name} lacks a file the manifest names: {error}"
        raise SourceRefused(msg) from error
