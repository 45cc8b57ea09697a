"""``thenar models templates`` draws templates; ``even`` fits the whitening to them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from engine.errors import ModelFault
from engine.features.whitening import WHITENING_FILE
from engine.networks.manifest import read_manifest
from engine.settings import EngineSettings
from models.drawn_templates import fill_templates, prepare_templates, read_energies
from models.errors import ModelsError
from models.synthesis.crop.variation import Variation
from models.whitening import fit_whitening, write_whitening

NETWORK_GRAPH: Final = "palm_print_net"
"""Manifest name of the graph with our network."""

DEFAULT_SEED: Final = 7
"""Not the seed of any shipped training, so none of these palms was learnt from."""

_console = Console(stderr=True, highlight=False)


def templates(
    out: Annotated[Path, typer.Option(help="Folder to fill; made if missing.")],
    palms: Annotated[int, typer.Option(min=1, help="Number of palms.")] = 1024,
    views: Annotated[int, typer.Option(min=1, max=16, help="Samples of each palm.")] = 1,
    seed: Annotated[
        int, typer.Option(min=0, help="Other seeds are other palms.")
    ] = DEFAULT_SEED,
    shift: Annotated[
        float, typer.Option(min=0, help="Misplacement of a sample, in halves of a region.")
    ] = Variation().shift,
    workers: Annotated[int, typer.Option(min=1, help="Processes.")] = 1,
) -> None:
    """Draw synthetic palms and store their templates: vectors and codes, no picture.

    The short-list and fusion benchmarks read them. An interrupted run continues. About 30 ms of
    one core for each sample.
    """
    settings = EngineSettings()
    try:
        graph = settings.weights_dir / read_manifest(settings.manifest)[NETWORK_GRAPH].file
        plan = prepare_templates(out, graph, seed=seed, views=views, shift=shift)
        with _bar() as progress:
            task = progress.add_task("", total=palms)
            for count in fill_templates(out, plan, palms, workers=workers):
                progress.advance(task, count)
    except (ModelsError, ModelFault) as error:
        _console.print(f"[red]{error}[/]", soft_wrap=True)
        raise typer.Exit(code=1) from error
    _console.print(f"templates in {out}", soft_wrap=True)


def even(
    folder: Annotated[
        Path, typer.Argument(help="Templates of drawn palms, several views of each.")
    ],
    out: Annotated[
        Path, typer.Option(help="File to write; the engine's own.")
    ] = WHITENING_FILE,
) -> None:
    """Fit the whitening of the default extractor's oriented energy to drawn palms.

    The shipped one: templates --palms 3072 --views 3 --seed 8. Another file is another
    extractor: afterwards write its graph (build), name it in engine/extract.py and the
    manifest, and calibrate.
    """
    try:
        write_whitening(fit_whitening(read_energies(folder)), out)
    except ModelsError as error:
        _console.print(f"[red]{error}[/]", soft_wrap=True)
        raise typer.Exit(code=1) from error
    _console.print(f"written to {out}", soft_wrap=True)


def _bar() -> Progress:
    return Progress(
        TextColumn("drawing palms"), BarColumn(), MofNCompleteColumn(),
        TimeElapsedColumn(), TextColumn("· left"), TimeRemainingColumn(), console=_console,
    )  # fmt: skip
