"""HTML page of a search result: tables and plots, without scripts."""

from typing import Any

from markupsafe import Markup

from benchmarks.report.page import render
from benchmarks.report.plots import COLOURS, new_plot


def render_page(content: dict[str, Any]) -> str:
    """Return the self-contained page of a result."""
    sizes = content["sizes"]
    return render(
        "search.html",
        content=content,
        largest=max(sizes, key=lambda size: int(size["rows"])),
        plots=[(size["rows"], _losses_over_time(size)) for size in sizes],
    )


def _losses_over_time(size: dict[str, Any]) -> Markup:
    """Draw the share of mates missing from a short list over its time."""
    families: dict[str, list[dict[str, Any]]] = {}
    for scan in size["scans"]:
        families.setdefault(scan["family"], []).append(scan)
    with new_plot("ms, one probe", "share of mates lost (0.3 of one if none)") as (axes, svg):
        for (family, scans), colour in zip(families.items(), COLOURS, strict=False):
            points = [(scan["cpu_ms"], _lost(scan)) for scan in scans]
            axes.plot(*zip(*points, strict=True), "-o", color=colour, label=family, ms=5)
        whole = size["duel"]["whole_search"]["p50_ms"]
        axes.axvline(whole, color="k", linestyle="--", linewidth=1.2, label="whole search")
        axes.set(xscale="log", yscale="log")
        axes.legend(fontsize=7)
        return svg()


def _lost(scan: dict[str, Any]) -> float:
    """Return the share of lost mates; without losses a third of one loss, for the log axis."""
    return float(max(scan["mates_lost"], 0.3) / max(scan["mates_looked_for"], 1))
