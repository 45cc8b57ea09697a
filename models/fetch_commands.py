"""``thenar models fetch`` and ``verify``: the networks that are installed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from engine.errors import ModelFault
from models.errors import ModelsError

_console = Console(stderr=True, highlight=False)


def fetch(
    wheel: Annotated[
        Path | None,
        typer.Option(help="Wheel file, for machines without package index."),
    ] = None,
) -> None:
    """Fetch the two hand networks: download their package, check it, convert it to ONNX.

    Needs a package index the first time (about 36 MB, with this machine's pip). Later calls
    find the files and return at once. Serving downloads nothing.
    """
    from engine.networks.manifest import read_manifest  # noqa: PLC0415 - not for help
    from engine.settings import EngineSettings  # noqa: PLC0415
    from models.fetch import fetch_models  # noqa: PLC0415

    settings = EngineSettings()
    try:
        entries = read_manifest(settings.manifest)
        fetch_models(
            settings.manifest,
            entries,
            settings.weights_dir,
            wheel=wheel,
            report=_console.print,
        )
    except (ModelsError, ModelFault) as error:
        _console.print(f"[red]{error}[/]", soft_wrap=True)
        raise typer.Exit(code=1) from error


def verify() -> None:
    """Check every network of the manifest: digest, loading, inputs and outputs."""
    from engine.networks.manifest import read_manifest  # noqa: PLC0415 - not for help
    from engine.settings import EngineSettings  # noqa: PLC0415
    from models.verify import verify_models  # noqa: PLC0415

    settings = EngineSettings()
    try:
        names = list(read_manifest(settings.manifest))
    except ModelFault as error:
        _console.print(f"[red]{error}[/]", soft_wrap=True)
        raise typer.Exit(code=1) from error
    checks = verify_models(names, settings)
    for check in checks:
        mark = "[green]good[/]" if check.fault is None else f"[red]{check.fault}[/]"
        _console.print(f"{check.name}: {mark}", soft_wrap=True)
    if any(check.fault for check in checks):
        raise typer.Exit(code=1)
