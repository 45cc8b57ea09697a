"""Renders a result as a self-contained page."""

from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from benchmarks.console import print_written

TEMPLATES: Final = Path(__file__).parent / "templates"


def render(template: str, **content: Any) -> str:  # noqa: ANN401 -- of any result
    """Return a page."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(percent=percent, count=group)
    return environment.get_template(template).render(**content)


def write_page(result: Path, template: str, **content: Any) -> None:  # noqa: ANN401
    """Write a page beside a result's JSON, and print where it is."""
    page = result.with_suffix(".html")
    page.write_text(render(template, **content), "utf-8")
    print_written(page)


def percent(share: float | None) -> str:
    """Write a share as percent with three figures; a dash for None."""
    if share is None:
        return "–"
    digits = ".3g" if share >= 1e-6 or share == 0 else ".1e"
    return f"{100 * share:{digits}}\u00a0%"


def group(value: int) -> str:
    """Write a number with thin spaces between thousands."""
    return f"{value:,}".replace(",", "\u202f")
