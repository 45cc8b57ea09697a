"""Fetch the Milvus server that only some tests need: `milvus` 2.3.5 of PyPI.

Run before the tests. With THENAR_MILVUS=1 it unpacks the server (60 MB to fetch, 450 MB
unpacked) next to the virtual environment, checked against its digest; otherwise it names the
tests that are left out. It is not installed: its old client would take our client's place.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / ".milvus"
VERSION = "2.3.5"
DIGEST = "69515a0630ce29fd10e101fa442afea8ca1387b93a456cd9bd41fdf3deb93d04"
"""SHA-256 of its wheel for Linux on x86-64, the only one that is tried."""

NEEDED_BY = "the gallery on a real Milvus server (-m milvus)"


def server_package() -> Path | None:
    """Return the folder to import the server's package from, None if it is not there."""
    return FOLDER if (FOLDER / "milvus" / "__init__.py").exists() else None


def main() -> int:
    """Unpack the server if it is wanted and missing. Return 0: tests without it still run."""
    if os.environ.get("THENAR_MILVUS") != "1":
        print(f"Left out, because THENAR_MILVUS is not 1: {NEEDED_BY}.")
        return 0
    if server_package() is not None:
        return 0
    print(f"Fetching the Milvus server {VERSION} for the tests", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        wanted = Path(folder) / "requirements.txt"
        wanted.write_text(f"milvus=={VERSION} --hash=sha256:{DIGEST}\n")
        pip = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--quiet"]
        place = ["--no-deps", "--require-hashes", "--target", str(FOLDER), "-r", str(wanted)]
        done = subprocess.run([*pip, *place], check=False)
    if done.returncode:
        print(f"Left out, because it cannot be fetched: {NEEDED_BY}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
