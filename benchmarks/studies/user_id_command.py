"""``thenar bench user-id``: four kinds of ``user_id``, two thousand requests of each."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import httpx2
import typer
from rich.console import Console
from rich.table import Table

from benchmarks.datasets.manifest import DatasetFault, read_palm_set
from benchmarks.harness.relying_party import RelyingParty
from benchmarks.harness.service import Service, ServiceFault
from benchmarks.measurement.result_files import result, write_result
from benchmarks.studies.user_id import (
    Setup,
    UserIdFault,
    measure,
    request_sender,
    summary,
    user_ids_of_each_kind,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.datasets.manifest import PalmSet

REDIRECT_URI = "http://127.0.0.1:9/callback"
"""Nothing listens there."""

_console = Console(stderr=True, highlight=False)


def user_id(
    data: Annotated[Path, typer.Argument(help="Folder with manifest.csv and pictures.")],
    count: Annotated[int, typer.Option(min=10, help="Requests of each kind.")] = 2000,
    out: Annotated[Path | None, typer.Option(help="Folder for the JSON result.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the request order.")] = 1,
) -> None:
    """Time requests for an unknown, a revoked, a foreign and a malformed user_id.

    Needs one palm of the folder with four pictures, and a quiet machine. Exits with 1 if two
    medians differ by 5 % or more.
    """
    try:
        palms = read_palm_set(data)
        with _running_setup() as setup, httpx2.Client(timeout=60) as http:
            kinds = user_ids_of_each_kind(setup, _one_palm(palms), http)
            numbers = summary(measure(request_sender(setup.timed), kinds, count, seed))
    except (DatasetFault, ServiceFault, UserIdFault) as fault:
        _console.print(f"[red]{fault}[/]", soft_wrap=True)
        raise typer.Exit(code=1) from fault
    table = Table("kind", "median ms", "p99 ms", box=None)
    for kind, median in numbers["median_ms"].items():
        table.add_row(kind, f"{median:.3f}", f"{numbers['p99_ms'][kind]:.3f}")
    _console.print(table)
    _console.print(f"largest difference {100 * numbers['largest_difference']:.2f} %")
    if out is not None:
        content = result(
            protocol="user-id-1",
            palms=palms,
            parameters={"count": count, "seed": seed},
            numbers=numbers,
            at=datetime.now(UTC),  # noqa: TID251 -- the date of a result
        )
        _console.print(f"written to {write_result(out, 'user-id', content)}", soft_wrap=True)
    if not numbers["holds"]:
        raise typer.Exit(code=1)


@contextmanager
def _running_setup() -> Iterator[Setup]:
    with tempfile.TemporaryDirectory(prefix="thenar-user-id-") as folder:
        service = Service(Path(folder))
        service.run("migrate")
        timed, other = (service.add_client(name, REDIRECT_URI) for name in ("One", "Two"))
        with service.running():
            parties = (RelyingParty(service.issuer, each) for each in (timed, other))
            yield Setup(f"{service.issuer}/mobile/v1", *parties)


def _one_palm(palms: PalmSet) -> list[Path]:
    by_palm: dict[str, list[Path]] = {}
    for picture in palms.pictures:
        if picture.identity and picture.kind == "hand":
            by_palm.setdefault(picture.identity, []).append(picture.path)
    if not by_palm:
        raise DatasetFault("the set has no picture of a known hand")
    return max(by_palm.values(), key=len)
