"""``thenar bench oidc``: the provider under load, beside others; writes JSON and a page."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from benchmarks.harness.service import ServiceFault
from benchmarks.measurement.result_files import machine, revision, write_page, write_result
from benchmarks.oidc.load import LoadFault
from benchmarks.oidc.providers import PROVIDERS, missing, providers
from benchmarks.oidc.run import OPERATIONS, compare_with_peer, measure

_console = Console(stderr=True, highlight=False)


def oidc(
    out: Annotated[Path, typer.Option(help="Folder for the JSON and the page.")] = Path(
        "benchmarks/results"
    ),
    requests: Annotated[
        int, typer.Option(min=16, help="Requests per operation and round.")
    ] = 1_000,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds for each provider.")] = 6,
    connections: Annotated[int, typer.Option(min=1, help="Requests in flight at once.")] = 16,
    only: Annotated[
        list[str] | None, typer.Option(help=f"Choose from {', '.join(PROVIDERS)}.")
    ] = None,
) -> None:
    """Measure code exchange, refresh and userinfo per CPU second and per second.

    Ours runs on SQLite and on PostgreSQL, durable as shipped, beside node-oidc-provider with an
    in-memory store and Authlib without any store. They take turns in one run: compare within it
    only. Providers that are not installed are skipped and named.
    """
    wanted = only or list(PROVIDERS)
    if set(wanted) - set(PROVIDERS):
        raise typer.BadParameter(f"providers are {', '.join(PROVIDERS)}")
    left_out = {name: reason for name in wanted if (reason := missing(name))}
    for reason in left_out.values():
        _console.print(f"[yellow]skipped: {reason}[/]", soft_wrap=True)
    begun = os.getloadavg()
    try:
        with providers([name for name in wanted if name not in left_out]) as running:
            found = measure(
                running,
                requests=requests,
                rounds=rounds,
                connections=connections,
                report=_console.print,
            )
    except (LoadFault, ServiceFault) as fault:
        _console.print(f"[red]{fault}[/]", soft_wrap=True)
        raise typer.Exit(code=1) from fault
    content = {
        "protocol": "oidc-1",
        "date": f"{datetime.now(UTC):%Y-%m-%d}",  # noqa: TID251 - the date of a result
        "parameters": {"requests": requests, "rounds": rounds, "connections": connections},
        "code": revision(),
        "machine": machine(),
        "load_average": {
            "before": [round(each, 2) for each in begun],
            "after": [round(each, 2) for each in os.getloadavg()],
        },
        "left_out": left_out,
        "providers": found,
        **compare_with_peer(found),
    }
    _console.print(_table(content))
    _console.print(f"written to {write_result(out, 'oidc', content)}", soft_wrap=True)
    _console.print(
        write_page("benchmarks.oidc.report_page", out / "oidc.html", content), soft_wrap=True
    )


def _table(content: dict[str, Any]) -> Table:
    table = Table(
        "", "", "req/CPU s", "with db", "req/s", "p50 ms", "p99 ms", "× peer", box=None
    )
    for name, kinds in content["providers"].items():
        for kind in OPERATIONS:
            told = kinds[kind]
            times = content["times_peer"].get(name, {}).get(kind, {}).get("times_peer", "")
            figures = ("per_cpu_s", "per_cpu_s_with_database", "per_wall_s", "p50_ms", "p99_ms")
            table.add_row(name, kind, *(f"{told[each]:g}" for each in figures), str(times))
    return table
