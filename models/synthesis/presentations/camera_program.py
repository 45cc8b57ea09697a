"""``thenar models camera``: a drawn palm for ``thenar phone --camera``."""

import json
import struct
import sys
import time
from typing import Annotated, Any, Final

import typer

from engine.errors import ModelFault
from engine.presentation_attack.challenge import Challenge, Motion, Outline, Step
from engine.presentation_attack.session import Phase
from engine.types import Hand
from models.synthesis.camera import encode_jpeg
from models.synthesis.presentations.session import DrawnFrame, open_filming
from models.synthesis.presentations.species import BONA_FIDE, NAMES

_HEAD: Final = struct.Struct(">IBxI")
"""Milliseconds, phase, length: as ``mobile_api/frames.py`` describes."""

_QUALITY: Final = 92


def camera(
    person: Annotated[int, typer.Option(min=0, help="Whose palm; the same number, the same.")],
    species: Annotated[str, typer.Option(help="What is shown.")] = BONA_FIDE,
    session: Annotated[int, typer.Option(min=0, help="The seed of background and light.")] = 1,
    hand: Annotated[Hand, typer.Option(help="Which hand.")] = Hand.LEFT,
) -> None:
    """Answer one step of a challenge with drawn frames, for thenar phone --camera.

    Reads the step as JSON, and writes the frames when a person would have shown them.
    """
    if species not in NAMES:
        raise typer.BadParameter(f"no such species: {species}")
    started = time.monotonic()
    step = _step(json.load(sys.stdin))
    try:
        filming = open_filming(species, person, session, Challenge((step,)), hand=hand)
        frames = filming.frames()
    except ModelFault as fault:
        typer.echo(str(fault), err=True)
        raise typer.Exit(code=1) from fault
    time.sleep(max(0.0, started + frames[-1].at_s - time.monotonic()))
    for frame in frames:
        sys.stdout.buffer.write(_packed(frame))


def _step(sent: dict[str, Any]) -> Step:
    """Read a step as the service sends it."""
    return Step(
        motion=Motion(sent["motion"]),
        outline=Outline(**sent["outline"]),
        hold_s=sent["hold_ms"] / 1000,
        tilt_deg=sent["tilt_deg"],
    )


def _packed(frame: DrawnFrame) -> bytes:
    jpeg = encode_jpeg(frame.pixels, _QUALITY)
    phase = tuple(Phase).index(frame.phase)
    return _HEAD.pack(round(frame.at_s * 1000), phase, len(jpeg)) + jpeg
