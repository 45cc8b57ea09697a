"""``thenar demo``: the service and a sample relying party, with people enrolled."""

import signal
from pathlib import Path
from typing import Annotated

import typer

from mobile_api.demo.people import PEOPLE, DemoError, read_people


def demo(  # noqa: PLR0913 -- the options of a command
    palms: Annotated[
        Path,
        typer.Option(
            help="Folder written by “thenar models draw”.", show_default="20 drawn people"
        ),
    ] = PEOPLE,
    people: Annotated[
        int | None, typer.Option(min=1, help="How many of them.", show_default="all")
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            help="Folder for the demo's data.",
            show_default="data/demo; in a network with the address, as data/demo-192.0.2.7",
        ),
    ] = None,
    port: Annotated[int, typer.Option(help="Port of the service.")] = 8080,
    shop_port: Annotated[int, typer.Option(help="Port of the sample app.")] = 8081,
    *,
    lan: Annotated[
        bool, typer.Option("--lan", help="Serve https to phones in your network.")
    ] = False,
    host: Annotated[
        str | None,
        typer.Option(
            help="Serve https at this address of the machine.",
            show_default="with --lan, the one in your network",
        ),
    ] = None,
    challenge: Annotated[
        bool, typer.Option("--challenge", help="Ask new palms and phones for moving hands.")
    ] = False,
    station: Annotated[
        bool, typer.Option("--station", help="Show signing in at a station, without a phone.")
    ] = False,
) -> None:
    """Start Thenar and a sample app with drawn people enrolled, and print what to try.

    The first start enrols everybody; later ones are ready at once. Serves plain HTTP on
    loopback only, or https to your network, with its own certificate. Stop with Ctrl-C.
    Delete the data folder to start over.
    """
    from mobile_api.demo import running  # noqa: PLC0415 - loads the sample app

    for ending in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # also where it is ignored
        signal.signal(ending, signal.default_int_handler)
    try:
        folder, site = running.place(data, host, lan=lan)
        enrolled = read_people(palms, people)
        service = running.composed(enrolled, folder, site, port, challenge=challenge)
        running.run(enrolled, service, shop_port, has_station=station)
    except DemoError as fault:
        running.console.print(f"[red]{fault}[/]", soft_wrap=True)
        raise typer.Exit(code=1) from fault
    except KeyboardInterrupt:
        running.console.print("\nThe demo has ended.")
