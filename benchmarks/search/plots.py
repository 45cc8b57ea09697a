"""The plots of the page about searches, as SVG that stands on its own."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from matplotlib import rc_context
from matplotlib.figure import Figure

from benchmarks.accuracy.plots import COLOURS, SIZE, STYLE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.axes import Axes


def latency_plot(sizes: Sequence[dict[str, Any]], larger: Sequence[dict[str, Any]]) -> str:
    """Draw the CPU time of a scan over the number of rows, for each method."""
    sizes = [*sizes, *({"rows": each["rows"], "scans": [each]} for each in larger)]
    methods = list(dict.fromkeys(scan["method"] for size in sizes for scan in size["scans"]))

    def draw(axes: Axes) -> None:
        for number, method in enumerate(methods):
            points = [
                (size["rows"], scan["one_thread"]["cpu_ms"])
                for size in sizes
                for scan in size["scans"]
                if scan["method"] == method
            ]
            colour = COLOURS[number % len(COLOURS)]
            axes.plot(*zip(*points, strict=True), "o-", color=colour, label=method, ms=4)
        searched = [size for size in sizes if "whole_search" in size]
        if searched:
            whole = [(size["rows"], size["whole_search"]["cpu_ms"]) for size in searched]
            axes.plot(*zip(*whole, strict=True), "k--", label="whole search", linewidth=1.2)
        axes.set(xscale="log", yscale="log", xlabel="rows", ylabel="CPU ms, one thread")

    return _svg(draw)


def recall_plot(size: dict[str, Any]) -> str:
    """Draw, for one size, the share of mates in the short list over the time of a scan."""

    def draw(axes: Axes) -> None:
        for number, scan in enumerate(size["scans"]):
            looked = max(scan["mates_looked_for"], 1)
            missed = max(scan["mates_not_in_short_list"] / looked, 0.3 / looked)
            colour = COLOURS[number % len(COLOURS)]
            cpu_ms = scan["one_thread"]["cpu_ms"]
            axes.plot(cpu_ms, missed, "o", color=colour, label=scan["method"])
        axes.set(xscale="log", yscale="log")
        axes.set(xlabel="CPU ms, one thread", ylabel="mates not in the short list")

    return _svg(draw)


def _svg(draw: Callable[[Axes], None]) -> str:
    """Draw one plot and return it without the declaration of a file."""
    with rc_context(STYLE):
        figure = Figure(figsize=SIZE, layout="constrained")
        axes = figure.subplots()
        draw(axes)
        axes.legend(fontsize=8)
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue().partition("<svg")[1] + text.getvalue().partition("<svg")[2]
