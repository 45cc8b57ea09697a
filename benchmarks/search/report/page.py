"""HTML page of a search result: tables and plots, without scripts."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from benchmarks.accuracy import report as accuracy
from benchmarks.search.report.plots import latency_plot, recall_plot
from benchmarks.search.targets import TARGET_ROWS, search_targets

TEMPLATES: Final = Path(__file__).parent / "templates"

STYLES: Final = Path(accuracy.__file__).parent / "templates"
"""Reports of accuracy and of search look alike."""


def render_page(content: dict[str, Any]) -> str:
    """Return the self-contained page of a result."""
    environment = Environment(
        loader=FileSystemLoader([TEMPLATES, STYLES]), autoescape=True, undefined=StrictUndefined
    )
    drawn = [content, *content.get("others", [])]
    return environment.get_template("search.html").render(
        content=content,
        largest=max(content["sizes"], key=lambda size: int(size["rows"]), default=None),
        target_rows=TARGET_ROWS,
        verdicts=[
            (size["rows"], [target.as_json() for target in search_targets(size)])
            for size in content["sizes"]
        ],
        latency=_markup(latency_plot([size for each in drawn for size in _sizes(each)])),
        recalls=[(size["rows"], _markup(recall_plot(size))) for size in content["sizes"]],
    )


def _sizes(content: dict[str, Any]) -> list[dict[str, Any]]:
    large = [{**size, "scans": [size]} for size in content["larger"]]
    return [*content["sizes"], *large]


def _markup(svg: str) -> Markup:
    return Markup(svg)  # noqa: S704 - drawn from numbers
