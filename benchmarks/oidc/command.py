"""``thenar bench oidc``: its options."""

from pathlib import Path
from typing import Annotated

import typer

from benchmarks.console import reported_faults

PROVIDERS = ("sqlite", "postgresql", "node-oidc-provider")


def oidc(
    out: Annotated[Path, typer.Option(help="Folder for the JSON and the page.")] = Path(
        "benchmarks/results"
    ),
    requests: Annotated[
        int, typer.Option(min=16, help="Requests per operation and round.")
    ] = 1_000,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds for each provider.")] = 6,
    warm_up: Annotated[int, typer.Option(min=0, help="Rounds before, not counted.")] = 20,
    connections: Annotated[int, typer.Option(min=1, help="Requests in flight at once.")] = 16,
    only: Annotated[
        list[str] | None, typer.Option(help=f"Choose from {', '.join(PROVIDERS)}.")
    ] = None,
) -> None:
    """Measure code exchange, refresh and userinfo per CPU second and per second.

    Ours runs on SQLite and on PostgreSQL, durable as shipped, beside node-oidc-provider with an
    in-memory store. They take turns in one run: compare within it only. Providers that are not
    installed are skipped and named.
    """
    wanted = only or list(PROVIDERS)
    if set(wanted) - set(PROVIDERS):
        raise typer.BadParameter(f"providers are {', '.join(PROVIDERS)}")
    with reported_faults():
        # Slow to load, and --help needs none of it.
        from benchmarks.oidc.report import measure_providers  # noqa: PLC0415

        parameters = {"requests": requests, "rounds": rounds, "connections": connections}
        measure_providers(out, wanted, parameters | {"warm_up": warm_up})
