"""HTML page of a result: tables and plots, without scripts."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from matplotlib import rc_context
from matplotlib.figure import Figure

from benchmarks.accuracy.report.plots import COLOURS, SIZE, STYLE
from benchmarks.oidc.run import OPERATIONS


def render_page(content: dict[str, Any]) -> str:
    """Return the self-contained page of one result."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
    )
    return environment.get_template("oidc.html").render(
        content=content,
        operations=OPERATIONS,
        plots=[_markup(_plot(content, *each)) for each in PLOTS],
    )


PLOTS = (
    ("per_cpu_s_with_database", "requests per CPU second, including the database"),
    ("p99_ms", "p99, ms"),
)


def _plot(content: dict[str, Any], figure: str, label: str) -> str:
    with rc_context(STYLE):
        drawing = Figure(figsize=SIZE, layout="constrained")
        axes = drawing.subplots()
        names = list(content["providers"])
        width = 0.8 / len(names)
        for number, name in enumerate(names):
            kinds = content["providers"][name]
            at = [place + number * width for place in range(len(OPERATIONS))]
            heights = [kinds[kind][figure] for kind in OPERATIONS]
            axes.bar(at, heights, width, color=COLOURS[number % len(COLOURS)], label=name)
        middle = (len(names) - 1) * width / 2
        axes.set_xticks([place + middle for place in range(len(OPERATIONS))], OPERATIONS)
        axes.set_ylabel(label)
        axes.legend(fontsize=8)
        text = io.StringIO()
        drawing.savefig(text, format="svg", metadata={"Date": None})
    return "<svg" + text.getvalue().partition("<svg")[2]


def _markup(svg: str) -> Markup:
    return Markup(svg)  # noqa: S704 - drawn from numbers
