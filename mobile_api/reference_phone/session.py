"""Opens the reference phone for a command: state, key and service."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer
from rich.console import Console
from rich.markup import escape

from mobile_api.errors import PhoneError
from mobile_api.reference_phone.words import message_for
from mobile_api.types import Purpose

if TYPE_CHECKING:
    from mobile_api import messages as m
    from mobile_api.frames import SentFrame
    from mobile_api.reference_phone.client import Palm, ReferencePhone

TIMEOUT_S: Final = 60.0
"""A busy service may queue a picture."""

console: Final = Console(stderr=False, highlight=False)

OwnPalm = Annotated[
    list[Path] | None,
    typer.Option(
        "--palm", exists=True, dir_okay=False, help="A picture of your palm, up to three times."
    ),
]
DEFAULT_STATE: Final = Path(typer.get_app_dir("thenar")) / "phone.json"
DEFAULT_SERVICE: Final = "http://127.0.0.1:8080"


def print_line(text: str) -> None:
    """Print a line without wrapping it."""
    console.print(text, soft_wrap=True)


@dataclass(frozen=True, slots=True)
class Options:
    """Options of every command, given before its name."""

    state: Path
    api: str | None
    camera: str | None = None


@contextmanager
def open_phone(
    context: typer.Context, api: str | None = None, name: str = "thenar phone"
) -> Iterator[ReferencePhone]:
    """Open the phone of the state file; create and register it if needed.

    A PhoneError is printed in one sentence, and the command ends with status 1.
    """
    import httpx2  # noqa: PLC0415 - help needs no HTTP

    from mobile_api.messages import API_PREFIX  # noqa: PLC0415
    from mobile_api.reference_phone import client  # noqa: PLC0415
    from mobile_api.reference_phone import state as files  # noqa: PLC0415

    options: Options = context.obj
    with report_phone_errors(), httpx2.Client(timeout=TIMEOUT_S) as http:
        identity = files.load_identity(options.state) or files.PhoneIdentity(client.new_key())
        latest = next(reversed(identity.registered), DEFAULT_SERVICE + API_PREFIX)
        phone = client.ReferencePhone(api or options.api or latest, identity.key, http)
        if phone.api not in identity.registered:
            files.save_identity(options.state, identity)
            phone.register(name)
            files.save_identity(options.state, identity.with_registration(phone.api))
            print_line(f"This phone is now registered at {escape(phone.api)}.")
        yield phone


@contextmanager
def report_phone_errors() -> Iterator[None]:
    """Print an error in one sentence and exit with status 1."""
    try:
        yield
    except PhoneError as fault:
        print_line(f"[red]{escape(message_for(fault))}[/red]")
        raise typer.Exit(1) from None


def own_palm(
    context: typer.Context,
    phone: ReferencePhone,
    pictures: list[Path] | None,
    purpose: Purpose = Purpose.PALM_PROOF,
    attempt_id: str | None = None,
) -> Palm:
    """Return what is sent as the palm: pictures, or a challenge that the camera has passed.

    Raises PhoneError.
    """
    options: Options = context.obj
    if options.camera is not None:
        return phone.pass_challenge(partial(_show, options.camera), purpose, attempt_id)
    if not pictures:
        raise PhoneError("show a palm: --palm with a picture, or --camera before the command")
    return [picture.read_bytes() for picture in pictures]


def _show(camera: str, step: m.StepMessage) -> list[SentFrame]:
    """Run the camera's program for a step."""
    from mobile_api.frames import read_frames  # noqa: PLC0415 - help needs no camera

    try:
        done = subprocess.run(  # noqa: S603 -- the person's own program
            shlex.split(camera),
            input=step.model_dump_json().encode(),
            stdout=subprocess.PIPE,
            check=True,
            timeout=step.answer_within_ms / 1000,
        )
        return read_frames(done.stdout)
    except (OSError, ValueError, subprocess.SubprocessError) as fault:
        raise PhoneError("the camera's program gave no frames") from fault
