"""One palm that nobody owns, as four layers of skin.

Palms differ in kind, not only in lines: some are nearly lines only, some nearly texture only,
some are covered by wrinkles. Each identity also has a framing of its own, so that a network
does not rely on how tightly a sensor's crops are cut.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from models.synthesis.crop.strokes import (
    Strokes,
    branches,
    free_creases,
    principal_lines,
    principal_strokes,
    wrinkle_bundles,
)
from models.synthesis.crop.texture import crease_network, mottling, smooth_field, veins

if TYPE_CHECKING:
    from numpy.typing import NDArray

    F32 = NDArray[np.float32]
    F64 = NDArray[np.float64]
    U8 = NDArray[np.uint8]

LAYER_PX: Final = 176
"""Side of a layer."""

LAYER_REACH: Final = 1.28
"""Half the side of a layer in units of half the region of interest: room for misplacement."""

LAYER_COUNT: Final = 4
"""Principal lines; secondary creases and wrinkles; crease networks; mottling (nought: 128)."""

_SHIFT: Final = 4
_OVERSAMPLING: Final = 2


@dataclass(frozen=True, slots=True)
class PalmKind:
    """What sort of palm an identity has.

    Attributes:
        lines: strength of the principal lines, 0 to 1.
        creases: how many secondary creases.
        bundles: how many bundles of wrinkles.
        networks: strength of the crease networks, 0 to 1.
        mottling: strength of the mottling, 0 to 1.
    """

    lines: float
    creases: int
    bundles: int
    networks: float
    mottling: float


def draw_kind(rng: np.random.Generator) -> PalmKind:
    """Choose the sort of palm: a tenth nearly lines only, a fifth nearly texture only."""
    lines, texture = rng.uniform(0.6, 1.0), rng.uniform(0.45, 1.0)
    which = rng.random()
    if which < 0.1:
        texture *= 0.3
    elif which < 0.3:
        lines *= 0.3
    return PalmKind(
        lines=lines,
        creases=int(rng.integers(8, 60) * (1.0 if which >= 0.3 else 0.5)),
        bundles=int(rng.integers(1, 13) * (1.0 if which >= 0.3 else 0.4)),
        networks=texture * rng.uniform(0.4, 1.0),
        mottling=texture * rng.uniform(0.4, 1.0),
    )


def draw_identity(rng: np.random.Generator) -> U8:
    """Draw one palm.

    Args:
        rng: the identity's own; the same state draws the same palm.

    Returns:
        Shape (LAYER_PX, LAYER_PX, LAYER_COUNT), uint8: darkness of each layer.
    """
    kind = draw_kind(rng)
    frame = _framing(rng)
    courses = principal_lines(rng)
    layers = np.empty((LAYER_PX, LAYER_PX, LAYER_COUNT), np.uint8)
    layers[..., 0] = _drawn(
        (branches(rng, courses), principal_strokes(rng, courses, kind.lines)), frame, 0.9
    )
    layers[..., 1] = _drawn(
        (wrinkle_bundles(rng, kind.bundles), free_creases(rng, kind.creases)), frame, 0.6
    )
    layers[..., 2] = _networks(rng, kind.networks)
    layers[..., 3] = _mottle(rng, kind.mottling)
    return layers


def _framing(rng: np.random.Generator) -> F64:
    """Return the affine map, shape (2, 3), from the labelled square to pixels of a layer."""
    zoom = rng.uniform(0.85, 1.35) * LAYER_PX / 2 / LAYER_REACH
    turn = rng.normal(0, 0.10)
    aspect = np.exp(rng.normal(0, 0.05))
    c, s = np.cos(turn) * zoom, np.sin(turn) * zoom
    centre = LAYER_PX / 2 + rng.normal(0, 0.10, 2) * zoom
    return np.array([[c * aspect, -s, centre[0]], [-s * aspect, -c, centre[1]]])


def _drawn(kinds: tuple[Strokes, ...], frame: F64, blur_px: float) -> U8:
    """Draw strokes, the later kinds over the earlier, and soften them."""
    side = LAYER_PX * _OVERSAMPLING
    canvas = np.zeros((side, side), np.uint8)
    for strokes in kinds:
        _draw(canvas, strokes, frame)
    small = cv2.resize(canvas, (LAYER_PX, LAYER_PX), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.GaussianBlur(small, (0, 0), blur_px))


def _draw(canvas: U8, strokes: Strokes, frame: F64) -> None:
    """Draw strokes segment by segment, the fainter first."""
    pixels = (strokes.points @ frame[:, :2].T + frame[:, 2]) * _OVERSAMPLING
    fixed = np.round(pixels * (1 << _SHIFT)).astype(int).tolist()
    levels = np.clip(255 * strokes.strength, 0, 255).astype(int).tolist()
    peak = strokes.strength.max(axis=1, keepdims=True, initial=1e-6)
    breadth = strokes.width[:, None] * (0.5 + 0.5 * strokes.strength / peak) * _OVERSAMPLING
    breadths = np.maximum(1, np.round(breadth)).astype(int).tolist()
    for number in np.argsort(strokes.strength.mean(axis=1)).tolist():
        course, level, wide = fixed[number], levels[number], breadths[number]
        for i in range(len(course) - 1):
            if level[i]:
                cv2.line(
                    canvas, course[i], course[i + 1], level[i], wide[i], cv2.LINE_AA, _SHIFT
                )


def _networks(rng: np.random.Generator, strength: float) -> U8:
    """Draw crease networks in two to five directions, each seen in parts of the palm."""
    total = np.zeros((LAYER_PX, LAYER_PX), np.float32)
    count = int(rng.integers(2, 6))
    first = rng.uniform(0, np.pi)
    for number in range(count):
        heading = first + number * np.pi / count + rng.normal(0, 0.3)
        spacing = float(np.exp(rng.uniform(np.log(5), np.log(20))))
        network = crease_network(rng, LAYER_PX, spacing, heading)
        seen = np.clip(
            smooth_field(rng, LAYER_PX, 3) * np.float32(0.5) + np.float32(0.5), 0, 1.2
        )
        total += network * seen * np.float32(rng.uniform(0.3, 1.0))
    return np.asarray(np.clip(total * np.float32(170 * strength), 0, 255).astype(np.uint8))


def _mottle(rng: np.random.Generator, strength: float) -> U8:
    """Draw mottling about 128."""
    mottle = mottling(rng, LAYER_PX, rng.dirichlet((0.7, 1.5, 1.5)) + 0.05)
    mottle += veins(rng, LAYER_PX) * np.float32(rng.uniform(0.3, 1.2))
    return np.asarray(
        np.clip(128 + mottle * np.float32(26 * strength), 0, 255).astype(np.uint8)
    )
