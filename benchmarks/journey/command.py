"""``thenar bench journey``: its options."""

from pathlib import Path
from typing import Annotated

import typer

from benchmarks.console import reported_faults


def journey(  # noqa: PLR0913 -- each is an option
    data: Annotated[Path, typer.Argument(help="Folder with manifest.csv and pictures.")],
    enrol: Annotated[int, typer.Option(min=1, help="Palms to enrol.")] = 100,
    samples: Annotated[int, typer.Option(min=2, help="Pictures per enrolment.")] = 3,
    out: Annotated[Path | None, typer.Option(help="Folder for the JSON result.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the choice of palms.")] = 1,
    limit_probes: Annotated[
        int | None, typer.Option(min=1, help="Most logins, of the enrolled and of others.")
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
    with reported_faults():
        # Slow to load, and --help needs none of it.
        from benchmarks.journey.measure import Counts, Running, measure_journey  # noqa: PLC0415

        running = Running(url, api, client_id, client_secret) if url is not None else None
        counts = Counts(enrol, samples, seed, limit_probes)
        measure_journey(data, out, counts, running)
