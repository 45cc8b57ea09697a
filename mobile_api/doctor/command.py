"""``thenar doctor``."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Final

import typer
from rich.console import Console
from rich.markup import escape

from mobile_api.cli.serve import Only
from mobile_api.doctor.findings import Finding, Level, exit_code

if TYPE_CHECKING:
    import httpx2

answers: Final = Console(highlight=False)


def doctor(
    only: Annotated[
        Only | None, typer.Option(help="Check only what this half of the service needs.")
    ] = None,
    *,
    probe: Annotated[
        bool,
        typer.Option("--probe", help="Also request the public addresses, through the proxy."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Check the configuration and report problems: settings, databases, clocks, keys, disk.

    One line for each check: ✓ good, ! may be wrong, ✗ wrong, with advice. Exit status 1 if any
    check failed.
    """
    import httpx2  # noqa: PLC0415 - help needs no HTTP

    from mobile_api.doctor.probe import PROBE_S  # noqa: PLC0415

    findings = []
    run_checks: Callable[[httpx2.Client | None, Only | None], Iterator[Finding]]
    run_checks = import_module("mobile_api.doctor.run").run_checks
    with httpx2.Client(timeout=PROBE_S) as http:
        for finding in run_checks(http if probe else None, only):
            findings.append(finding)
            if not as_json:
                answers.print(_line(finding), soft_wrap=True)
    if as_json:
        listed = [asdict(each) | {"level": each.level.name.lower()} for each in findings]
        typer.echo(json.dumps(listed, indent=2))
    raise typer.Exit(exit_code(findings))


MARKS: Final = {
    Level.OK: "[green]✓[/green]",
    Level.WARN: "[yellow]![/yellow]",
    Level.FAIL: "[red]✗[/red]",
}


def _line(finding: Finding) -> str:
    message = f": {escape(finding.message)}" if finding.message else ""
    advice = f" — {escape(finding.advice)}" if finding.advice else ""
    return f"{MARKS[finding.level]} {escape(finding.name)}{message}{advice}"
