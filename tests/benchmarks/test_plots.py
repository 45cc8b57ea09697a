"""Plots of reports: what a reader sees on their axes."""

from benchmarks.report.plots import new_plot, scale_for_shares


def test_no_axis_of_shares_goes_beyond_all_of_them():
    """All missed is 100 %: the margin above the highest point names no 104 %."""
    with new_plot("strength", "missed") as (axes, _):
        axes.plot([0, 1], [0.0, 1.0])
        scale_for_shares(axes)
        assert axes.get_ylim() == (0, 1)
