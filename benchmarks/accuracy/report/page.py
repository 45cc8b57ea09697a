"""The report as a self-contained page. It shows people: it stays with the data."""

from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from benchmarks.accuracy.rates.checks import SHIPPED
from benchmarks.accuracy.rates.evaluation import FMRS
from benchmarks.accuracy.report import plots
from benchmarks.accuracy.report.pair_pictures import choose_pairs, show_pairs
from benchmarks.accuracy.run import Measured, side_warning
from benchmarks.accuracy.scoring.methods import Methods
from benchmarks.report.page import render
from engine.pipeline import PalmPipeline


@dataclass(frozen=True, slots=True)
class Plot:
    """A plot with title and caption."""

    title: str
    svg: Markup
    caption: str


def render_page(measured: Measured, methods: Methods, content: dict[str, Any],
                pipeline: PalmPipeline) -> str:  # fmt: skip
    """Return the page of one set."""
    first = measured.evaluations[0]
    pictures, plan = measured.palms.pictures, measured.plan
    shown = {}
    if first.rates is not None:
        for kind, scores, pairs in (
            ("mated", measured.compared.mated, measured.compared.mated_pairs),
            ("nonmated", measured.compared.nonmated, measured.compared.nonmated_pairs),
        ):
            chosen = choose_pairs(scores[first.name], pairs, plan, lowest=kind == "mated")
            shown[kind] = show_pairs(chosen, plan, pictures, pipeline)
    return render(
        "accuracy.html",
        report=content,
        shipped=SHIPPED,
        methods=methods,
        first=first,
        evaluations=measured.evaluations,
        plots=_plots(measured, methods),
        shown=shown,
        rows=len(pictures),
        side_warning=side_warning(content["acquisition"]),
    )  # fmt: skip


def render_overview(contents: list[tuple[str, dict[str, Any]]]) -> str:
    """Return the page that links the reports of several sets."""
    return render("overview.html", reports=contents, shipped=SHIPPED)


def _plots(measured: Measured, methods: Methods) -> list[Plot]:
    first, numbers = measured.evaluations[0], measured.numbers
    if first.rates is None:
        return []
    rates = first.rates
    titles = [methods.title(one.name) for one in measured.evaluations]
    supported = [fmr for fmr in FMRS[1:] if fmr * rates.nonmated.size >= 1]
    thresholds = [(f"{fmr:g}", rates.threshold_for_fmr(fmr)) for fmr in supported]
    over = numbers["set"]["bootstrap_over"]
    drawn = [
        Plot("Scores", (plots.histogram_plot(rates, thresholds)),
             "Scores of mated and non-mated pictures. Dashed: thresholds from these "
             "scores. Errors come from the overlap."),
        Plot("Detection error trade-off", (plots.det_plot(measured.evaluations, titles)),
             f"Lower and further left is better. Band: 95 % of bootstrap draws over {over}. "
             "Ends where one error is less than one comparison."),
        Plot("Receiver operating characteristic",
             (plots.roc_plot(measured.evaluations, titles)),
             "Share of mated comparisons that match. Higher and further left is better."),
    ]  # fmt: skip
    if numbers["methods"][first.name]["identification"]["cmc"]:
        drawn.append(
            Plot("Cumulative match characteristic",
                 (plots.cmc_plot(measured.evaluations, titles)),
                 "Share of searches in the whole gallery that list the mate this high.")
        )  # fmt: skip
    if measured.calibration is not None:
        drawn.append(
            Plot("Calibration", (plots.calibration_plot(measured.calibration, rates)),
                 "FMR that the committed calibration states for a threshold, and FMR observed "
                 "here. Below the line the service is safer than stated.")
        )  # fmt: skip
    drawn.append(
        Plot("Error against discard", (plots.discard_plot(numbers["discard"])),
             "False non-matches at a fixed threshold without pictures of the lowest quality. "
             "A steep fall means that quality predicts errors. Dashed: ideal.")
    )  # fmt: skip
    return drawn
