"""One synthetic palm as four layers of skin, in the style of its group."""

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from models.synthesis.anatomy import F64, U8
from models.synthesis.crop.strokes import (
    Strokes,
    branches,
    draw_flow,
    free_creases,
    principal_lines,
    principal_strokes,
    wrinkle_bundles,
)
from models.synthesis.crop.style import (
    SENSOR,
    STYLE_GROUP,
    Style,
    crease_network,
    draw_framing,
    draw_style,
    mottling,
    smooth_field,
    veins,
)

LAYER_PX: Final = 176
"""Side of a layer."""

LAYER_REACH: Final = 1.28
"""Half the side of a layer in halves of the region: margin for misplacement."""

LAYER_COUNT: Final = 4
"""Principal lines; secondary creases; crease networks; mottling (zero: 128)."""

_SHIFT: Final = 4
_OVERSAMPLING: Final = 2


def draw_identity(style: Style, rng: np.random.Generator) -> U8:
    """Draw one palm: darkness, shape (LAYER_PX, LAYER_PX, LAYER_COUNT), uint8."""
    frame = _framing(style, rng)
    courses, _ = principal_lines(rng, style.lines)
    creases, bundles = rng.poisson(style.creases), rng.poisson(style.bundles)
    layers = np.empty((LAYER_PX, LAYER_PX, LAYER_COUNT), np.uint8)
    strands = principal_strokes(rng, courses, style.line_strength)
    layers[..., 0] = _drawn((branches(rng, courses), strands), frame, 0.9)
    flow = draw_flow(rng, style.flow_turn_rad, style.turning_rad)
    wrinkles = wrinkle_bundles(rng, bundles, flow)
    free = free_creases(rng, creases, flow)
    layers[..., 1] = _drawn((wrinkles, free), frame, 0.5)
    layers[..., 2] = _networks(style, rng)
    layers[..., 3] = _mottle(style, rng)
    return layers


def _framing(style: Style, rng: np.random.Generator) -> F64:
    """Return the affine map, shape (2, 3), from the labelled square to pixels of a layer."""
    framing = style.framing
    zoom = framing.zoom * np.exp(rng.normal(0, 0.025)) * LAYER_PX / 2 / LAYER_REACH
    turn = framing.turn_rad + rng.normal(0, 0.03)
    c, s = np.cos(turn) * zoom, np.sin(turn) * zoom
    centre = LAYER_PX / 2 + (framing.centre + rng.normal(0, 0.03, 2)) * zoom
    return np.array([[c * framing.aspect, -s, centre[0]], [-s * framing.aspect, -c, centre[1]]])


def _drawn(kinds: tuple[Strokes, ...], frame: F64, blur_px: float) -> U8:
    side = LAYER_PX * _OVERSAMPLING
    canvas = np.zeros((side, side), np.uint8)
    for strokes in kinds:
        _draw(canvas, strokes, frame)
    small = cv2.resize(canvas, (LAYER_PX, LAYER_PX), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.GaussianBlur(small, (0, 0), blur_px))


def _draw(canvas: U8, strokes: Strokes, frame: F64) -> None:
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


def _networks(style: Style, rng: np.random.Generator) -> U8:
    total = np.zeros((LAYER_PX, LAYER_PX), np.float32)
    for weave in style.networks:
        network = crease_network(rng, LAYER_PX, weave)
        seen = np.clip(
            smooth_field(rng, LAYER_PX, 3) * np.float32(0.5) + np.float32(0.5), 0, 1.2
        )
        total += network * seen * np.float32(75 * weave.strength)
    return np.asarray(np.clip(total, 0, 255).astype(np.uint8))


def _mottle(style: Style, rng: np.random.Generator) -> U8:
    """Draw mottling and veins about 128."""
    mottle = mottling(rng, LAYER_PX, style.mottling)
    mottle += veins(rng, LAYER_PX, style.veins) * np.float32(style.veins.strength)
    mottle *= np.float32(48 * style.mottling_strength)
    return np.asarray(np.clip(128 + mottle, 0, 255).astype(np.uint8))


def draw_palm(seed: int, number: int, breadth: float = 1.0) -> NDArray[np.uint8]:
    """Draw a palm's layers; neighbours share a style group and a sensor."""
    framing = draw_framing(np.random.default_rng((seed, 0, number // SENSOR)), breadth)
    style = draw_style(np.random.default_rng((seed, 1, number // STYLE_GROUP)), framing)
    return draw_identity(style, np.random.default_rng((seed, 2, number)))
