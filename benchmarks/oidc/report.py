"""Measures the providers, writes the JSON and the page, prints a table."""

import os
from pathlib import Path
from typing import Any

from benchmarks.console import console, print_written
from benchmarks.measurement.result_files import made_by, write_result
from benchmarks.oidc.providers import missing, providers
from benchmarks.oidc.run import OPERATIONS, compare_with_peer, measure
from benchmarks.report.page import render


def measure_providers(out: Path, wanted: list[str], parameters: dict[str, int]) -> None:
    """Measure the wanted providers, and write what came out.

    Args:
        out: a folder.
        wanted: names of providers.
        parameters: requests, rounds, warm_up and connections, as :func:`measure` takes them.
    """
    left_out = {name: reason for name in wanted if (reason := missing(name))}
    for reason in left_out.values():
        console.print(f"[yellow]skipped: {reason}[/]", soft_wrap=True)
    before = os.getloadavg()
    with providers([name for name in wanted if name not in left_out]) as running:
        found = measure(running, **parameters)
    content = made_by("oidc-1") | {
        "parameters": parameters,
        "load_average": {
            "before": [round(each, 2) for each in before],
            "after": [round(each, 2) for each in os.getloadavg()],
        },
        "left_out": left_out,
        "providers": found,
        **compare_with_peer(found),
    }
    path = write_result(out, "oidc", content)
    path.with_suffix(".html").write_text(render_page(content), "utf-8")
    print_written(path.with_suffix(".html"))


def render_page(content: dict[str, Any]) -> str:
    """Return the self-contained page of one result."""
    return render("oidc.html", content=content, operations=OPERATIONS)
