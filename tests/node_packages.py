"""Install the npm packages that only tests need.

Run before the tests. Installs exactly what the lock files say, from npm's cache where it can;
does nothing if that was done already. Without Node it says which tests are left out.
"""

import shutil
from pathlib import Path
from typing import Final

from mobile_api import page_build

HERE: Final = Path(__file__).parent

NODE: Final = shutil.which("node") or "node"

NEEDED_BY: Final = {
    HERE / "relying_parties": "the journeys with libraries of Node (tests/relying_parties)",
    HERE / "onnx_web": "the palm graph as a browser runs it (tests/onnx_web)",
    HERE / "generated_clients": "the generated TypeScript client (tests/generated_clients)",
    HERE / "axe": "barriers in pages (axe-core)",
}
"""Folders with a lock file, and what its packages are for."""


def what_is_missing(folder: Path) -> str:
    """Return why the tests of a folder must be left out; empty if they need not."""
    if page_build.are_installed(folder):
        return page_build.what_is_missing()
    return "npm packages are not installed: python tests/node_packages.py"


def main() -> None:
    """Install the packages, or say why not: tests without them still run."""
    for folder, needed_by in NEEDED_BY.items():
        missing = page_build.what_is_missing() or page_build.install_packages(folder)
        if missing:
            print(f"Left out, because {missing}: {needed_by}.")


if __name__ == "__main__":
    main()
