"""Results as tables and as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Final

from rich import box
from rich.table import Table

from engine.errors import QualityTooLow
from engine.workbench.picture import Row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.errors import EngineError
    from engine.workbench.inspection import Inspection
    from engine.workbench.operations import Comparison, Identification, InspectedFile

    Json = dict[str, object]


RAREST_WRITTEN: Final = 1e-9
"""Rarer false match rates are beyond any calibration."""


def fault_text(fault: EngineError) -> str:
    """Return a fault's code with its reason or message."""
    if isinstance(fault, QualityTooLow):
        return f"{fault.code}: {fault.reason.value}"
    return f"{fault.code}: {fault}"


def _table(*columns: str) -> Table:
    """Return an empty table whose last column folds in a narrow window."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        is_last = column == columns[-1]
        table.add_column(column, overflow="fold", no_wrap=not is_last, min_width=9 * is_last)
    return table


def _rate_text(fmr: float | None) -> str:
    """Format a rate; very small ones only as a bound."""
    if fmr is None:
        return "–"
    return f"{fmr:.1e}" if fmr >= RAREST_WRITTEN else f"< {RAREST_WRITTEN:.0e}"


def _hand_of(found: Inspection) -> str:
    known = found.template or found.landmarks
    return known.hand if known else "–"


def inspection_table(seen: Sequence[InspectedFile]) -> Table:
    """Return the table of ``extract``."""
    table = _table("file", "hand", "presence", "quality", "ms", "result")
    for one in seen:
        found, fault = one.inspection, one.inspection.fault
        table.add_row(
            one.file.name,
            _hand_of(found),
            f"{found.landmarks.presence:.2f}" if found.landmarks else "–",
            str(found.quality.score) if found.quality else "–",
            f"{one.time_ms:.0f}",
            f"[red]{fault_text(fault)}[/]" if fault else "[green]template[/]",
        )
    return table


def comparison_table(compared: Sequence[Comparison], threshold: float) -> Table:
    """Return the table of ``compare``."""
    table = _table("reference", "hand", "score", "threshold", "FMR at score", "decision")
    for one in compared:
        decision = "[green]match[/]" if one.is_match else "[yellow]non-match[/]"
        table.add_row(
            one.reference.file.name,
            _hand_of(one.reference.inspection),
            "–" if one.score is None else f"{one.score:.4f}",
            f"{threshold:.4f}",
            _rate_text(one.fmr),
            f"[red]{fault_text(one.fault)}[/]" if one.fault else decision,
        )
    return table


def identification_table(identified: Sequence[Identification]) -> Table:
    """Return the table of ``identify``."""
    table = _table("probe", "hand", "best candidates", "threshold", "decision")
    for one in identified:
        found = one.probe.inspection
        lines = "\n".join(f"{score:.4f}  {label}" for label, score in one.candidates)
        match = f"[green]{one.match}[/]" if one.match else "[yellow]non-match[/]"
        table.add_row(
            one.probe.file.name,
            _hand_of(found),
            lines or "–",
            "–" if one.threshold is None else f"{one.threshold:.4f}",
            f"[red]{fault_text(found.fault)}[/]" if found.fault else match,
        )
    return table


def inspection_json(seen: InspectedFile) -> Json:
    """Return the result of one file, without arrays of a palm."""
    found = seen.inspection
    return {
        "file": str(seen.file.path),
        "label": seen.file.label,
        "time_ms": round(seen.time_ms, 1),
        "hand": found.template.hand if found.template else None,
        "presence": found.landmarks.presence if found.landmarks else None,
        "landmarks": found.landmarks.points.tolist() if found.landmarks else None,
        "roi_corners": found.roi.corners.tolist() if found.roi else None,
        "quality": asdict(found.quality) if found.quality else None,
        "extractor": found.template.extractor if found.template else None,
        "error": fault_json(found.fault),
    }


def comparisons_json(
    probe: InspectedFile, compared: Sequence[Comparison], threshold: float
) -> Json:
    """Return a probe and its comparisons."""
    return {
        "probe": inspection_json(probe),
        "threshold": threshold,
        "comparisons": [_comparison_json(one) for one in compared],
    }


def _comparison_json(compared: Comparison) -> Json:
    return {
        "reference": inspection_json(compared.reference),
        "score": compared.score,
        "fmr_at_score": compared.fmr,
        "match": compared.is_match,
        "error": fault_json(compared.fault),
    }


def identification_json(identified: Identification) -> Json:
    """Return a candidate list and its decision."""
    return {
        "probe": inspection_json(identified.probe),
        "candidates": [{"label": n, "score": score} for n, score in identified.candidates],
        "threshold": identified.threshold,
        "match": identified.match,
    }


def fault_json(fault: EngineError | None) -> Json | None:
    """Return a fault's code, reason and message."""
    if fault is None:
        return None
    reason = fault.reason.value if isinstance(fault, QualityTooLow) else None
    return {"code": fault.code, "reason": reason, "message": str(fault)}


def inspection_row(seen: InspectedFile) -> Row:
    """Return the picture's row for one file."""
    return Row(seen.file.name, seen.inspection)


def comparison_rows(
    probe: InspectedFile, compared: Sequence[Comparison], threshold: float
) -> list[Row]:
    """Return the picture's rows for a probe and its references."""
    return [inspection_row(probe)] + [_comparison_row(one, threshold) for one in compared]


def _comparison_row(compared: Comparison, threshold: float) -> Row:
    seen = compared.reference
    if compared.score is None:
        words = compared.fault.code.replace("_", " ") if compared.fault else ""
        return Row(seen.file.name, seen.inspection, words, is_good=False)
    decision, sign = ("match", "≥") if compared.is_match else ("non-match", "<")
    verdict = f"{decision} · {compared.score:.3f} {sign} {threshold:.3f}"
    return Row(seen.file.name, seen.inspection, verdict, is_good=compared.is_match)


def identification_row(identified: Identification) -> Row:
    """Return the picture's row for one probe."""
    seen = identified.probe
    if identified.threshold is None:
        return inspection_row(seen)
    sign = "≥" if identified.match else "<"
    scores = [
        f" · {score:.3f} {sign} {identified.threshold:.3f}"
        for _, score in identified.candidates
    ]
    verdict = "".join((identified.match or "non-match", *scores[:1]))
    return Row(seen.file.name, seen.inspection, verdict, is_good=identified.match is not None)
