"""``thenar engine``: make, compare and search templates from files.

For engineers. Stores nothing.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from engine.workbench.forms import Form
from engine.workbench.manifest import MANIFEST_HELP

app = typer.Typer(
    help="""Make, compare and search palm templates from files.

    FILES are pictures (JPEG, PNG, WebP), template files written by `extract --out`, or folders
    of them. In a folder, the name of the subfolder says whose palm it is, or `manifest.csv`.
    """
    + MANIFEST_HELP
    + """

    Settings: `THENAR_ENGINE_…`, see the README.

    Exit status: 0 if every file gave a template, 1 if one did not, 2 for a wrong command.""",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)

Files = Annotated[list[Path], typer.Argument(help="Pictures, template files or folders.")]
Rate = Annotated[
    float | None,
    typer.Option(
        "--rate", min=1e-12, max=0.5, help="Target error rate; overrides the setting."
    ),
]
Draw = Annotated[
    Path | None,
    typer.Option(help="Write a PNG with landmarks, region of interest, code and quality."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
AsCsv = Annotated[
    bool,
    typer.Option("--csv", help="Print CSV instead of a table, a line a file or pair."),
]


@app.command()
def extract(
    files: Files,
    *,
    out: Annotated[
        Path | None, typer.Option(help="Folder for template files; created if missing.")
    ] = None,
    draw: Draw = None,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Make a template from each picture and show the results.

    Inspect one picture: `thenar engine extract palm.jpg --draw found.png`

    Write a template file for each: `thenar engine extract pictures/ --out templates/`. Its
    `manifest.csv` keeps whose palm each is: `identify --gallery templates/` searches them.
    """
    from engine.workbench import commands  # noqa: PLC0415 - loads the engine

    commands.extract(files, out, draw, _form(as_json=as_json, as_csv=as_csv))


@app.command()
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
    from engine.workbench import commands  # noqa: PLC0415 - loads the engine

    commands.compare(probe, references, rate, draw, _form(as_json=as_json, as_csv=as_csv))


@app.command()
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
    from engine.workbench import commands  # noqa: PLC0415 - loads the engine

    commands.identify(probes, gallery, rate, draw, _form(as_json=as_json, as_csv=as_csv))


@app.command("compile")
def compile_all(
    *,
    every_cpu: Annotated[
        bool,
        typer.Option("--every-cpu", help="For every kind of x86-64, such as for an image."),
    ] = False,
) -> None:
    """Compile the comparison and search, so that no process does at its start.

    Writes into the program's own folder: run it as its owner after an installation or update.
    """
    from engine.workbench import commands  # noqa: PLC0415 - loads the engine

    commands.compile_all(every_cpu=every_cpu)


@app.command()
def verify() -> None:
    """Check every network of the manifest: digest, loading, inputs and outputs."""
    from engine.workbench import commands  # noqa: PLC0415 - loads the engine

    commands.verify()


def _form(*, as_json: bool, as_csv: bool) -> Form:
    if as_json and as_csv:
        raise typer.BadParameter("choose --json or --csv")
    return Form.JSON if as_json else Form.CSV if as_csv else Form.TABLE


if __name__ == "__main__":
    app()
