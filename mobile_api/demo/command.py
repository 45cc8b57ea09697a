"""``thenar demo``: the service and a sample relying party, with people enrolled."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

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
from mobile_api.demo.pages import build_relying_party
from mobile_api.demo.people import DemoPeople, DemoPerson, read_people
from mobile_api.demo.relying_party import OpenIdConnect
from mobile_api.demo.service import LOOPBACK, DemoError, DemoService, require_port_free

if TYPE_CHECKING:
    from collections.abc import Iterator

SHOP_HOST = "localhost"
"""Another name of loopback than the service's, so that they do not share cookies."""

END_LIMIT_S = 5.0
"""How long the relying party's thread may take to stop."""

_console = Console(highlight=False)


def demo(
    palms: Annotated[Path, typer.Option(help="Folder written by “thenar models draw”.")],
    data: Annotated[Path, typer.Option(help="Folder for the demo's data.")] = Path("data/demo"),
    port: Annotated[int, typer.Option(help="Port of the service.")] = 8080,
    shop_port: Annotated[int, typer.Option(help="Port of the sample app.")] = 8081,
) -> None:
    """Start Thenar and a sample app with drawn people enrolled, and print what to try.

    The first start enrols everybody; later ones are ready at once. Serves plain HTTP on
    loopback only. Stop with Ctrl-C. Delete the data folder to start over.
    """
    for ending in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # also where it is ignored
        signal.signal(ending, signal.default_int_handler)
    try:
        _run(palms, data, port, shop_port)
    except DemoError as fault:
        _console.print(f"[red]{fault}[/]", soft_wrap=True)
        raise typer.Exit(code=1) from fault
    except KeyboardInterrupt:
        _console.print("\nThe demo has ended.")


def _run(palms: Path, data: Path, port: int, shop_port: int) -> None:
    """Start everything, enrol people, and wait."""
    people = read_people(palms)
    for wanted in (port, shop_port):
        require_port_free(wanted)
    data.mkdir(parents=True, exist_ok=True)
    first = people.people[0]
    command = answer_command(people.phone_file(data, first), first)
    service = DemoService(data, port, command)
    service.run("migrate")
    shop = f"http://{SHOP_HOST}:{shop_port}"
    registration = service.registration(f"{shop}/callback")
    with service.running() as process:
        _enrol_missing(people, service)
        app = build_relying_party(OpenIdConnect(registration))
        with _serving(uvicorn.Config(app, host=LOOPBACK, port=shop_port, log_level="warning")):
            _console.print(_instructions(service, shop, people, command), soft_wrap=True)
            _wait(process, service)


def answer_command(phone: Path, person: DemoPerson) -> str:
    """Return the command with ``{link}`` that answers a login for a person."""
    return (
        f"{_program()} phone answer '{{link}}'"
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
            enrol(person, service.url, people.phone_file(service.data, person))


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


def _instructions(service: DemoService, shop: str, people: DemoPeople, command: str) -> str:
    """Return what to try."""
    first, last = people.people[0].name, people.people[-1].name
    return f"""
[bold]Corner Bookshop[/]  {shop}  the sample app: start here
[bold]Thenar[/]           {service.url}  the service

  1. Open {shop} and press “Sign in with your palm”.
  2. The consent page shows a QR code for a phone and, this being the demo, a command.
     Copy it into a second terminal. LINK is the link behind the QR code:

     {command.replace("{link}", "LINK")}

     It acts as the phone of {first}, with a photo that was not used to enrol.
  3. The browser continues by itself. Then try “Verify this user again”.

  The demo's people are still pictures, so it runs without attack detection
  (THENAR_ENGINE_ATTACK_DETECTION=none). A service asks for moving hands by default.

  Enrolled: {len(people.people)} people, {first} to {last}.
  To be someone else, change --state and --palm. For an unknown phone, leave --state out.
  Data in {service.data}, log in {service.log}. Stop with Ctrl-C.
"""
