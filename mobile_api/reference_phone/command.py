"""``thenar phone``: the reference phone as a command."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, TypeVar

import typer
from rich.markup import escape

from engine.errors import EngineError
from mobile_api.errors import PhoneRefused
from mobile_api.reference_phone.account import COMMANDS
from mobile_api.reference_phone.session import (
    DEFAULT_STATE,
    Options,
    open_phone,
    own_palm,
    print_line,
    report_phone_errors,
)
from mobile_api.reference_phone.words import HINTS, counted, describe_origin, message_for
from mobile_api.types import Purpose
from oidc.types import NextStep

if TYPE_CHECKING:
    from mobile_api import messages as m
    from mobile_api.reference_phone.client import Link, Palm, ReferencePhone

    PalmsOf = Callable[[str], Iterable[tuple[str, Palm]]]
    "Returns the palms to send for a login, one for each attempt, with their names."


T = TypeVar("T")

_HEADING: Final = re.compile("^# (.+)$", re.MULTILINE)

FAILED_TO_ACQUIRE: Final = frozenset(
    {"palm_not_found", "back_of_hand", "quality_too_low", "samples_repeat"}
)
"""Errors after which the next picture may succeed."""

app: Final = typer.Typer(no_args_is_help=True)
for command in COMMANDS:
    app.command()(command)


class Send(StrEnum):
    """The kind of palm that the phone sends."""

    PICTURE = "picture"
    TEMPLATE = "template"


Palms = Annotated[
    list[Path] | None,
    typer.Option(
        "--palm", exists=True, dir_okay=False, help="A picture of a palm. Repeatable."
    ),
]
SendOption = Annotated[
    Send, typer.Option("--send", help="Send pictures, or templates computed here.")
]


@app.callback()
def phone(
    context: typer.Context,
    state: Annotated[
        Path,
        typer.Option(
            help="This phone's file: device key and registrations.",
            show_default="phone.json in your settings folder",
        ),
    ] = DEFAULT_STATE,
    api: Annotated[
        str | None,
        typer.Option(
            help="Address of the API, ending in /mobile/v1.",
            show_default="where this phone registered last",
        ),
    ] = None,
    camera: Annotated[
        str | None,
        typer.Option(
            help="Program that shows a palm in challenges, instead of pictures: it reads a step"
            " as JSON and writes the frames, as mobile_api/frames.py describes."
        ),
    ] = None,
) -> None:
    """Act as a phone: enrol palms, answer a sign-in's QR code, manage your account."""
    context.obj = Options(state, api, camera)


@app.command()
def register(
    context: typer.Context,
    name: Annotated[str, typer.Option(help="Name of this phone.")] = "thenar phone",
) -> None:
    """Create a device key and register it. Repeating it is harmless."""
    with open_phone(context, name=name) as phone:
        print_line(f"Device {phone.register(name).device_id}")


@app.command()
def enrol(
    context: typer.Context,
    palm: Palms = None,
    send: SendOption = Send.PICTURE,
    *,
    agree: Annotated[
        bool, typer.Option("--agree", help="Agree to the consent text without being asked.")
    ] = False,
) -> None:
    """Enrol one or both palms, with at least two pictures of each, or one with the camera."""
    with open_phone(context) as phone:
        consent = phone.consent()
        if not agree:
            print_line(_HEADING.sub(r"[bold]\1[/]", escape(consent.text)))
            typer.confirm("Do you agree?", abort=True)
        enrolment = phone.open_enrolment(consent)
        submit = _submitter(send, phone.add_picture, phone.add_template)
        for path in palm or ():
            _enrol_one(path, submit, enrolment.enrolment_id)
        if not palm:
            its_id = enrolment.enrolment_id
            shown = own_palm(context, phone, None, Purpose.ENROLMENT, its_id)
            print_line(f"{phone.add_picture(its_id, shown).hand.value} palm")
        _finish_enrolment(phone, enrolment.enrolment_id)


def _finish_enrolment(phone: ReferencePhone, enrolment_id: str) -> None:
    said = phone.finish_enrolment(enrolment_id)
    print_line(
        f"[green]Enrolled[/green]: {said.enrolled.left} samples of the left palm,"
        f" {said.enrolled.right} of the right one."
    )


def _enrol_one(
    path: Path, submit: Callable[[str, Palm], m.SampleMessage], enrolment_id: str
) -> None:
    """Send one picture; report and skip it if it is not good enough."""
    try:
        sample = submit(enrolment_id, path.read_bytes())
    except PhoneRefused as fault:
        if fault.error not in FAILED_TO_ACQUIRE:
            raise
        print_line(f"{escape(path.name)}: [yellow]{message_for(fault)}[/yellow]")
    else:
        quality = "" if sample.quality is None else f", quality {sample.quality}"
        left_out = "" if sample.counted else ", [yellow]matches no other picture yet[/yellow]"
        print_line(f"{escape(path.name)}: {sample.hand.value} palm{quality}{left_out}")


@app.command()
def answer(
    context: typer.Context,
    link: Annotated[str, typer.Argument(help="The QR code's link, in quotes.")],
    palm: Palms = None,
    send: SendOption = Send.PICTURE,
    *,
    approve: Annotated[
        bool | None, typer.Option("--approve/--decline", help="Answer without being asked.")
    ] = None,
) -> None:
    """Answer a sign-in: see who asks, send palms until one matches, approve or decline.

    Three are sent together: they must be of one palm, the best first.
    """
    from mobile_api.reference_phone.client import parse_link  # noqa: PLC0415 - loads HTTP

    with report_phone_errors():
        parsed = parse_link(link)
        with open_phone(context, parsed.api) as phone:
            _answer(phone, parsed, _palms(context, phone, palm), send, approve)


def _answer(
    phone: ReferencePhone,
    link: Link,
    palms: PalmsOf,
    send: Send,
    approve: bool | None,  # noqa: FBT001
) -> None:
    login = phone.claim(link.ticket)
    client = f"[bold]{escape(login.client_name)}[/bold] ({escape(login.client_host)})"
    print_line(f"{client} asks you to sign in. Scope: {escape(' '.join(login.scope))}.")
    if login.registered_itself:
        print_line("It registered itself: its name is unchecked.")
    asked_ago = counted(login.asked_ago, "second")
    print_line(f"Asked {asked_ago} ago {escape(describe_origin(login.asked_from))}.")
    if approve is False:
        _print_hint(phone.decline(login.login_id).hint)
        return
    submit = _submitter(send, phone.answer_picture, phone.answer_template)
    if not _recognised(login.login_id, palms, submit):
        raise typer.Exit(1)
    if not (approve or typer.confirm(f"Sign in to {login.client_name}?")):
        _print_hint(phone.decline(login.login_id).hint)
        return
    state = phone.approve(login.login_id)
    _print_hint(state.hint)
    if state.confirmation_code is not None:
        print_line(f"[bold]{state.confirmation_code}[/bold]")


def _palms(context: typer.Context, phone: ReferencePhone, palms: list[Path] | None) -> PalmsOf:
    """Return the palms to send for a login, with their names; read when they are needed."""
    from mobile_api.frames import ATTEMPT_FRAMES  # noqa: PLC0415 - loads the engine's types

    def read(login_id: str) -> Iterator[tuple[str, Palm]]:
        paths = palms or []
        for start in range(0, len(paths), ATTEMPT_FRAMES):
            some = paths[start : start + ATTEMPT_FRAMES]
            yield ", ".join(path.name for path in some), [path.read_bytes() for path in some]
        if not palms:
            yield "camera", own_palm(context, phone, None, Purpose.LOGIN, login_id)

    return read


def _recognised(
    login_id: str, palms: PalmsOf, submit: Callable[[str, Palm], m.PalmMessage]
) -> bool:
    """Send palms until one matches or the login ends."""
    for name, shown in palms(login_id):
        try:
            palm = submit(login_id, shown)
        except PhoneRefused as fault:
            if fault.error not in FAILED_TO_ACQUIRE:
                raise
            print_line(f"{escape(name)}: [yellow]{message_for(fault)}[/yellow]")
            continue
        _print_hint(palm.hint, palm.attempts_left)
        if palm.hint is not NextStep.PALM_RETRY:
            return palm.hint is NextStep.WAIT_APPROVE
    print_line("Run the command again with other pictures of your palm.")
    return False


@app.command()
def report(
    context: typer.Context,
    link: Annotated[str, typer.Argument(help="The QR code's link, in quotes.")],
) -> None:
    """Report a sign-in that someone else started: it ends and its tokens are revoked.

    Only for a sign-in that this phone has answered or may still answer.
    """
    from mobile_api.reference_phone.client import parse_link  # noqa: PLC0415 - loads HTTP

    with report_phone_errors():
        parsed = parse_link(link)
        with open_phone(context, parsed.api) as phone:
            login = phone.claim(parsed.ticket)
            _print_hint(phone.report(login.login_id).hint)


def _submitter(
    send: Send, picture: Callable[[str, Palm], T], template: Callable[[str, bytes], T]
) -> Callable[[str, Palm], T]:
    """Return how to submit the palm of an attempt; load the engine only for templates."""
    if send is Send.PICTURE:
        return picture
    from engine.pipeline import load_pipeline  # noqa: PLC0415 - loads the networks' runtime
    from engine.settings import EngineSettings  # noqa: PLC0415
    from engine.template_codec import encode_template  # noqa: PLC0415
    from mobile_api.messages import ShowChallenge  # noqa: PLC0415

    pipeline = load_pipeline(EngineSettings())

    def submit(identifier: str, palm: Palm) -> T:
        if isinstance(palm, ShowChallenge):
            return picture(identifier, palm)
        frames = [palm] if isinstance(palm, bytes) else palm
        try:
            templates = [pipeline.extract(one).template for one in frames]
            made = b"".join(encode_template(one, as_probe=True) for one in templates)
        except EngineError as fault:
            reason = getattr(fault, "reason", None)
            raise PhoneRefused(422, fault.code, None, reason, str(fault)) from fault
        return template(identifier, made)

    return submit


def _print_hint(hint: NextStep, attempts_left: int | None = None) -> None:
    colour = (
        "green" if hint in {NextStep.GO, NextStep.WAIT_APPROVE, NextStep.DECLINED} else "yellow"
    )
    left = "" if attempts_left is None else f" {counted(attempts_left, 'attempt')} left."
    print_line(f"[{colour}]{HINTS[hint]}[/{colour}]{left}")
