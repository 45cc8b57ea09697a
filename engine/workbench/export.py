"""Results as JSON, and as CSV: a line for each file or pair."""

from __future__ import annotations

import csv
import io
from dataclasses import asdict
from typing import TYPE_CHECKING

from engine.errors import QualityTooLow

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from engine.errors import EngineError
    from engine.workbench.operations import Comparison, Identification, InspectedFile

    Json = dict[str, object]


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


def inspection_line(seen: InspectedFile) -> Json:
    """Return the CSV line of one file."""
    found = seen.inspection
    return {
        "file": str(seen.file.path),
        "label": seen.file.label,
        "hand": found.template.hand.value if found.template else None,
        "quality": found.quality.score if found.quality else None,
        "time_ms": round(seen.time_ms, 1),
        "error": found.fault.code if found.fault else None,
    }


def comparison_lines(
    probe: InspectedFile, compared: Sequence[Comparison], threshold: float
) -> list[Json]:
    """Return a CSV line for each pair."""
    return [_comparison_line(probe, one, threshold) for one in compared]


def _comparison_line(probe: InspectedFile, compared: Comparison, threshold: float) -> Json:
    return {
        "probe": str(probe.file.path),
        "reference": str(compared.reference.file.path),
        "score": compared.score,
        "threshold": threshold,
        "fmr_at_score": compared.fmr,
        "decision": None if compared.fault else _decision(is_match=compared.is_match),
        "error": compared.fault.code if compared.fault else None,
    }


def identification_lines(identified: Identification) -> list[Json]:
    """Return a CSV line for each candidate of a probe, at least one."""
    fault = identified.probe.inspection.fault
    return [
        {
            "probe": str(identified.probe.file.path),
            "rank": rank,
            "candidate": label,
            "score": score,
            "threshold": identified.threshold,
            "decision": None if fault else _decision(is_match=label == identified.match),
            "error": fault.code if fault else None,
        }
        for rank, (label, score) in enumerate(identified.candidates or [(None, None)], start=1)
    ]


def _decision(*, is_match: bool) -> str:
    return "match" if is_match else "non-match"


def csv_text(lines: Iterable[Json]) -> str:
    """Return lines of the same columns as CSV with a header."""
    text = io.StringIO()
    writer: csv.DictWriter[str] | None = None
    for line in lines:
        if writer is None:
            writer = csv.DictWriter(text, line.keys(), lineterminator="\n")
            writer.writeheader()
        writer.writerow(line)
    return text.getvalue().rstrip("\n")
