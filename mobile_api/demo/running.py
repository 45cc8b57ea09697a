"""The work of ``thenar demo``: starts everything, enrols people over HTTP, says what to try."""

import io
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote
from typing import Final

import httpx2
import segno
import uvicorn
from jinja2 import Environment, FileSystemLoader
from rich.console import Console
from rich.progress import track

from mobile_api.demo.people import DemoError, DemoPeople, DemoPerson
from mobile_api.demo.relying_party import OpenIdConnect, Registration, build_relying_party
from mobile_api.demo.service import DemoService, require_port_free
from mobile_api.demo.site import Site, network_site, own_address
from mobile_api.errors import PhoneError, PhoneRefused
from mobile_api.messages import API_PREFIX
from mobile_api.reference_phone.client import ReferencePhone, new_key
from mobile_api.reference_phone.state import PhoneIdentity, save_identity
from oidc.types import utc_now


@dataclass(frozen=True, slots=True)
class Tried:
    """A sign-in that a visitor can try.

    Attributes:
        shop: address of the sample app.
        invitation: link into the portal.
        settings: file with the service's settings.
        station: link for a station; empty: a browser used it; None: not shown.
    """

    service: DemoService
    shop: str
    people: DemoPeople
    invitation: str
    settings: Path
    station: str | None = None


def print_instructions(console: Console, tried: Tried) -> None:
    """Print what to try, with links and fingerprints as they are: “:CD:” is no emoji."""
    loader = FileSystemLoader(Path(__file__).with_name("templates"))
    pages = Environment(loader=loader, trim_blocks=True, autoescape=False)  # noqa: S701 - text
    shown = pages.get_template("instructions.txt").render(
        tried=tried, service=tried.service, people=tried.people.people, code=_code
    )
    console.print(shown, soft_wrap=True, emoji=False)


def _code(link: str) -> str:
    """Draw a QR code with characters."""
    drawn = io.StringIO()
    segno.make(link, error="l", micro=False).terminal(drawn, border=2, compact=True)
    return f"[bright_white on black]{drawn.getvalue().rstrip()}[/]"


TIMEOUT_S: Final = 60.0
"""A busy service may queue a picture."""

UNUSABLE: Final = frozenset({"palm_not_found", "back_of_hand", "quality_too_low"})
"""Errors after which a picture is skipped."""


def enrol(person: DemoPerson, service: DemoService, phone_file: Path) -> None:
    """Register a phone, enrol both palms, and save the phone last.

    If an earlier start stopped before saving, the phone is bound at its first login.

    Raises:
        DemoError: the person cannot be enrolled.
    """
    identity = PhoneIdentity(new_key())
    with httpx2.Client(timeout=TIMEOUT_S, verify=service.site.trust) as http:
        phone = ReferencePhone(service.url + API_PREFIX, identity.key, http)
        try:
            phone.register(f"Phone of {person.name}")
            _send_palms(phone, person)
        except PhoneError as fault:
            raise DemoError(f"{person.name} could not be enrolled: {fault}") from fault
    save_identity(phone_file, identity.with_registration(phone.api))


def _send_palms(phone: ReferencePhone, person: DemoPerson) -> None:
    """Agree, send the pictures and finish."""
    enrolment = phone.open_enrolment(phone.consent()).enrolment_id
    for picture in person.enrolment:
        try:
            phone.add_picture(enrolment, picture.read_bytes())
        except PhoneRefused as refusal:
            if refusal.error not in UNUSABLE:
                raise
    try:
        phone.finish_enrolment(enrolment)
    except PhoneRefused as refusal:
        if refusal.error != "already_enrolled":
            raise


END_LIMIT_S = 5.0
"""How long the relying party's thread may take to stop."""

console: Final = Console(highlight=False)


def place(data: Path | None, host: str | None, *, lan: bool) -> tuple[Path, Site]:
    """Return the folder, made if missing, and the address: loopback, or one in the network.

    Raises:
        DemoError: this machine has no such address.
    """
    wanted = own_address() if lan and host is None else host
    folder = data or Path("data/demo" if wanted is None else f"data/demo-{wanted}")
    folder.mkdir(parents=True, exist_ok=True)
    return folder, Site() if wanted is None else network_site(wanted, folder, utc_now)


def composed(
    people: DemoPeople, data: Path, site: Site, port: int, *, challenge: bool
) -> DemoService:
    """Return the service, whose consent page shows the first person's command."""
    first = people.people[0]
    command = answer_command(site, people.phone_file(data, first), first)
    return DemoService(data, site, port, command, asks_challenges=challenge)


def run(people: DemoPeople, service: DemoService, shop_port: int, *, has_station: bool) -> None:
    """Start everything, enrol people, and wait.

    Raises:
        DemoError: something did not start, or has stopped.
    """
    site = service.site
    for wanted in (service.port, shop_port):
        require_port_free(site.host, wanted)
    service.run("migrate")
    shop = site.url(site.shop_host, shop_port)
    service = replace(service, shop_url=shop)
    registration = service.registration(f"{shop}/callback")
    station = service.station() if has_station else None
    tried = Tried(
        service, shop, people, service.invitation(), service.write_settings(), station
    )
    if service.asks_challenges:
        _enrol_stills(people, service)
    with service.running() as process:
        _enrol_missing(people, service)
        with _serving(_shop(registration, site, shop_port)):
            print_instructions(console, tried)
            _wait(process, service)


def _enrol_stills(people: DemoPeople, service: DemoService) -> None:
    """Enrol the drawn people, who cannot move, before moving hands are required."""
    if people.not_enrolled(service.data):
        with replace(service, asks_challenges=False).running():
            _enrol_missing(people, service)


def _shop(registration: Registration, site: Site, port: int) -> uvicorn.Config:
    """Return the sample app and where it is served."""
    transport = httpx2.AsyncHTTPTransport(verify=site.trust)
    return uvicorn.Config(
        build_relying_party(OpenIdConnect(registration, transport)),
        host=site.host,
        port=port,
        ssl_certfile=site.served_certificate,
        log_level="warning",
        http="h11",  # httptools loses the body of a request that offers another protocol
        ws="none",
    )


def answer_command(site: Site, phone: Path, person: DemoPerson) -> str:
    """Return the command with ``{link}`` that answers a login for a person."""
    trusting = (
        ""
        if site.certificate is None
        else f"SSL_CERT_FILE={quote(str(site.certificate.public))} "
    )
    return (
        f"{trusting}{_program()} phone --state {_here(phone)} answer '{{link}}'"
        f" --palm {_here(person.others[0])} --approve"
    )


def _program() -> str:
    """Return how this program was called, quoted for a shell."""
    path = Path(sys.argv[0])
    if path.name == "__main__.py":
        return f"{quote(sys.executable)} -m {path.parent.name}"
    return _here(path)


def _here(path: Path) -> str:
    """Return a path as seen from this folder, quoted for a shell."""
    inside = path.is_absolute() and path.is_relative_to(Path.cwd())
    return quote(str(path.relative_to(Path.cwd()) if inside else path))


def _enrol_missing(people: DemoPeople, service: DemoService) -> None:
    """Enrol everybody without a phone, with a progress bar."""
    missing = people.not_enrolled(service.data)
    if not missing:
        return
    for person in track(missing, "enrolling people", console=console):
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
