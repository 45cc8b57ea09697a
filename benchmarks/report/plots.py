"""Plots in one style, as self-contained SVG."""

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from markupsafe import Markup
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

COLOURS: Final = ("#0f6e63", "#c4622d", "#5b6b9e", "#a0457c", "#8a7a22", "#555f66")
"""One per method, the first for the reported one."""

NON_MATED: Final = "#c4622d"

STYLE: Final[dict[Any, Any]] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "thenar",
    "font.family": "sans-serif",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#8b9599",
    "axes.labelcolor": "#3c474c",
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": "#e3e8ea",
    "grid.linewidth": 0.8,
    "xtick.color": "#5a666b",
    "ytick.color": "#5a666b",
    "legend.frameon": False,
    "lines.linewidth": 2,
}

SIZE: Final = (6.2, 3.9)
"""Of a plot, inches."""


@contextmanager
def new_plot(across: str, up: str) -> Iterator[tuple[Axes, Callable[[], Markup]]]:
    """Yield labelled axes, and what returns the drawing on them as SVG."""
    with rc_context(STYLE):
        figure = Figure(figsize=SIZE, layout="constrained")
        axes = figure.subplots()
        axes.set(xlabel=across, ylabel=up)
        yield axes, lambda: _svg(figure)


def scale_for_shares(axes: Axes) -> None:
    """Limit the upright axis to shares: from 0 to 1 at most."""
    axes.set_ylim(0, min(axes.get_ylim()[1], 1.0))


def _svg(figure: Figure) -> Markup:
    out = io.StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    text = out.getvalue()
    return Markup(text[text.index("<svg") :])  # noqa: S704 -- our drawing; text is escaped
