"""``thenar demo``: the service and a sample relying party, with people enrolled."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import httpx2
import typer
import uvicorn
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from mobile_api.demo.enrolment import enrol
from mobile_api.demo.errors import DemoError
from mobile_api.demo.instructions import Tried, print_instructions
from mobile_api.demo.pages import build_relying_party
from mobile_api.demo.people import DemoPeople, DemoPerson, read_people
from mobile_api.demo.relying_party import OpenIdConnect, Registration
from mobile_api.demo.service import DemoService, require_port_free
from mobile_api.demo.site import Site, network_site, own_address

if TYPE_CHECKING:
    from collections.abc import Iterator

END_LIMIT_S = 5.0
"""How long the relying party's thread may take to stop."""

_console = Console(highlight=False)


def demo(
    palms: Annotated[Path, typer.Option(help="Folder written by “thenar models draw”.")],
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
) -> None:
    """Start Thenar and a sample app with drawn people enrolled, and print what to try.

    The first start enrols everybody; later ones are ready at once. Serves plain HTTP on
    loopback only, or https to your network, with a certificate of its own. Stop with Ctrl-C.
    Delete the data folder to start over.
    """
    for ending in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # also where it is ignored
        signal.signal(ending, signal.default_int_handler)
    try:
        wanted = own_address() if lan and host is None else host
        folder = data or Path("data/demo" if wanted is None else f"data/demo-{wanted}")
        folder.mkdir(parents=True, exist_ok=True)
        site = Site() if wanted is None else network_site(wanted, folder, _utc_now)
        _run(palms, folder, site, port, shop_port)
    except DemoError as fault:
        _console.print(f"[red]{fault}[/]", soft_wrap=True)
        raise typer.Exit(code=1) from fault
    except KeyboardInterrupt:
        _console.print("\nThe demo has ended.")


def _utc_now() -> datetime:
    return datetime.now(UTC)  # noqa: TID251 -- the demo is put together here


def _run(palms: Path, data: Path, site: Site, port: int, shop_port: int) -> None:
    """Start everything, enrol people, and wait."""
    people = read_people(palms)
    for wanted in (port, shop_port):
        require_port_free(site.host, wanted)
    first = people.people[0]
    command = answer_command(site, people.phone_file(data, first), first)
    service = DemoService(data, site, port, command)
    service.run("migrate")
    shop = site.url(site.shop_host, shop_port)
    registration = service.registration(f"{shop}/callback")
    tried = Tried(service, shop, people, service.invitation(), service.write_settings())
    with service.running() as process:
        _enrol_missing(people, service)
        with _serving(_shop(registration, site, shop_port)):
            print_instructions(_console, tried)
            _wait(process, service)


def _shop(registration: Registration, site: Site, port: int) -> uvicorn.Config:
    """Return the sample app and where it is served."""
    transport = httpx2.AsyncHTTPTransport(verify=site.trust)
    return uvicorn.Config(
        build_relying_party(OpenIdConnect(registration, transport)),
        host=site.host,
        port=port,
        ssl_certfile=site.served_certificate,
        log_level="warning",
    )


def answer_command(site: Site, phone: Path, person: DemoPerson) -> str:
    """Return the command with ``{link}`` that answers a login for a person."""
    trusting = (
        ""
        if site.certificate is None
        else f"SSL_CERT_FILE={quote(str(site.certificate.public))} "
    )
    return (
        f"{trusting}{_program()} phone answer '{{link}}'"
        f" --palm {quote(str(person.others[0]))} --approve --state {quote(str(phone))}"
    )


def _program() -> str:
    """Return how this program was called, quoted for a shell."""
    path = Path(sys.argv[0])
    if path.name == "__main__.py":
        return f"{quote(sys.executable)} -m {path.parent.name}"
    if path.is_absolute() and path.is_relative_to(Path.cwd()):
        path = path.relative_to(Path.cwd())
    return quote(str(path))


def _enrol_missing(people: DemoPeople, service: DemoService) -> None:
    """Enrol everybody without a phone, with a progress bar."""
    missing = people.not_enrolled(service.data)
    if not missing:
        return
    columns = (
        TextColumn("enrolling people"), BarColumn(), MofNCompleteColumn(),
        TimeElapsedColumn(), TextColumn("· left"), TimeRemainingColumn(),
    )  # fmt: skip
    with Progress(*columns, console=_console) as progress:
        for person in progress.track(missing):
            enrol(person, service, people.phone_file(service.data, person))


@contextmanager
def _serving(config: uvicorn.Config) -> Iterator[None]:
    """Serve the relying party in a thread.

    Raises:
        DemoError: it did not start.
    """
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    try:
        thread.start()
        while not server.started:
            thread.join(0.05)
            if not thread.is_alive():
                raise DemoError("The sample app did not start: choose another --shop-port.")
        yield
    finally:
        server.should_exit = True
        thread.join(END_LIMIT_S)


def _wait(process: subprocess.Popen[bytes], service: DemoService) -> None:
    """Wait for the service.

    Raises:
        DemoError: it stopped by itself.
    """
    process.wait()
    raise DemoError(f"The service has stopped:\n{service.log.read_text()[-2000:]}")
