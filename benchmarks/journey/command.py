"""``thenar bench journey``: enrol real pictures, answer logins with the others, count."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import httpx2
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
from rich.table import Table

from benchmarks.datasets.manifest import DatasetFault, read_palm_set
from benchmarks.harness.login_flow import LoginFlow
from benchmarks.harness.relying_party import Registration, RelyingParty
from benchmarks.harness.service import Service, ServiceFault
from benchmarks.journey.plan import plan_journey
from benchmarks.journey.run import JourneyFault, run_journey, summary
from benchmarks.measurement.result_files import result, write_result

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

REDIRECT_URI = "http://127.0.0.1:9/callback"
"""Nothing listens there: the browser stops before it."""

_console = Console(stderr=True, highlight=False)


def journey(  # noqa: PLR0913 -- each is an option
    data: Annotated[Path, typer.Argument(help="Folder with manifest.csv and pictures.")],
    enrol: Annotated[int, typer.Option(min=1, help="Palms to enrol.")] = 100,
    samples: Annotated[int, typer.Option(min=2, help="Pictures per enrolment.")] = 3,
    out: Annotated[Path | None, typer.Option(help="Folder for the JSON result.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the choice of palms.")] = 1,
    limit_probes: Annotated[
        int | None, typer.Option(min=1, help="Most logins, and most strangers.")
    ] = None,
    url: Annotated[
        str | None, typer.Option(help="Issuer of a running service; default: start one.")
    ] = None,
    api: Annotated[
        str | None, typer.Option(help="With --url: address of the mobile API.")
    ] = None,
    client_id: Annotated[str, typer.Option(help="With --url: client id.")] = "",
    client_secret: Annotated[
        str,
        typer.Option(help="With --url: client secret.", envvar="THENAR_BENCH_CLIENT_SECRET"),
    ] = "",
) -> None:
    """Enrol and log in with a set of pictures over HTTP, and count who gets in.

    Enrols palms from their first pictures, answers one login with each other picture, and lets
    palms that are not enrolled try too. Starts a service with empty databases, unless --url
    names one (whose client has the redirect URI http://127.0.0.1:9/callback).
    """
    try:
        palms = read_palm_set(data)
        plan = plan_journey(palms, enrol=enrol, samples=samples, seed=seed)
        with (
            _relying_party(url, client_id, client_secret) as party,
            httpx2.Client(timeout=60) as http,
            _progress() as progress,
        ):
            flow = LoginFlow(api or f"{party.issuer}/mobile/v1", party, http)

            def track_progress(what: str, items: list[Any]) -> Iterable[Any]:
                return progress.track(items, description=what)

            counts = run_journey(
                flow, plan, probe_limit=limit_probes, seed=seed, track_progress=track_progress
            )
    except (DatasetFault, JourneyFault, ServiceFault) as fault:
        _console.print(f"[red]{fault}[/]", soft_wrap=True)
        raise typer.Exit(code=1) from fault
    numbers = summary(counts, flow.times_s)
    _console.print(_table(numbers))
    if out is not None:
        parameters = {
            "enrol": len(plan.palms),
            "samples": samples,
            "seed": seed,
            "limit_probes": limit_probes,
        }
        written = write_result(
            out,
            f"journey-{palms.name}",
            result(
                protocol="journey-1",
                palms=palms,
                parameters=parameters,
                numbers=numbers,
            ),
        )
        _console.print(f"written to {written}", soft_wrap=True)


@contextmanager
def _relying_party(
    url: str | None, client_id: str, client_secret: str
) -> Iterator[RelyingParty]:
    if url is not None:
        yield RelyingParty(url, Registration(client_id, client_secret, REDIRECT_URI))
        return
    with tempfile.TemporaryDirectory(prefix="thenar-journey-") as folder:
        service = Service(Path(folder))
        service.run("migrate")
        registration = service.add_client("Journey", REDIRECT_URI)
        with service.running():
            yield RelyingParty(service.issuer, registration)


def _progress() -> Progress:
    return Progress(
        TextColumn("{task.description:>11}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("· left"),
        TimeRemainingColumn(),
        console=_console,
    )


def _table(numbers: dict[str, Any]) -> Table:
    table = Table("", "count", "of", "share", "95 % interval", box=None)
    rows = [
        ("failure to enrol", numbers["enrolment"]["failure_to_enrol"]),
        ("identified", numbers["logins"]["identified"]),
        ("not matched", numbers["logins"]["not_matched"]),
        ("falsely matched", numbers["logins"]["falsely_matched"]),
        ("failure to acquire", numbers["logins"]["failure_to_acquire"]),
        ("strangers let in", numbers["strangers"]["let_in"]),
    ]
    for name, rate in rows:
        low, high = rate["interval_95"]
        share = "–" if rate["share"] is None else f"{100 * rate['share']:.2f} %"
        interval = f"{100 * low:.2f} to {100 * high:.2f} %"
        table.add_row(name, str(rate["count"]), str(rate["total"]), share, interval)
    for part in ("enrolment", "logins", "strangers"):
        for reason, count in numbers[part]["failure_to_acquire_by_reason"].items():
            table.add_row(f"  {part}: {reason}", str(count))
    for step, times in numbers["times_ms"].items():
        median, slow = f"p50 {times['p50']:.0f} ms", f"p95 {times['p95']:.0f} ms"
        table.add_row(step, str(times["count"]), "", median, slow)
    return table
