"""Results as JSON, as lines of a table or CSV, and as rows of a picture."""

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Final

from rich import box
from rich.markup import escape
from rich.table import Table

from engine.errors import EngineError, ExtractorMismatch, QualityTooLow
from engine.library import Found
from engine.settings import RAREST_RATE
from engine.workbench.inspection import Compared, Identified, Inspection
from engine.workbench.picture import Row

Json = dict[str, object]


FILES: Final = frozenset({"file", "probe", "reference"})
"""Columns of paths; a table shows the last two parts."""

FOLDED: Final = FILES | {"candidate", "error"}
"""Columns that fold in a narrow window; figures stay whole."""

CSV_ONLY: Final = frozenset({"label", "reason"})
"""Columns without one in a table: the reason stands beside the error."""

COLOURS: Final = {"match": "green", "too close": "yellow", "non-match": "yellow"}


def fault_text(fault: EngineError) -> str:
    """Return a fault's code with its reason or message."""
    return f"{fault.code}: {_reason(fault)}"


def of_file(seen: Inspection) -> Json:
    """Return the result of one file, without arrays of a palm."""
    return {
        "file": str(seen.file.path),
        "label": seen.file.label,
        "time_ms": round(seen.time_ms, 1),
        "hand": seen.template.hand if seen.template else None,
        "presence": seen.landmarks.presence if seen.landmarks else None,
        "landmarks": seen.landmarks.points.tolist() if seen.landmarks else None,
        "roi_corners": seen.roi.corners.tolist() if seen.roi else None,
        "quality": asdict(seen.quality) if seen.quality else None,
        "extractor": seen.template.extractor if seen.template else None,
        "error": _of_fault(seen.fault),
    }


def of_comparisons(probe: Inspection, compared: Sequence[Compared], threshold: float) -> Json:
    """Return a probe and its comparisons."""
    return {
        "probe": of_file(probe),
        "threshold": threshold,
        "comparisons": [
            {
                "reference": of_file(one.reference),
                "score": one.found.score if one.found is not None else None,
                "fmr_at_score": one.found.fmr if one.found is not None else None,
                "match": one.found is not None and one.found.is_match,
                "error": _of_fault(one.fault),
            }
            for one in compared
        ],
    }


def of_identification(identified: Identified) -> Json:
    """Return a candidate list and its decision."""
    found = identified.found
    return {
        "probe": of_file(identified.probe),
        "candidates": [
            {"label": label, "score": score}
            for label, score in (found.candidates if found is not None else ())
        ],
        "threshold": found.threshold if found is not None else None,
        "match": found.label if found is not None else None,
        "reason": found.reason if found is not None else None,
    }


def file_line(seen: Inspection) -> Json:
    """Return the line of one file."""
    known = seen.template or seen.landmarks
    return {
        "file": str(seen.file.path),
        "label": seen.file.label,
        "hand": known.hand.value if known else None,
        "presence": round(seen.landmarks.presence, 2) if seen.landmarks else None,
        "quality": seen.quality.score if seen.quality else None,
        "time_ms": round(seen.time_ms, 1),
        **_why(seen.fault),
    }


def comparison_line(probe: Inspection, compared: Compared, threshold: float) -> Json:
    """Return the line of a pair."""
    found, fault = compared.found, compared.fault
    hands = [one.template.hand for one in (probe, compared.reference) if one.template]
    why = _why(fault)
    if isinstance(fault, ExtractorMismatch) and len(set(hands)) > 1:
        why["reason"] = f"{hands[0]} against {hands[1]} hand"
    return {
        "probe": str(probe.file.path),
        "reference": str(compared.reference.file.path),
        "score": found.score if found is not None else None,
        "threshold": threshold,
        "fmr_at_score": found.fmr if found is not None else None,
        "decision": _decision(is_match=found.is_match) if found is not None else None,
        **why,
    }


def identification_lines(identified: Identified) -> list[Json]:
    """Return a line for each candidate of a probe, at least one."""
    probe, found = identified.probe, identified.found
    candidates = (found.candidates if found is not None else ()) or ((None, None),)
    return [
        {
            "probe": str(probe.file.path),
            "rank": rank,
            "candidate": label,
            "score": score,
            "threshold": found.threshold if found is not None else None,
            "decision": _decision_of(found, label, score) if found is not None else None,
            **_why(probe.fault),
        }
        for rank, (label, score) in enumerate(candidates, start=1)
    ]


def csv_text(lines: Iterable[Json]) -> str:
    """Return lines of the same columns as CSV with a header."""
    text, rows = io.StringIO(), list(lines)
    writer = csv.DictWriter(text, rows[0] if rows else (), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().rstrip("\n")


def table(lines: Sequence[Json]) -> Table:
    """Return lines as a table that cuts nothing off, without columns that are empty."""
    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    filled = [name for name in lines[0] if any(line[name] is not None for line in lines)]
    columns = [name for name in filled if name not in CSV_ONLY]
    for name in columns:
        shown.add_column(name.replace("_", " "), overflow="fold", no_wrap=name not in FOLDED)
    for line in lines:
        shown.add_row(*(_cell(name, line) for name in columns))
    return shown


def compared_row(compared: Compared, threshold: float) -> Row:
    """Return the picture's row of a reference, with the decision beside the score."""
    seen, found = compared.reference, compared.found
    if found is None:
        words = fault_text(compared.fault) if compared.fault else ""
        return Row(seen.file.name, seen, words, is_good=False)
    sign = "≥" if found.is_match else "<"
    verdict = f"{_decision(is_match=found.is_match)} · {found.score:.3f} {sign} {threshold:.3f}"
    return Row(seen.file.name, seen, verdict, is_good=found.is_match)


def identified_row(identified: Identified) -> Row:
    """Return the picture's row of a probe, with who was found."""
    seen, found = identified.probe, identified.found
    if found is None:
        return Row(seen.file.name, seen)
    verdict = found.label or "non-match"
    for label, score in found.candidates[:1]:
        sign = "≥" if score >= found.threshold else "<"
        named = found.label or _decision_of(found, label, score)
        verdict = f"{named} · {score:.3f} {sign} {found.threshold:.3f}"
    return Row(seen.file.name, seen, verdict, is_good=found.label is not None)


def _of_fault(fault: EngineError | None) -> Json | None:
    if fault is None:
        return None
    reason = fault.reason.value if isinstance(fault, QualityTooLow) else None
    return {"code": fault.code, "reason": reason, "message": str(fault)}


def _why(fault: EngineError | None) -> Json:
    return {"error": fault.code if fault else None, "reason": _reason(fault) if fault else None}


def _reason(fault: EngineError) -> str:
    return fault.reason.value if isinstance(fault, QualityTooLow) else str(fault)


def _decision(*, is_match: bool) -> str:
    return "match" if is_match else "non-match"


def _decision_of(found: Found, label: str | None, score: float | None) -> str:
    if score is not None and score >= found.threshold and found.label is None:
        return "too close"
    return _decision(is_match=label is not None and label == found.label)


def _cell(column: str, line: Json) -> str:
    match column, line[column]:
        case _, None:
            return "–"
        case "error", code:
            return f"[red]{code}: {line['reason']}[/]"
        case "decision", str(decision):
            return f"[{COLOURS[decision]}]{decision}[/]"
        case "fmr_at_score", float(fmr):
            return f"{fmr:.1e}" if fmr > RAREST_RATE else f"≤ {RAREST_RATE:.0e}"
        case "score" | "threshold", float(score):
            return f"{score:.4f}"
        case name, value if name in FILES:
            return escape("/".join(Path(str(value)).parts[-2:]))
        case _, value:
            return escape(str(value))
