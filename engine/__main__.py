"""``thenar engine``: templates from files, compared and searched, for engineers.

Nothing is stored and nobody is enrolled anywhere: services do that.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, TypeVar

import typer
from rich.console import Console
from rich.progress import track

from engine.decision.calibration import load_calibration
from engine.errors import EngineError
from engine.pipeline import load_pipeline
from engine.settings import EngineSettings
from engine.template_codec import encode_template
from engine.workbench import operations, report
from engine.workbench.inputs import TEMPLATE_SUFFIX, InputFault, InputFile, input_files
from engine.workbench.picture import MAX_ROWS, draw_rows, png_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.table import Table

    from engine.pipeline import PalmPipeline
    from engine.workbench.operations import InspectedFile
    from engine.workbench.picture import Row

app = typer.Typer(
    help="""Palms from files: make templates, compare them, search among them.

    FILES are pictures (JPEG, PNG, WebP), template files that `extract --out` wrote, or folders
    of them. A folder's `manifest.csv` with the columns `path` and `identity` says which
    pictures to read and whose palm each shows; without one, the name of the folder a picture
    lies in does. Settings: `THENAR_ENGINE_…`, see the README.

    Exit status: 0 if every file gave a template, 1 if one did not, 2 if the command was not
    understood.""",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)

Files = Annotated[list[Path], typer.Argument(help="Pictures, template files or folders.")]
Rate = Annotated[
    float | None,
    typer.Option(
        "--rate", min=1e-12, max=0.5, help="Error rate to hold instead of the setting's."
    ),
]
Draw = Annotated[
    Path | None,
    typer.Option(help="Write a PNG that shows landmarks, region of interest, code, quality."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]

CANDIDATES_SHOWN: Final = 3

A = TypeVar("A")
T = TypeVar("T")

_out = Console(highlight=False)
_err = Console(stderr=True, highlight=False)


@app.command()
def extract(
    files: Files,
    *,
    out: Annotated[
        Path | None, typer.Option(help="Folder for template files; made if missing.")
    ] = None,
    draw: Draw = None,
    as_json: AsJson = False,
) -> None:
    """Make a template from each picture and say what was found.

    Look at one picture: `thenar engine extract palm.jpg --draw found.png`

    Write a template file for each: `thenar engine extract pictures/ --out templates/`
    """
    inputs = _inputs(files)
    _require_drawable(draw, len(inputs))
    seen = _inspect(_pipeline(), inputs)
    if out is not None:
        _write_templates(seen, out)
    _draw(draw, [report.inspection_row(one) for one in seen])
    _show(
        report.inspection_table(seen),
        [report.inspection_json(one) for one in seen],
        as_json=as_json,
    )
    _finish(seen)


@app.command()
def compare(
    probe: Annotated[Path, typer.Argument(help="A picture or template file.")],
    references: Annotated[list[Path], typer.Argument(help="What to compare it with.")],
    *,
    rate: Rate = None,
    draw: Draw = None,
    as_json: AsJson = False,
) -> None:
    """Compare one palm with others, one to one, and decide at the wanted FMR.

    Two pictures, side by side: `thenar engine compare today.jpg monday.jpg --draw both.png`

    The score is 0 to 1, higher is more similar; left and right hands are never compared. The
    threshold is the one that keeps the false match rate `target_fmr` (or `--rate`).
    """
    inputs = [*_inputs([probe])[:1], *_inputs(references)]
    _require_drawable(draw, len(inputs))
    pipeline = _pipeline()
    first, *others = seen = _inspect(pipeline, inputs)
    if first.template is None:
        _show(report.inspection_table([first]), report.inspection_json(first), as_json=as_json)
        raise typer.Exit(1)
    calibration = _or_exit(load_calibration, pipeline.extractor.extractor_id)
    threshold = calibration.threshold_for_fmr(rate or EngineSettings().target_fmr)
    compared = operations.compare_with(first.template, others, calibration, threshold)
    _draw(draw, report.comparison_rows(first, compared, threshold))
    _show(
        report.comparison_table(compared, threshold),
        report.comparisons_json(first, compared, threshold),
        as_json=as_json,
    )
    _finish(seen)


@app.command()
def identify(
    probes: Files,
    *,
    gallery: Annotated[Path, typer.Option(help="Folder of the palms to search among.")],
    rate: Rate = None,
    draw: Draw = None,
    as_json: AsJson = False,
) -> None:
    """Search for palms among those of a folder, one to many, and decide at the wanted FPIR.

    Who is it? `thenar engine identify unknown.jpg --gallery people/`

    In `people/` lies one folder for each palm, or pictures with a `manifest.csv`. The threshold
    is the one that keeps the false positive identification rate `target_fpir` (or `--rate`)
    among so many references: it rises with the gallery.
    """
    inputs, enrolled = _inputs(probes), _inputs([gallery])
    _require_drawable(draw, len(inputs))
    pipeline = _pipeline()
    calibration = _or_exit(load_calibration, pipeline.extractor.extractor_id)
    references = _inspect(pipeline, enrolled, "enrolling")
    people = _or_exit(operations.LabelledGallery, references)
    seen = _inspect(pipeline, inputs)
    fpir = rate or EngineSettings().target_fpir
    identified = [
        people.identify(one, calibration, fpir=fpir, count=CANDIDATES_SHOWN) for one in seen
    ]
    _draw(draw, [report.identification_row(one) for one in identified])
    _show(
        report.identification_table(identified),
        [report.identification_json(one) for one in identified],
        as_json=as_json,
    )
    _finish([*references, *seen])


def _inputs(paths: Sequence[Path]) -> list[InputFile]:
    """Return the files behind paths, or say what is wrong with them and exit."""
    try:
        return input_files(paths)
    except InputFault as fault:
        raise typer.BadParameter(str(fault)) from fault


def _require_drawable(draw: Path | None, row_count: int) -> None:
    """Refuse a picture of too many rows before the work is done."""
    if draw is not None and row_count > MAX_ROWS:
        raise typer.BadParameter(f"--draw shows {MAX_ROWS} files at most, not {row_count}")


def _pipeline() -> PalmPipeline:
    """Load the engine."""
    return _or_exit(load_pipeline, EngineSettings())


def _or_exit(work: Callable[[A], T], argument: A) -> T:
    """Do something that the engine may refuse; say why and exit if it does."""
    try:
        return work(argument)
    except EngineError as fault:
        _err.print(f"[red]{report.fault_text(fault)}[/]", soft_wrap=True)
        raise typer.Exit(1) from fault


def _inspect(
    pipeline: PalmPipeline, files: Sequence[InputFile], doing: str = "looking"
) -> list[InspectedFile]:
    """Walk the path of a palm with each file, with a progress bar if there are many."""
    steps = operations.inspect_files(pipeline, files)
    return list(
        track(steps, doing, len(files), console=_err, transient=True, disable=len(files) < 2)
    )


def _write_templates(seen: Sequence[InspectedFile], folder: Path) -> None:
    """Write a template file for each file that gave a template, named after it."""
    folder.mkdir(parents=True, exist_ok=True)
    for one in seen:
        if one.template is not None:
            parts = Path(one.file.name).with_suffix(TEMPLATE_SUFFIX).parts
            (folder / "-".join(parts)).write_bytes(encode_template(one.template))


def _draw(path: Path | None, rows: Sequence[Row]) -> None:
    """Write the picture if one is wanted."""
    if path is not None:
        path.write_bytes(png_of(draw_rows(rows)))
        _err.print(f"drew {path}", soft_wrap=True)


def _show(table: Table, values: object, *, as_json: bool) -> None:
    """Print the answer in the form that is wanted."""
    if as_json:
        typer.echo(json.dumps(values, indent=2, ensure_ascii=False, allow_nan=False))
        return
    _out.print(table)


def _finish(seen: Sequence[InspectedFile]) -> None:
    """Exit with 1 if a file gave no template, after saying how many."""
    failed = [one for one in seen if one.template is None]
    if failed:
        _err.print(f"[red]{len(failed)} of {len(seen)} files gave no template[/]")
        raise typer.Exit(1)


if __name__ == "__main__":
    app()
