"""``thenar phone``: the reference phone as a command, for people without a phone at hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final, TypeVar

import httpx2
import typer
from rich.console import Console
from rich.markup import escape

from engine.errors import EngineError
from engine.pipeline import load_pipeline
from engine.settings import EngineSettings
from engine.template_codec import encode_template
from mobile_api import messages as m
from mobile_api.errors import PhoneError, PhoneRefused
from mobile_api.phone import Link, ReferencePhone, new_key, parse_link
from mobile_api.phone_state import PhoneIdentity, load_identity, save_identity
from mobile_api.phone_words import HINTS, words_for
from oidc.types import Hint

TIMEOUT_S: Final = 60.0
"""A busy service may let a picture wait; a phone that hangs for longer helps nobody."""

T = TypeVar("T")

FAILED_TO_ACQUIRE: Final = frozenset({"palm_not_found", "back_of_hand", "quality_too_low"})
"""Errors after which the next picture may do better."""

console: Final = Console(stderr=False, highlight=False)
app: Final = typer.Typer(no_args_is_help=True)


class Send(StrEnum):
    """What leaves the phone."""

    PICTURE = "picture"
    TEMPLATE = "template"


State = Annotated[
    Path | None,
    typer.Option("--state", help="File of this phone: device key and registrations."),
]
Api = Annotated[
    str | None,
    typer.Option("--api", help="Address of the API, ending in /mobile/v1."),
]
Palms = Annotated[
    list[Path],
    typer.Option("--palm", exists=True, dir_okay=False, help="A picture of a palm; repeat it."),
]
SendOption = Annotated[
    Send, typer.Option("--send", help="Send pictures, or templates made here.")
]
DEFAULT_STATE: Final = Path(typer.get_app_dir("thenar")) / "phone.json"
DEFAULT_API: Final = "http://127.0.0.1:8080" + m.API_PREFIX


def say(text: str) -> None:
    """Print a line, wrapped by the terminal and by nobody else."""
    console.print(text, soft_wrap=True)


@dataclass(frozen=True, slots=True)
class Where:
    """What was said before the command's name: applies unless said again after it."""

    state: Path
    api: str | None


@app.callback()
def phone(context: typer.Context, state: State = None, api: Api = None) -> None:
    """Be a phone: register, enrol palms, answer the QR code of a sign-in, delete."""
    context.obj = Where(state or DEFAULT_STATE, api)


@contextmanager
def _spoken_faults() -> Iterator[None]:
    """Say what went wrong in one sentence, and end with status 1."""
    try:
        yield
    except PhoneError as fault:
        say(f"[red]{escape(words_for(fault))}[/red]")
        raise typer.Exit(1) from None


@contextmanager
def _phone(
    context: typer.Context, state: Path | None, api: str | None, name: str = "thenar phone"
) -> Iterator[ReferencePhone]:
    """Yield the phone of a state file, made and registered if it was not."""
    where: Where = context.obj
    file = state or where.state
    identity = load_identity(file) or PhoneIdentity(new_key())
    latest = identity.registered[-1] if identity.registered else DEFAULT_API
    with httpx2.Client(timeout=TIMEOUT_S) as http:
        phone = ReferencePhone(api or where.api or latest, identity.key, http)
        if phone.api not in identity.registered:
            save_identity(file, identity)
            phone.register(name)
            save_identity(file, identity.known_at(phone.api))
            say(f"This phone is now registered at {escape(phone.api)}.")
        yield phone


@app.command()
def register(
    context: typer.Context,
    api: Api = None,
    name: Annotated[str, typer.Option(help="What you call this phone.")] = "thenar phone",
    state: State = None,
) -> None:
    """Make a device key, keep it in the state file, and register it. Again does no harm."""
    with _spoken_faults(), _phone(context, state, api, name) as phone:
        say(f"Device {phone.register(name).device_id}")


@app.command()
def enrol(
    context: typer.Context,
    palm: Palms,
    api: Api = None,
    state: State = None,
    send: SendOption = Send.PICTURE,
    *,
    agree: Annotated[
        bool, typer.Option("--agree", help="Agree to the consent text without being asked.")
    ] = False,
) -> None:
    """Enrol one palm or both: at least two pictures of each, after agreeing to the text."""
    with _spoken_faults(), _phone(context, state, api) as phone:
        consent = phone.consent()
        if not agree:
            say(escape(consent.text))
            typer.confirm("Do you agree?", abort=True)
        enrolment = phone.open_enrolment(consent)
        submit = _submitter(send, phone.add_picture, phone.add_template)
        for path in palm:
            _enrol_one(path, submit, enrolment.enrolment_id)
        enrolled = phone.finish_enrolment(enrolment.enrolment_id).enrolled
        say(
            f"[green]Enrolled[/green]: {enrolled.left} samples of the left palm,"
            f" {enrolled.right} of the right one."
        )


def _enrol_one(
    path: Path, submit: Callable[[str, bytes], m.SampleMessage], enrolment_id: str
) -> None:
    """Send one picture; one that is not good enough is named and left out."""
    try:
        sample = submit(enrolment_id, path.read_bytes())
    except PhoneRefused as fault:
        if fault.error not in FAILED_TO_ACQUIRE:
            raise
        say(f"{escape(path.name)}: [yellow]{words_for(fault)}[/yellow]")
    else:
        quality = "" if sample.quality is None else f", quality {sample.quality}"
        say(f"{escape(path.name)}: {sample.hand.value} palm{quality}")


@app.command()
def answer(
    context: typer.Context,
    link: Annotated[str, typer.Argument(help="The link behind the QR code, in quotes.")],
    palm: Palms,
    state: State = None,
    send: SendOption = Send.PICTURE,
    *,
    approve: Annotated[
        bool | None,
        typer.Option("--approve/--decline", help="What to say; asked for if left out."),
    ] = None,
) -> None:
    """Answer a sign-in: see who asks, send palms until one is recognised, say yes or no."""
    with _spoken_faults():
        parsed = parse_link(link)
        with _phone(context, state, parsed.api) as phone:
            _answer(phone, parsed, palm, send, approve)


def _answer(
    phone: ReferencePhone,
    link: Link,
    palms: list[Path],
    send: Send,
    approve: bool | None,  # noqa: FBT001
) -> None:
    login = phone.claim(link.ticket)
    client = f"[bold]{escape(login.client_name)}[/bold] ({escape(login.client_host)})"
    say(f"{client} asks you to sign in. Scope: {escape(' '.join(login.scope))}.")
    if approve is False:
        _say_hint(phone.decline(login.login_id).hint)
        return
    submit = _submitter(send, phone.answer_picture, phone.answer_template)
    if not _recognised(login.login_id, palms, submit):
        raise typer.Exit(1)
    yes = approve or typer.confirm(f"Sign in to {login.client_name}?")
    step = phone.approve if yes else phone.decline
    _say_hint(step(login.login_id).hint)


def _recognised(
    login_id: str, palms: list[Path], submit: Callable[[str, bytes], m.PalmMessage]
) -> bool:
    """Send palms until one is recognised or the login is over."""
    for path in palms:
        try:
            palm = submit(login_id, path.read_bytes())
        except PhoneRefused as fault:
            if fault.error not in FAILED_TO_ACQUIRE:
                raise
            say(f"{escape(path.name)}: [yellow]{words_for(fault)}[/yellow]")
            continue
        _say_hint(palm.hint, palm.attempts_left)
        if palm.hint is not Hint.PALM_RETRY:
            return palm.hint is Hint.WAIT_APPROVE
    say("Run the command again with another picture of your palm.")
    return False


@app.command()
def delete(
    context: typer.Context,
    palm: Annotated[
        Path,
        typer.Option("--palm", exists=True, dir_okay=False, help="A picture of your palm."),
    ],
    api: Api = None,
    state: State = None,
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask again.")] = False,
) -> None:
    """Delete your account: every template, every bond to a phone, every pseudonym."""
    with _spoken_faults(), _phone(context, state, api) as phone:
        if not yes:
            typer.confirm("Delete your account everywhere, for good?", abort=True)
        phone.delete_account(palm.read_bytes())
        say("Deleted. No application will recognise you any more.")


def _submitter(
    send: Send, picture: Callable[[str, bytes], T], template: Callable[[str, bytes], T]
) -> Callable[[str, bytes], T]:
    """Return how a picture is submitted; the engine is loaded only to make templates here."""
    if send is Send.PICTURE:
        return picture
    pipeline = load_pipeline(EngineSettings())

    def submit(identifier: str, data: bytes) -> T:
        try:
            made = encode_template(pipeline.extract(data).template)
        except EngineError as fault:
            reason = getattr(fault, "reason", None)
            raise PhoneRefused(422, fault.code, None, reason, str(fault)) from fault
        return template(identifier, made)

    return submit


def _say_hint(hint: Hint, attempts_left: int | None = None) -> None:
    colour = "green" if hint in {Hint.GO, Hint.WAIT_APPROVE, Hint.DECLINED} else "yellow"
    left = "" if attempts_left is None else f" {attempts_left} more to go."
    say(f"[{colour}]{HINTS[hint]}[/{colour}]{left}")
