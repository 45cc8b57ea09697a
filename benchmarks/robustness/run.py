"""Measures one set of palms under its conditions; writes the JSON and the page."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from markupsafe import Markup
from matplotlib.ticker import PercentFormatter

from benchmarks.console import track
from benchmarks.datasets import DatasetFault, PalmSet, read_palm_set, require_pictures
from benchmarks.measurement import result, write_result
from benchmarks.report.page import write_page
from benchmarks.report.plots import COLOURS, NON_MATED, new_plot, scale_for_shares
from benchmarks.robustness.conditions import CONDITIONS
from benchmarks.robustness.curves import Thresholds, curves
from benchmarks.robustness.trials import (
    Sizes,
    applied_series,
    drawn_series,
    is_drawn,
    plan_trials,
    take,
)
from engine.decision.calibration import load_calibration
from engine.extract import load_extractor
from engine.settings import EngineSettings

FMR: Final = 1e-4

MEASURED: Final = "measured_fmr_1e-4"
STATED: Final = "stated_fmr_1e-4"
"""Thresholds: of the worst calibration set, and of a service with this TARGET_FMR."""


def measure_set(
    data: Path, out: Path, sizes: Sizes, names: Sequence[str], workers: int
) -> None:
    """Measure a set under some conditions, or under all; write and print the result."""
    palms = read_palm_set(data)
    require_pictures(palms)
    content = result(
        protocol="robustness-2",
        palms=palms,
        parameters=asdict(sizes),
        numbers=_measure(palms, sizes, names, workers),
    )
    path = write_result(out, f"robustness-{palms.name}", content)
    shown = next(iter(content["thresholds"]))
    plots = [(curve["condition"], _plot(curve, shown)) for curve in content["curves"]]
    write_page(path, "robustness.html", content=content, shown=shown, plots=plots)


def _plot(curve: dict[str, Any], threshold: str) -> Markup:
    points = curve["points"]
    across = [each["strength"] for each in points]
    missed = [each["at"][threshold]["missed_or_refused"] for each in points]
    low, high = zip(*(one["interval_95"] for one in missed), strict=True)
    shares = [one["share"] for one in missed]
    refused = [each["fta"]["share"] for each in points]
    alike = [each["at"][threshold]["fmr_between_probes"]["share"] for each in points]
    with new_plot(f"{curve['condition']}, {curve['unit']}", "") as (axes, svg):
        axes.fill_between(across, low, high, color=COLOURS[0], alpha=0.18, linewidth=0)
        axes.plot(across, shares, "o-", color=COLOURS[0], ms=4, label="missed or refused")
        axes.plot(across, refused, "s--", color=NON_MATED, ms=3, linewidth=1.2, label="refused")
        axes.plot(across, alike, "^:", color=COLOURS[2], ms=3, label="different palms match")
        scale_for_shares(axes)
        axes.yaxis.set_major_formatter(PercentFormatter(1.0))
        axes.legend(fontsize=8, loc="upper left")
        return svg()


def _is_wanted(name: str, names: Sequence[str]) -> bool:
    return not names or name in names or name.partition(":")[0] in names


def _measure(
    palms: PalmSet, sizes: Sizes, names: Sequence[str], workers: int
) -> dict[str, Any]:
    extractor = load_extractor(EngineSettings()).extractor_id
    calibration = load_calibration(extractor)
    rates = (FMR, FMR / sizes.references)
    thresholds = {
        STATED: Thresholds(*map(calibration.threshold_for_fmr, rates)),
        MEASURED: Thresholds(
            *(
                max(fit.threshold_for_fmr(rate) for fit in calibration.non_mated)
                for rate in rates
            )
        ),
    }
    conditions = [one for one in CONDITIONS if _is_wanted(one.name, names)]
    series = drawn_series(palms) if is_drawn(palms) else applied_series(conditions)
    series = [one for one in series if _is_wanted(one.name, names)]
    if not series:
        raise DatasetFault(f"no such condition: {', '.join(names)}")
    trials = plan_trials(palms, sizes, conditions, series)
    made = take(trials, workers=workers)
    taken = [one for several in track(made, "taking templates", len(trials)) for one in several]
    lines = list(track(curves(taken, series, thresholds), "comparing", len(series)))
    return {
        "extractor": extractor,
        "thresholds": {name: round(value.single, 4) for name, value in thresholds.items()},
        "thresholds_of_attempts": {n: round(t.attempt, 4) for n, t in thresholds.items()},
        "palms": len({one.identity for one in taken}),
        "curves": lines,
    }
