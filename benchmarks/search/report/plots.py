"""Plots of a search result, as self-contained SVG."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from matplotlib import rc_context
from matplotlib.figure import Figure

from benchmarks.accuracy.report.plots import COLOURS, SIZE, STYLE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.axes import Axes

MARKERS = "os^Dvp*hX"


def latency_plot(sizes: Sequence[dict[str, Any]]) -> str:
    """Draw latency over rows for full scans and whole searches."""
    sizes = sorted(sizes, key=lambda size: int(size["rows"]))
    methods = dict.fromkeys(
        scan["method"] for size in sizes for scan in size["scans"] if scan["row_octets_read"]
    )

    def draw(axes: Axes) -> None:
        for number, method in enumerate(methods):
            points = [
                (size["rows"], scan["latency_ms"])
                for size in sizes
                for scan in size["scans"]
                if scan["method"] == method
            ]
            colour = COLOURS[number % len(COLOURS)]
            axes.plot(*zip(*points, strict=True), "o-", color=colour, label=method, ms=4)
        whole = [(size["rows"], size["whole_search"]["cpu_ms"]) for size in sizes]
        axes.plot(*zip(*whole, strict=True), "k--", label="whole search", linewidth=1.2)
        axes.set(xscale="log", yscale="log", xlabel="rows", ylabel="CPU ms, one thread")

    return _svg(draw)


def recall_plot(size: dict[str, Any]) -> str:
    """Draw the share of lost mates over the latency, for one size."""
    families: dict[str, list[dict[str, Any]]] = {}
    for scan in size["scans"]:
        families.setdefault(scan["family"], []).append(scan)

    def draw(axes: Axes) -> None:
        for number, (family, scans) in enumerate(families.items()):
            points = [(scan["latency_ms"], _lost(scan)) for scan in scans]
            axes.plot(
                *zip(*points, strict=True),
                "-" + MARKERS[number % len(MARKERS)],
                color=COLOURS[number % len(COLOURS)],
                label=family,
                ms=5,
                linewidth=1,
            )
        axes.set(xscale="log", yscale="log")
        axes.set(xlabel="ms, one probe", ylabel="share of mates lost (0.3 of one if none)")

    return _svg(draw)


def _lost(scan: dict[str, Any]) -> float:
    """Return the share of lost mates; without losses a third of one loss, for the log axis."""
    near = max(scan["mates_near"], 1)
    return float(max(scan["mates_lost"] / near, 0.3 / near))


def _svg(draw: Callable[[Axes], None]) -> str:
    with rc_context(STYLE):
        figure = Figure(figsize=SIZE, layout="constrained")
        axes = figure.subplots()
        draw(axes)
        axes.legend(fontsize=7)
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue().partition("<svg")[1] + text.getvalue().partition("<svg")[2]
