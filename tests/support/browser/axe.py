"""axe-core: looks for barriers in a page."""

from pathlib import Path
from typing import Final

from playwright.sync_api import Page

from tests import node_packages

FOLDER: Final = Path(__file__).parents[2] / "axe"

SCRIPT: Final = FOLDER / "node_modules" / "axe-core" / "axe.min.js"

GRAVE: Final = {"serious", "critical"}

RUN: Final = """async () => {
  const { violations } = await axe.run(document, { resultTypes: ["violations"] });
  return violations.map(({ id, impact, nodes }) => [id, impact, nodes.map((n) => n.html)]);
}"""


def what_is_missing() -> str:
    """Return why no page can be looked at; empty if one can."""
    return node_packages.what_is_missing(FOLDER)


def barriers(page: Page) -> list[str]:
    """Return the serious and the critical barriers of what a page shows now."""
    # Through the debugger: the page's policy allows no such script, and stays as it is.
    page.evaluate(SCRIPT.read_text("utf-8"))
    return [
        f"{rule} ({impact}): {nodes}"
        for rule, impact, nodes in page.evaluate(RUN)
        if impact in GRAVE
    ]
