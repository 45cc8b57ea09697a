"""What ``thenar engine`` does: extracts, compares and searches, and shows the results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

import typer
from rich.console import Console
from rich.progress import track

from engine.decision.calibration import load_calibration
from engine.errors import EngineError
from engine.networks.verify import network_faults
from engine.settings import EngineSettings
from engine.template_codec import encode_template
from engine.workbench import export, operations, report
from engine.workbench.forms import Form
from engine.workbench.inputs import TEMPLATE_SUFFIX, InputFile, input_files
from engine.workbench.manifest import InputFault, add_to_manifest
from engine.workbench.picture import MAX_ROWS, draw_rows, png_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.table import Table

    from engine.pipeline import PalmPipeline
    from engine.workbench.operations import InspectedFile
    from engine.workbench.picture import Row

CANDIDATES_SHOWN: Final = 3
FAILED_SHOWN: Final = 10

A = TypeVar("A")
T = TypeVar("T")

_out = Console(highlight=False)
_err = Console(stderr=True, highlight=False)


def extract(files: list[Path], out: Path | None, draw: Path | None, form: Form) -> None:
    """Make a template from each picture and show the results."""
    inputs = _inputs(files)
    _require_drawable(draw, len(inputs))
    seen = _inspect(_pipeline(), inputs)
    if out is not None:
        _write_templates(seen, out)
    _draw(draw, [report.inspection_row(one) for one in seen])
    _show(
        form,
        lambda: report.inspection_table(seen),
        lambda: [export.inspection_json(one) for one in seen],
        lambda: [export.inspection_line(one) for one in seen],
    )
    _finish(seen)


def compare(
    probe: Path, references: list[Path], rate: float | None, draw: Path | None, form: Form
) -> None:
    """Compare one palm with others, one to one, and decide at the target FMR."""
    inputs = [*_inputs([probe])[:1], *_inputs(references)]
    _require_drawable(draw, len(inputs))
    pipeline = _pipeline()
    first, *others = seen = _inspect(pipeline, inputs)
    if first.template is None:
        _show(
            form,
            lambda: report.inspection_table([first]),
            lambda: export.inspection_json(first),
            lambda: [export.inspection_line(first)],
        )
        raise typer.Exit(1)
    calibration = _or_exit(load_calibration, pipeline.extractor.extractor_id)
    threshold = calibration.threshold_for_fmr(rate or EngineSettings().target_fmr)
    compared = operations.compare_with(first.template, others, calibration, threshold)
    _draw(draw, report.comparison_rows(first, compared, threshold))
    _show(
        form,
        lambda: report.comparison_table(first, compared, threshold),
        lambda: export.comparisons_json(first, compared, threshold),
        lambda: export.comparison_lines(first, compared, threshold),
    )
    _finish(seen)


def identify(
    probes: list[Path], gallery: Path, rate: float | None, draw: Path | None, form: Form
) -> None:
    """Search for palms in a folder of palms, one to many, and decide at the target FPIR."""
    from engine.workbench import searching  # noqa: PLC0415 - loads the compiler

    inputs, enrolled = _inputs(probes), _inputs([gallery])
    _require_drawable(draw, len(inputs))
    pipeline = _pipeline()
    calibration = _or_exit(load_calibration, pipeline.extractor.extractor_id)
    references = _inspect(pipeline, enrolled, "enrolling")
    _tell_failed(references)
    fpir = rate or EngineSettings().target_fpir
    people = _or_exit(lambda seen: searching.enrolled(seen, calibration, fpir), references)
    seen = _inspect(pipeline, inputs)
    identified = [searching.identify(people, one, count=CANDIDATES_SHOWN) for one in seen]
    _draw(draw, [report.identification_row(one) for one in identified])
    _show(
        form,
        lambda: report.identification_table(identified),
        lambda: [export.identification_json(one) for one in identified],
        lambda: [line for one in identified for line in export.identification_lines(one)],
    )
    _finish([*references, *seen])


def compile_all(*, every_cpu: bool) -> None:
    """Compile the comparison and search, so that no process does at its start."""
    from engine.gallery.kernels import compile_kernels  # noqa: PLC0415 - loads the compiler

    try:
        compile_kernels(every_cpu=every_cpu)
    except EngineError as fault:
        _err.print(f"[red]{report.fault_text(fault)}[/]", soft_wrap=True)
        raise typer.Exit(1) from fault


def verify() -> None:
    """Check every network of the manifest: digest, loading, inputs and outputs."""
    faults = _or_exit(network_faults, EngineSettings())
    for name, fault in faults.items():
        _err.print(
            f"{name}: {f'[red]{fault}[/]' if fault else '[green]good[/]'}", soft_wrap=True
        )
    if any(faults.values()):
        raise typer.Exit(1)


def _inputs(paths: Sequence[Path]) -> list[InputFile]:
    try:
        return input_files(paths)
    except InputFault as fault:
        raise typer.BadParameter(str(fault)) from fault


def _require_drawable(draw: Path | None, row_count: int) -> None:
    if draw is not None and row_count > MAX_ROWS:
        raise typer.BadParameter(f"--draw takes at most {MAX_ROWS} files, not {row_count}")


def _pipeline() -> PalmPipeline:
    from engine.pipeline import load_pipeline  # noqa: PLC0415 - loads the networks' runtime

    return _or_exit(load_pipeline, EngineSettings())


def _or_exit(work: Callable[[A], T], argument: A) -> T:
    """Call an engine function; print an engine fault and exit."""
    try:
        return work(argument)
    except EngineError as fault:
        _err.print(f"[red]{report.fault_text(fault)}[/]", soft_wrap=True)
        raise typer.Exit(1) from fault


def _inspect(
    pipeline: PalmPipeline, files: Sequence[InputFile], doing: str = "extracting"
) -> list[InspectedFile]:
    """Extract from each file, with a progress bar if there are several."""
    steps = operations.inspect_files(pipeline, files)
    return list(
        track(steps, doing, len(files), console=_err, transient=True, disable=len(files) < 2)
    )


def _write_templates(seen: Sequence[InspectedFile], folder: Path) -> None:
    """Write a template file for each template, named after its picture, and the manifest."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for one in seen:
        if one.template is not None:
            name = "-".join(Path(one.file.name).with_suffix(TEMPLATE_SUFFIX).parts)
            (folder / name).write_bytes(encode_template(one.template))
            hand = one.template.hand[0].upper()
            rows.append({"path": name, "identity": one.file.label, "hand": hand})
    try:
        add_to_manifest(folder, rows)
    except InputFault as fault:
        raise typer.BadParameter(str(fault), param_hint="--out") from fault


def _draw(path: Path | None, rows: Sequence[Row]) -> None:
    if path is not None:
        path.write_bytes(png_of(draw_rows(rows)))
        _err.print(f"drew {path}", soft_wrap=True)


def _show(
    form: Form,
    table: Callable[[], Table],
    values: Callable[[], object],
    lines: Callable[[], list[dict[str, object]]],
) -> None:
    match form:
        case Form.JSON:
            typer.echo(json.dumps(values(), indent=2, ensure_ascii=False, allow_nan=False))
        case Form.CSV:
            typer.echo(export.csv_text(lines()))
        case Form.TABLE:
            _out.print(table())


def _tell_failed(references: Sequence[InspectedFile]) -> None:
    """Say which files of a gallery gave no template, and why: the table shows probes alone."""
    faults = [(one.file.name, one.inspection.fault) for one in references]
    failed = [f"{name}: {report.fault_text(fault)}" for name, fault in faults if fault]
    for line in failed[:FAILED_SHOWN]:
        _err.print(line, style="red", markup=False, soft_wrap=True)


def _finish(seen: Sequence[InspectedFile]) -> None:
    failed = [one for one in seen if one.template is None]
    if failed:
        _err.print(f"[red]{len(failed)} of {len(seen)} files gave no template[/]")
        raise typer.Exit(1)
