"""Results as tables and as rows of a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich import box
from rich.table import Table

from engine.errors import ExtractorMismatch, QualityTooLow
from engine.workbench.picture import Row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.errors import EngineError
    from engine.workbench.inspection import Inspection
    from engine.workbench.operations import Comparison, Identification, InspectedFile


RAREST_WRITTEN: Final = 1e-9
"""Rarer false match rates are beyond any calibration."""


def fault_text(fault: EngineError) -> str:
    """Return a fault's code with its reason or message."""
    if isinstance(fault, QualityTooLow):
        return f"{fault.code}: {fault.reason.value}"
    return f"{fault.code}: {fault}"


_NAMES: Final = frozenset(
    {"file", "probe", "reference", "best candidates", "result", "decision"}
)
"""Columns that fold in a narrow window; figures stay whole."""


def _table(*columns: str) -> Table:
    """Return an empty table that cuts nothing off."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        width = len("non-match") if column == columns[-1] else None
        table.add_column(column, overflow="fold", no_wrap=column not in _NAMES, min_width=width)
    return table


def comparison_fault_text(compared: Comparison, probe: Inspection) -> str:
    """Return why there is no score; a left palm against a right one is told as that."""
    reference = compared.reference.inspection
    hands = _hand_of(probe), _hand_of(reference)
    if isinstance(compared.fault, ExtractorMismatch) and hands[0] != hands[1]:
        return f"not compared: {hands[0]} against {hands[1]} hand"
    return fault_text(compared.fault) if compared.fault else ""


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


def comparison_table(
    probe: InspectedFile, compared: Sequence[Comparison], threshold: float
) -> Table:
    """Return the table of ``compare``."""
    table = _table("reference", "hand", "score", "threshold", "FMR at score", "decision")
    for one in compared:
        decision = "[green]match[/]" if one.is_match else "[yellow]non-match[/]"
        why = comparison_fault_text(one, probe.inspection)
        table.add_row(
            one.reference.file.name,
            _hand_of(one.reference.inspection),
            "–" if one.score is None else f"{one.score:.4f}",
            f"{threshold:.4f}",
            _rate_text(one.fmr),
            f"[red]{why}[/]" if one.fault else decision,
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


def inspection_row(seen: InspectedFile) -> Row:
    """Return the picture's row for one file."""
    return Row(seen.file.name, seen.inspection)


def comparison_rows(
    probe: InspectedFile, compared: Sequence[Comparison], threshold: float
) -> list[Row]:
    """Return the picture's rows for a probe and its references."""
    others = [_comparison_row(probe, one, threshold) for one in compared]
    return [inspection_row(probe), *others]


def _comparison_row(probe: InspectedFile, compared: Comparison, threshold: float) -> Row:
    seen = compared.reference
    if compared.score is None:
        words = comparison_fault_text(compared, probe.inspection)
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
