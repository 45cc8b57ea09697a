"""The report as a self-contained page. It shows people: it stays with the data.

The pictures are those of the worst errors, least similar mated and most similar non-mated
pairs, and are never in a result.
"""

import base64
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import cv2
import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from benchmarks.accuracy.acquisition import region_of
from benchmarks.accuracy.plan import UNKNOWN_PALM, Plan
from benchmarks.accuracy.rates.checks import SHIPPED
from benchmarks.accuracy.rates.evaluation import FMRS
from benchmarks.accuracy.report import plots
from benchmarks.accuracy.run import Measured, side_warning
from benchmarks.accuracy.scoring.matcher import Methods
from benchmarks.datasets import Picture
from benchmarks.report.page import render
from engine.pipeline import PalmPipeline

PAIR_COUNT: Final = 12

OF_ONE_PALM: Final = 2
"""Most pairs of the same two palms: one bad picture must not fill the page."""

PICTURE_PX: Final = 128


@dataclass(frozen=True, slots=True)
class ShownPair:
    """A pair to show.

    Attributes:
        rows: manifest rows of probe and reference.
        palms: their names in the manifest.
        pictures: regions of interest as data URLs.
    """

    score: float
    rows: tuple[int, int]
    palms: tuple[str, str] = field(repr=False)
    pictures: tuple[str, str] = field(repr=False)


def choose_pairs(
    scores: NDArray[np.float32], pairs: NDArray[np.int32], plan: Plan, *, lowest: bool
) -> list[tuple[float, int, int]]:
    """Choose the pairs to show: score, probe, reference."""
    order = np.argsort(scores if lowest else -scores, kind="stable")[: 100 * PAIR_COUNT]
    counts: dict[tuple[int, int], int] = {}
    chosen = []
    for place in order:
        probe, reference = (int(template) for template in pairs[place])
        palms = (int(_palm(plan, probe)), int(_palm(plan, reference)))
        counts[palms] = counts.get(palms, 0) + 1
        if counts[palms] <= OF_ONE_PALM:
            chosen.append((float(scores[place]), probe, reference))
        if len(chosen) == PAIR_COUNT:
            break
    return chosen


def show_pairs(
    chosen: Sequence[tuple[float, int, int]],
    plan: Plan,
    pictures: Sequence[Picture],
    pipeline: PalmPipeline,
) -> list[ShownPair]:
    """Cut the regions of chosen pairs from their pictures."""
    shown = []
    for score, probe, reference in chosen:
        rows = (int(plan.rows[probe]), int(plan.rows[reference]))
        probe_picture, reference_picture = (pictures[row] for row in rows)
        shown.append(
            ShownPair(
                score,
                rows,
                (probe_picture.identity or "not known", reference_picture.identity),
                (_url(pipeline, probe_picture), _url(pipeline, reference_picture)),
            )
        )
    return shown


def _palm(plan: Plan, template: int) -> int:
    identity = plan.identities[template]
    return int(-1 - template if identity == UNKNOWN_PALM else identity)


def _url(pipeline: PalmPipeline, picture: Picture) -> str:
    pixels = region_of(pipeline, picture).pixels.round().astype(np.uint8)
    size = (PICTURE_PX, PICTURE_PX)
    _, png = cv2.imencode(".png", cv2.resize(pixels, size, interpolation=cv2.INTER_AREA))
    return "data:image/png;base64," + base64.b64encode(bytes(png)).decode()


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
    if measured.calibration is not None:
        drawn.append(
            Plot("Calibration", (plots.calibration_plot(measured.calibration, rates)),
                 "FMR that the committed calibration states for a threshold, and FMR observed "
                 "here. Below the line the service is safer than stated.")
        )  # fmt: skip
    return drawn
