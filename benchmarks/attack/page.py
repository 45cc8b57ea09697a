"""The page of a result: tables, and frames of the worst session of each kind."""

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np

from benchmarks.attack.rates import Judged
from benchmarks.attack.sessions import BONA_FIDE
from benchmarks.report.page import render

STRIP_HEIGHT_PX: Final = 150


@dataclass(frozen=True, slots=True)
class Strip:
    """Frames of one session, side by side; ``picture``: a JPEG, base64."""

    species: str
    answer: str
    picture: str


def render_page(content: dict[str, Any], judged: Sequence[Judged]) -> str:
    """Return the self-contained page of one result. It shows drawn palms alone."""
    strips = [_strip(one) for one in worst_of_each(judged)]
    return render("attack.html", content=content, strips=strips)


def worst_of_each(judged: Sequence[Judged]) -> list[Judged]:
    """Return of each species the attack most like a palm, and the palm least like one."""
    worst: dict[str, Judged] = {}
    for one in judged:
        species = one.drawn.species
        if one.drawn.source is not None:
            continue
        sign = -1 if species == BONA_FIDE else 1
        if (
            species not in worst
            or sign * one.verdict.score > sign * worst[species].verdict.score
        ):
            worst[species] = one
    return [worst[name] for name in sorted(worst)]


def _strip(one: Judged) -> Strip:
    frames = []
    for _, frame in one.drawn.read_frames():
        height, width = frame.sample.pixels.shape[:2]
        size = (width * STRIP_HEIGHT_PX // height, STRIP_HEIGHT_PX)
        frames.append(cv2.resize(frame.sample.pixels, size, interpolation=cv2.INTER_AREA))
    flags = [cv2.IMWRITE_JPEG_QUALITY, 80]
    encoded = cv2.imencode(".jpg", np.hstack(frames)[:, :, ::-1], flags)[1]
    answer = f"{one.verdict.outcome} {one.verdict.reason or ''}".strip()
    return Strip(one.drawn.species, answer, base64.b64encode(encoded.tobytes()).decode())
