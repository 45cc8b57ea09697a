"""``thenar bench waiting``: a thousand pending logins on one process; writes JSON."""

from __future__ import annotations

import os
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import httpx2
import typer
from rich.console import Console

from benchmarks.harness.handoff_client import HandoffClient
from benchmarks.harness.relying_party import RelyingParty
from benchmarks.harness.service import Service, ServiceFault
from benchmarks.measurement.result_files import machine, revision, write_result
from benchmarks.oidc.requests import REDIRECT_URI
from benchmarks.oidc.waiting import wait

_console = Console(stderr=True, highlight=False)


def waiting(
    logins: Annotated[int, typer.Option(min=1, help="Pending logins.")] = 1_000,
    out: Annotated[Path | None, typer.Option(help="Folder for the JSON result.")] = None,
) -> None:
    """Keep many logins pending on one provider process, then answer all.

    Every page keeps its event stream open; phones answer from another process. Exits with 1
    unless all finish, in 300 MB at most, and each page is notified within a second.
    """
    try:
        numbers = _measured(logins)
    except (ServiceFault, httpx2.HTTPError, TimeoutError) as fault:
        _console.print(f"[red]{fault!r}[/]", soft_wrap=True)
        raise typer.Exit(code=1) from fault
    _console.print(numbers)
    if out is not None:
        content = {
            "protocol": "oidc-waiting-1",
            "date": f"{datetime.now(UTC):%Y-%m-%d}",  # noqa: TID251 - the date of a result
            "code": revision(),
            "machine": machine(),
            "load_average": [round(each, 2) for each in os.getloadavg()],
            **numbers,
        }
        _console.print(f"written to {write_result(out, 'oidc-waiting', content)}")
    if not numbers["holds"]:
        raise typer.Exit(code=1)


def _measured(logins: int) -> dict[str, Any]:
    with TemporaryDirectory(prefix="thenar-waiting-") as folder:
        limits = {"THENAR_OIDC_STREAM_COUNT": str(logins), "THENAR_OIDC_PENDING_S": "600"}
        service = Service(Path(folder), settings=limits)
        service.run("migrate")
        client = service.add_client("Waiting", REDIRECT_URI)
        database_url = service.environment["THENAR_OIDC_DATABASE_URL"]
        with (
            service.running("--only", "oidc") as process,
            closing(HandoffClient(database_url, service.issuer)) as phones,
        ):
            party = RelyingParty(service.issuer, client)
            with closing(party.http):
                address = party.authorization_url()
            result = wait(address, logins, phones, process.pid, _console.print)
    return result.numbers(logins)
