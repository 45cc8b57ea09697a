"""HTML page of a robustness result: a plot for each condition, and the figures."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from benchmarks.accuracy import report as accuracy
from benchmarks.accuracy.report.page import group, percent
from benchmarks.accuracy.report.plots import COLOURS, NON_MATED, STYLE

TEMPLATES: Final = Path(__file__).parent / "templates"

STYLES: Final = Path(accuracy.__file__).parent / "templates"
"""Reports of accuracy and of robustness look alike."""

SIZE: Final = (5.2, 3.2)
"""Of a plot, inches."""


def render_page(content: dict[str, Any]) -> str:
    """Return the self-contained page of a result."""
    environment = Environment(
        loader=FileSystemLoader([TEMPLATES, STYLES]), autoescape=True, undefined=StrictUndefined
    )
    environment.filters.update(percent=percent, count=group)
    shown = next(iter(content["thresholds"]))
    return environment.get_template("robustness.html").render(
        content=content,
        shown=shown,
        plots=[(curve["condition"], _plot(curve, shown)) for curve in content["curves"]],
    )


def _plot(curve: dict[str, Any], threshold: str) -> Markup:
    points = curve["points"]
    across = [each["strength"] for each in points]
    missed = [each["at"][threshold]["missed_or_refused"] for each in points]
    with rc_context(STYLE):
        figure = Figure(figsize=SIZE, layout="constrained")
        axes = figure.subplots()
        low, high = zip(*(one["interval_95"] for one in missed), strict=True)
        axes.fill_between(across, low, high, color=COLOURS[0], alpha=0.18, linewidth=0)
        axes.plot(across, [one["share"] for one in missed], "o-", color=COLOURS[0], ms=4,
                  label="missed or refused")  # fmt: skip
        axes.plot(across, [each["fta"]["share"] for each in points], "s--", color=NON_MATED,
                  ms=3, linewidth=1.2, label="refused")  # fmt: skip
        axes.set_xlabel(f"{curve['condition']}, {curve['unit']}")
        axes.set_ylim(bottom=0)
        axes.yaxis.set_major_formatter(PercentFormatter(1.0))
        axes.legend(fontsize=8, loc="upper left")
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    return Markup("<svg" + text.getvalue().partition("<svg")[2])  # noqa: S704 - our own drawing
