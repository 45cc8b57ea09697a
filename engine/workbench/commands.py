"""The commands of ``thenar engine``: extract, compare, search, and show the results."""

import json
from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console
from rich.progress import track

from engine.errors import EngineError, ExtractorMismatch
from engine.library import Engine
from engine.networks.onnx_model import network_faults
from engine.settings import RAREST_RATE, EngineSettings
from engine.workbench import inspection, results
from engine.workbench.inputs import InputFile, TemplateFolder, input_files
from engine.workbench.inspection import Inspection
from engine.workbench.manifest import InputFault
from engine.workbench.picture import MAX_ROWS, Row, draw_rows, png_of
from engine.workbench.results import Json

CANDIDATES_SHOWN: Final = 3
FAILED_SHOWN: Final = 10

NOT_COMPARABLE: Final = 3
"""Exit status of ``compare`` if a pair is of two hands or two extractors."""

Files = Annotated[list[Path], typer.Argument(help="Pictures, template files or folders.")]
Rate = Annotated[
    float | None,
    typer.Option(
        "--rate", min=RAREST_RATE, max=0.5, help="Target error rate; overrides the setting."
    ),
]
Draw = Annotated[
    Path | None,
    typer.Option(help="Write a PNG with landmarks, region of interest, code and quality."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
AsCsv = Annotated[
    bool, typer.Option("--csv", help="Print CSV instead of a table, a line a file or pair.")
]

_out = Console(highlight=False)
_err = Console(stderr=True, highlight=False)


class Form(StrEnum):
    """The form of printed results."""

    TABLE = "table"
    JSON = "json"
    JSON_LINES = "json lines"
    CSV = "csv"


def extract(  # noqa: PLR0913 - one argument an option
    files: Files,
    *,
    out: Annotated[
        Path | None, typer.Option(help="Folder for template files; created if missing.")
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, max=64, help="Files read at once.")] = 1,
    draw: Draw = None,
    as_json: AsJson = False,
    as_lines: Annotated[
        bool, typer.Option("--json-lines", help="Print JSON, a line a file, as it is done.")
    ] = False,
    as_csv: AsCsv = False,
) -> None:
    """Make a template from each picture and show the results.

    Inspect one picture: `thenar engine extract palm.jpg --draw found.png`

    Write a template file for each: `thenar engine extract pictures/ --out templates/`. Its
    `manifest.csv` keeps whose palm each is: `identify --gallery templates/` searches them.
    Again with the same `--out` it goes on: what has a template is not read again.
    """
    form = _form(as_json=as_json, as_csv=as_csv, as_lines=as_lines)
    inputs = _inputs(files, draw)
    kept = None if out is None else _template_folder(out)
    if out is not None:
        inputs = [one for one in inputs if out.resolve() not in one.path.resolve().parents]
    rows: list[Row] = []
    values: list[Json] = []
    lines: list[Json] = []
    engine = _engine(EngineSettings())
    with closing(_inspect(engine, inputs, jobs=jobs, kept=None if draw else kept)) as seen:
        for one in seen:
            if kept is not None and one.template is not None:
                kept.add(one.file, one.template)
            if form is Form.JSON_LINES:
                typer.echo(
                    json.dumps(results.of_file(one), ensure_ascii=False, allow_nan=False)
                )
            rows += [Row(one.file.name, one)] if draw else []
            values += [results.of_file(one)] if form is Form.JSON else []
            lines.append(results.file_line(one))
    _draw(draw, rows)
    _show(form, values, lines)
    _finish([line["error"] is None for line in lines])


def compare(
    probe: Annotated[Path, typer.Argument(help="A picture or template file.")],
    references: Annotated[
        list[Path], typer.Argument(help="Pictures or template files to compare with.")
    ],
    *,
    rate: Rate = None,
    draw: Draw = None,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Compare one palm with others, one to one, and decide at the target FMR.

    Draw two pictures side by side: `thenar engine compare today.jpg monday.jpg --draw both.png`

    Scores are 0 to 1, higher is more similar. A left hand is never compared with a right one.
    The threshold keeps the false match rate `target_fmr` (or `--rate`).
    """
    form = _form(as_json=as_json, as_csv=as_csv)
    inputs = [*_inputs([probe])[:1], *_inputs(references)]
    _require_drawable(draw, inputs)
    engine = _engine(_settings("target_fmr", rate))
    first, *others = seen = list(_inspect(engine, inputs))
    if first.template is None:
        _show(form, results.of_file(first), [results.file_line(first)])
        raise typer.Exit(1)
    compared = [inspection.compare_with(engine, first.template, one) for one in others]
    threshold = engine.match_threshold
    verdicts = [results.compared_row(one, threshold) for one in compared]
    _draw(draw, [Row(first.file.name, first), *verdicts])
    _show(
        form,
        results.of_comparisons(first, compared, threshold),
        [results.comparison_line(first, one, threshold) for one in compared],
    )
    _finish([one.template is not None for one in seen])
    if any(isinstance(one.fault, ExtractorMismatch) for one in compared):
        raise typer.Exit(NOT_COMPARABLE)


def identify(
    probes: Files,
    *,
    gallery: Annotated[Path, typer.Option(help="Folder of the palms to search.")],
    rate: Rate = None,
    draw: Draw = None,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Search for palms in a folder of palms, one to many, and decide at the target FPIR.

    Who is it? `thenar engine identify unknown.jpg --gallery people/`

    `people/` holds one folder for each palm, or pictures with a `manifest.csv`. The threshold
    keeps the false positive identification rate `target_fpir` (or `--rate`) for a gallery of
    this size, so it rises with the gallery.
    """
    form, inputs = _form(as_json=as_json, as_csv=as_csv), _inputs(probes, draw)
    enrolled = _inputs([gallery])
    engine = _engine(_settings("target_fpir", rate))
    references = [
        replace(one, sample=None, roi=None) for one in _inspect(engine, enrolled, "enrolling")
    ]
    _tell_failed(references)
    with _faults_printed():
        people = inspection.enrolled(engine, references)
    seen = list(_inspect(engine, inputs))
    found = [inspection.identify(people, one, count=CANDIDATES_SHOWN) for one in seen]
    _draw(draw, [results.identified_row(one) for one in found])
    lines = [line for one in found for line in results.identification_lines(one)]
    _show(form, [results.of_identification(one) for one in found], lines)
    _finish([one.template is not None for one in (*references, *seen)])


def compile(  # noqa: A001 - the name of the command
    *,
    every_cpu: Annotated[
        bool,
        typer.Option("--every-cpu", help="For every kind of x86-64, such as for an image."),
    ] = False,
) -> None:
    """Compile the comparison and search, so that no process does at its start.

    Writes into the program's own folder: run it as its owner after an installation or update.
    """
    from engine.comparison.kernels.prepare import compile_kernels  # noqa: PLC0415 - loads numba

    with _faults_printed():
        compile_kernels(every_cpu=every_cpu, report=_err.print)


def verify() -> None:
    """Check every network of the manifest: digest, loading, inputs and outputs."""
    with _faults_printed():
        faults = network_faults(EngineSettings())
    for name, fault in faults.items():
        said = f"[red]{fault}[/]" if fault else "[green]good[/]"
        _err.print(f"{name}: {said}", soft_wrap=True)
    if any(faults.values()):
        raise typer.Exit(1)


def _form(*, as_json: bool, as_csv: bool, as_lines: bool = False) -> Form:
    asked = {Form.JSON: as_json, Form.CSV: as_csv, Form.JSON_LINES: as_lines}
    forms = [form for form, is_asked in asked.items() if is_asked]
    if len(forms) > 1:
        raise typer.BadParameter("choose one of --json, --json-lines and --csv")
    return forms[0] if forms else Form.TABLE


def _inputs(paths: Sequence[Path], draw: Path | None = None) -> list[InputFile]:
    try:
        files = input_files(paths)
    except InputFault as fault:
        raise typer.BadParameter(str(fault)) from fault
    _require_drawable(draw, files)
    return files


def _require_drawable(draw: Path | None, files: Sequence[InputFile]) -> None:
    if draw is not None and len(files) > MAX_ROWS:
        raise typer.BadParameter(f"--draw takes at most {MAX_ROWS} files, not {len(files)}")


def _settings(name: str, rate: float | None) -> EngineSettings:
    settings = EngineSettings()
    return settings if rate is None else settings.model_copy(update={name: rate})


def _engine(settings: EngineSettings) -> Engine:
    from engine.library import Engine  # noqa: PLC0415 - loads the networks' runtime

    with _faults_printed():
        return Engine.open(settings)


@contextmanager
def _faults_printed() -> Generator[None]:
    """Print an engine fault, and exit."""
    try:
        yield
    except EngineError as fault:
        _err.print(f"[red]{results.fault_text(fault)}[/]", soft_wrap=True)
        raise typer.Exit(1) from fault


def _inspect(
    engine: Engine,
    files: Sequence[InputFile],
    doing: str = "extracting",
    *,
    jobs: int = 1,
    kept: TemplateFolder | None = None,
) -> Generator[Inspection]:
    """Extract from each file, with a progress bar if there are several."""
    extractor = engine.pipeline.extractor.extractor_id

    def step(file: InputFile) -> Inspection:
        template = kept.kept(file, extractor) if kept else None
        if template is not None:
            return inspection.Inspection(file, template=template)
        return inspection.inspect(engine.pipeline, file)

    threads, few = ThreadPoolExecutor(jobs), len(files) < 2
    steps = threads.map(step, files)
    try:
        yield from track(steps, doing, len(files), console=_err, transient=True, disable=few)
    finally:
        threads.shutdown(cancel_futures=True)


def _template_folder(folder: Path) -> TemplateFolder:
    try:
        return TemplateFolder(folder)
    except InputFault as fault:
        raise typer.BadParameter(str(fault), param_hint="--out") from fault


def _draw(path: Path | None, rows: Sequence[Row]) -> None:
    if path is not None:
        path.write_bytes(png_of(draw_rows(rows)))
        _err.print(f"drew {path}", soft_wrap=True)


def _show(form: Form, values: object, lines: Sequence[Json]) -> None:
    match form:
        case Form.JSON:
            typer.echo(json.dumps(values, indent=2, ensure_ascii=False, allow_nan=False))
        case Form.CSV:
            typer.echo(results.csv_text(lines))
        case Form.TABLE if lines:
            _out.print(results.table(lines))


def _tell_failed(references: Sequence[Inspection]) -> None:
    """Print the files of a gallery without a template, and why: the table shows probes only."""
    failed = [
        f"{one.file.name}: {results.fault_text(one.fault)}" for one in references if one.fault
    ]
    for line in failed[:FAILED_SHOWN]:
        _err.print(line, style="red", markup=False, soft_wrap=True)


def _finish(have_template: Sequence[bool]) -> None:
    if failed := have_template.count(False):
        _err.print(f"[red]{failed} of {len(have_template)} files gave no template[/]")
        raise typer.Exit(1)
