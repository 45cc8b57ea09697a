"""Plots of a report."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, NullFormatter
from numpy.typing import NDArray

from benchmarks.accuracy.rates.checks import calibration_curve
from benchmarks.accuracy.rates.error_rates import Bootstrap, ErrorRates
from benchmarks.accuracy.rates.evaluation import Evaluation
from benchmarks.report.plots import COLOURS, NON_MATED, new_plot
from engine.decision.calibration import Calibration

Values = NDArray[np.float64]

HISTOGRAM_BINS: Final = 120
CURVE_POINTS: Final = 120


def histogram_plot(rates: ErrorRates, thresholds: Sequence[tuple[str, float]]) -> Markup:
    """Draw the score densities and the thresholds."""
    with new_plot("comparison score", "share of comparisons per bin (log)") as (axes, svg):
        low = min(rates.mated[0], rates.nonmated[0])
        high = max(rates.mated[-1], rates.nonmated[-1])
        bins = np.linspace(low, high, HISTOGRAM_BINS + 1, dtype=np.float32)
        for scores, colour, label in (
            (rates.nonmated, NON_MATED, "non-mated"),
            (rates.mated, COLOURS[0], "mated"),
        ):
            axes.hist(
                bins[:-1], bins.tolist(), weights=_shares(scores, bins), color=colour,
                alpha=0.55, label=label, histtype="stepfilled", log=True,
            )  # fmt: skip
        for _, threshold in thresholds:
            axes.axvline(threshold, color="#3c474c", linewidth=0.9, linestyle=(0, (4, 3)))
        if thresholds:
            names = "thresholds for FMR " + ", ".join(name for name, _ in thresholds)
            axes.plot(
                [], [], color="#3c474c", linewidth=0.9, linestyle=(0, (4, 3)), label=names
            )
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=3, fontsize=8)
        return svg()


def det_plot(evaluations: Sequence[Evaluation], titles: Sequence[str]) -> Markup:
    """Draw FNMR over FMR on log axes, with the first method's band."""
    with new_plot("false match rate", "false non-match rate") as (axes, svg):
        floor = 1.0
        for evaluation, title, colour in zip(evaluations, titles, COLOURS, strict=False):
            if evaluation.rates is None:
                continue
            fmrs = _fmrs(evaluation.rates)
            floor = min(floor, 0.5 / evaluation.rates.mated.size)
            if evaluation is evaluations[0] and evaluation.draws is not None:
                _band(axes, evaluation.draws, fmrs, colour, floor)
            fnmrs = _fnmrs(evaluation.rates, fmrs)
            axes.plot(fmrs, np.maximum(fnmrs, floor), color=colour, label=title)
        axes.set(xscale="log", yscale="log", ylim=(floor, 1), xlim=(None, 0.5))
        axes.plot([1e-9, 1], [1e-9, 1], color="#b7c0c4", linewidth=0.9, zorder=0)
        _percent(axes)
        axes.legend(loc="best", fontsize=8)
        return svg()


def roc_plot(evaluations: Sequence[Evaluation], titles: Sequence[str]) -> Markup:
    """Draw the share of mated matches over FMR: the receiver operating characteristic."""
    with new_plot("false match rate", "mated comparisons that match") as (axes, svg):
        for evaluation, title, colour in zip(evaluations, titles, COLOURS, strict=False):
            if evaluation.rates is not None:
                fmrs = _fmrs(evaluation.rates)
                axes.plot(fmrs, 1 - _fnmrs(evaluation.rates, fmrs), color=colour, label=title)
        axes.set(xscale="log", xlim=(None, 0.5))
        _percent(axes)
        axes.legend(loc="lower right", fontsize=8)
        return svg()


def calibration_plot(calibration: Calibration, rates: ErrorRates) -> Markup:
    """Draw the observed FMR over the stated one; below the diagonal is safe."""
    with new_plot("false match rate stated", "false match rate observed") as (axes, svg):
        stated, observed = calibration_curve(calibration, rates)
        low = max(min(stated.min(), observed[observed > 0].min(initial=1.0)), 1e-9)
        axes.fill_between([low, 1], [low, 1], [1, 1], color=NON_MATED, alpha=0.08, linewidth=0)
        axes.plot([low, 1], [low, 1], color="#8b9599", linewidth=1)
        seen = observed > 0
        axes.plot(stated[seen], observed[seen], color=COLOURS[0], label="this set")
        axes.text(0.03, 0.94, "unsafe: more than stated", transform=axes.transAxes,
                  color=NON_MATED, fontsize=8.5)  # fmt: skip
        axes.set(xscale="log", yscale="log", xlim=(low, 1), ylim=(low, 1))
        _percent(axes)
        axes.legend(loc="lower right", fontsize=8)
        return svg()


def _shares(scores: NDArray[np.float32], bins: NDArray[np.float32]) -> Values:
    """Return the share of rising scores in each bin, the last one closed."""
    ends = [*np.searchsorted(scores, bins[:-1]), scores.size]
    return np.diff(ends) / scores.size


def _fmrs(rates: ErrorRates) -> Values:
    return np.geomspace(0.5, 1 / rates.nonmated.size, CURVE_POINTS)


def _fnmrs(rates: ErrorRates, fmrs: Values) -> Values:
    return np.array([rates.fnmr(rates.threshold_for_fmr(float(fmr))) for fmr in fmrs])


def _band(axes: Axes, draws: Bootstrap, fmrs: Values, colour: str, floor: float) -> None:
    low, high = np.maximum(draws.band(fmrs), floor)
    axes.fill_between(fmrs, low, high, color=colour, alpha=0.18, linewidth=0, label="95 % band")


def _percent(axes: Axes) -> None:
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(_share))
        axis.set_minor_formatter(NullFormatter())


def _share(value: float, _: float | None = None) -> str:
    return f"{100 * value:.6g} %"
