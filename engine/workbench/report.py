"""What was found, as tables for an engineer and as values for a program."""

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
    from engine.workbench.trial import Compared, Identified, Seen

    Json = dict[str, object]


RAREST_WRITTEN: Final = 1e-9
"""Rarer false match rates are far beyond what any calibration saw."""


def fault_words(fault: EngineError) -> str:
    """Return a fault's code, its reason if it has one, and its words."""
    if isinstance(fault, QualityTooLow):
        return f"{fault.code}: {fault.reason.value}"
    return f"{fault.code}: {fault}"


def _table(*columns: str) -> Table:
    """Return an empty table whose last column gives way when the window is narrow."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        is_last = column == columns[-1]
        table.add_column(column, overflow="fold", no_wrap=not is_last, min_width=9 * is_last)
    return table


def _rate_words(fmr: float | None) -> str:
    """Write a rate; one that no data can support is only bounded."""
    if fmr is None:
        return "–"
    return f"{fmr:.1e}" if fmr >= RAREST_WRITTEN else f"< {RAREST_WRITTEN:.0e}"


def _hand_of(found: Inspection) -> str:
    """Say which hand it is."""
    known = found.template or found.landmarks
    return known.hand if known else "–"


def seen_table(seen: Sequence[Seen]) -> Table:
    """Return what ``extract`` found, one line for each file."""
    table = _table("file", "hand", "presence", "quality", "ms", "result")
    for one in seen:
        found, fault = one.inspection, one.inspection.fault
        table.add_row(
            one.file.name,
            _hand_of(found),
            f"{found.landmarks.presence:.2f}" if found.landmarks else "–",
            str(found.quality.score) if found.quality else "–",
            f"{one.time_ms:.0f}",
            f"[red]{fault_words(fault)}[/]" if fault else "[green]template[/]",
        )
    return table


def compared_table(compared: Sequence[Compared], threshold: float) -> Table:
    """Return what ``compare`` found, one line for each reference."""
    table = _table("reference", "hand", "score", "threshold", "FMR at score", "decision")
    for one in compared:
        decision = "[green]match[/]" if one.is_match else "[yellow]non-match[/]"
        table.add_row(
            one.reference.file.name,
            _hand_of(one.reference.inspection),
            "–" if one.score is None else f"{one.score:.4f}",
            f"{threshold:.4f}",
            _rate_words(one.fmr),
            f"[red]{fault_words(one.fault)}[/]" if one.fault else decision,
        )
    return table


def identified_table(identified: Sequence[Identified]) -> Table:
    """Return what ``identify`` found, one line for each probe."""
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
            f"[red]{fault_words(found.fault)}[/]" if found.fault else match,
        )
    return table


def seen_json(seen: Seen) -> Json:
    """Return what was found in one file, without any array of a palm."""
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


def comparison_json(probe: Seen, compared: Sequence[Compared], threshold: float) -> Json:
    """Return a probe and its comparisons."""
    return {
        "probe": seen_json(probe),
        "threshold": threshold,
        "comparisons": [_compared_json(one) for one in compared],
    }


def _compared_json(compared: Compared) -> Json:
    """Return one comparison."""
    return {
        "reference": seen_json(compared.reference),
        "score": compared.score,
        "fmr_at_score": compared.fmr,
        "match": compared.is_match,
        "error": fault_json(compared.fault),
    }


def identified_json(identified: Identified) -> Json:
    """Return one candidate list and its decision."""
    return {
        "probe": seen_json(identified.probe),
        "candidates": [{"label": n, "score": score} for n, score in identified.candidates],
        "threshold": identified.threshold,
        "match": identified.match,
    }


def fault_json(fault: EngineError | None) -> Json | None:
    """Return a fault's code, reason and words."""
    if fault is None:
        return None
    reason = fault.reason.value if isinstance(fault, QualityTooLow) else None
    return {"code": fault.code, "reason": reason, "message": str(fault)}


def seen_row(seen: Seen) -> Row:
    """Return the row of the picture for one file."""
    return Row(seen.file.name, seen.inspection)


def compared_rows(probe: Seen, compared: Sequence[Compared], threshold: float) -> list[Row]:
    """Return the rows of the picture for a probe and its references."""
    return [seen_row(probe)] + [_compared_row(one, threshold) for one in compared]


def _compared_row(compared: Compared, threshold: float) -> Row:
    """Return the row of one reference, with the score and the decision."""
    seen = compared.reference
    if compared.score is None:
        words = compared.fault.code.replace("_", " ") if compared.fault else ""
        return Row(seen.file.name, seen.inspection, words, is_good=False)
    decision, sign = ("match", "≥") if compared.is_match else ("non-match", "<")
    verdict = f"{decision} · {compared.score:.3f} {sign} {threshold:.3f}"
    return Row(seen.file.name, seen.inspection, verdict, is_good=compared.is_match)


def identified_row(identified: Identified) -> Row:
    """Return the row of one probe, with whom it matched."""
    seen = identified.probe
    if identified.threshold is None:
        return seen_row(seen)
    sign = "≥" if identified.match else "<"
    scores = [
        f" · {score:.3f} {sign} {identified.threshold:.3f}"
        for _, score in identified.candidates
    ]
    verdict = "".join((identified.match or "non-match", *scores[:1]))
    return Row(seen.file.name, seen.inspection, verdict, is_good=identified.match is not None)
