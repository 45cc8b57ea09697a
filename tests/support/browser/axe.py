"""axe-core: looks for barriers in a page."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from playwright.sync_api import Page

FOLDER: Final = Path(__file__).parents[2] / "axe"

SCRIPT: Final = FOLDER / "node_modules" / "axe-core" / "axe.min.js"

GRAVE: Final = {"serious", "critical"}

RUN: Final = """async () => {
  const { violations } = await axe.run(document, { resultTypes: ["violations"] });
  return violations.map(({ id, impact, nodes }) => [id, impact, nodes.map((n) => n.html)]);
}"""


def install() -> str:
    """Install what the lock file says, once; return why not, empty if it is done."""
    if SCRIPT.is_file():
        return ""
    npm = shutil.which("npm")
    if npm is None:
        return "npm is not installed"
    quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"]
    done = subprocess.run(  # noqa: S603 -- found on the path, arguments of our own
        [npm, "ci", *quiet], cwd=FOLDER, capture_output=True, check=False
    )
    return "" if done.returncode == 0 else "npm could not install axe-core"


def barriers(page: Page) -> list[str]:
    """Return the serious and the critical barriers of what a page shows now."""
    # Through the debugger: the page's policy allows no such script, and stays as it is.
    page.evaluate(SCRIPT.read_text("utf-8"))
    return [
        f"{rule} ({impact}): {nodes}"
        for rule, impact, nodes in page.evaluate(RUN)
        if impact in GRAVE
    ]
