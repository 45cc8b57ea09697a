"""``thenar models templates`` draws palms and stores their templates."""

from pathlib import Path
from typing import Annotated, Final

import typer

from engine.networks.manifest import read_manifest
from engine.settings import PALM_GRAPH, EngineSettings
from models.console import console, progress, reported_faults
from models.drawn_templates import fill_templates, prepare_templates
from models.synthesis.crop.variation import Variation

DEFAULT_SEED: Final = 7
"""Not the seed of any shipped training, so none of these palms was learnt from."""


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
    with reported_faults():
        graph = settings.weights_dir / read_manifest(settings.manifest)[PALM_GRAPH].file
        plan = prepare_templates(out, graph, seed=seed, views=views, shift=shift)
        with progress("drawing palms", palms) as advance:
            for count in fill_templates(out, plan, palms, workers=workers):
                advance(count)
    console.print(f"templates in {out}", soft_wrap=True)
