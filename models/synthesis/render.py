"""Lights a traced hand. Linear RGB."""

from dataclasses import dataclass, field
from typing import Final

import cv2
import numpy as np

from models.synthesis.anatomy import F32, F64
from models.synthesis.hand.body import Surface
from models.synthesis.hand.identity import LEFT, SCALE, TOP, Atlas, HandIdentity
from models.synthesis.texture import blur, resize, sample_at, slopes, smooth_noise

TRACE_REDUCTION: Final = 2
"""Photo pixels per traced pixel: bodies are smooth."""


_STEP: Final = 0.10
"""Change of depth over two traced pixels that counts as a step."""


@dataclass(frozen=True, slots=True)
class Light:
    """The light of one shot.

    Attributes:
        direction: shape (3,), unit, to the lamp: x right, y down, z to the camera.
        key: strength of the lamp.
        ambient: strength of ambient light.
        tint: shape (3,), colour of the lamp.
        shine: strength of the gloss.
    """

    direction: F64 = field(repr=False)
    key: float
    ambient: float
    tint: F64 = field(repr=False)
    shine: float


def sample_light(rng: np.random.Generator) -> Light:
    """Draw the light: usually from above and the front."""
    tilt, around = rng.uniform(0.25, 0.85), rng.normal(-np.pi / 2, 0.9)
    direction = np.array(
        [np.sin(tilt) * np.cos(around), np.sin(tilt) * np.sin(around), np.cos(tilt)]
    )
    ambient = rng.uniform(0.32, 0.56)
    warmth = rng.normal(0, 0.035)
    return Light(
        direction=direction,
        key=1.05 - ambient,
        ambient=ambient,
        tint=np.array([1 + warmth, 1.0, 1 - warmth]),
        shine=float(rng.uniform(0.01, 0.06)),
    )


@dataclass(frozen=True, slots=True)
class SkinState:
    """Look of the skin in one shot.

    Attributes:
        relief: how deep lines cast shade.
        pigment: how dark lines are.
        grain: visibility of the fine texture.
        bend: shape (height, width, 2), shift of the skin, atlas pixels.
        visibility: shape (height, width), local clarity of the lines.
    """

    relief: float
    pigment: float
    grain: float
    bend: F32 = field(repr=False)
    visibility: F32 = field(repr=False)


def sample_skin_state(rng: np.random.Generator, shape: tuple[int, int]) -> SkinState:
    """Draw the state of the skin for a traced grid of this shape (rows, columns)."""
    sigma = shape[0] / 7
    bend = np.stack([smooth_noise(rng, shape, sigma) for _ in range(2)], axis=-1)
    return SkinState(
        relief=float(rng.uniform(0.6, 1.25)),
        pigment=float(rng.uniform(0.9, 1.45)),
        grain=float(rng.uniform(0.55, 1.15)),
        visibility=np.clip(1 + np.float32(0.25) * smooth_noise(rng, shape, sigma), 0.45, 1.6),
        bend=bend * np.float32(2.6),
    )


def light_hand(
    identity: HandIdentity, surface: Surface, state: SkinState, light: Light, scale: float
) -> tuple[F32, F32]:
    """Return colour, (height, width, 3), and coverage, (height, width), 0 to 1, of a lit hand.

    Both float32 at the photo's size; ``scale``: photo pixels per palm unit.
    """
    skin = _skin_at(identity, surface, state)
    coverage = _enlarge(surface.distance) * np.float32(-scale) + np.float32(0.5)
    normal = _enlarge(blur(surface.normal, 0.6))
    normal[..., :2] -= _slopes(skin, state)
    normal /= np.sqrt(np.square(normal).sum(axis=-1, keepdims=True)) + np.float32(1e-6)
    albedo = _albedo(identity, surface, state, skin)
    shade = _shade(normal, light) * _enlarge(_openness(surface, scale))[..., None]
    colour = albedo * shade + _gloss(normal, light)[..., None]
    return _soften(colour, _steps(surface)), np.clip(coverage, 0, 1)


def _steps(surface: Surface) -> F32:
    """Return where one digit hides another, 0 to 1: the traced grid shows as stairs there."""
    kernel = np.ones((3, 3), np.uint8)
    depth = np.where(surface.distance < 0, surface.depth, np.float32(0)).astype(np.float32)
    jump = np.asarray(cv2.morphologyEx(depth, cv2.MORPH_GRADIENT, kernel)) > _STEP
    inside = (surface.distance < 0).astype(np.float32)
    spread: F32 = np.minimum(blur(jump * inside, 0.8) * np.float32(1.5), 1)
    return spread


def _soften(colour: F32, where: F32) -> F32:
    share = _enlarge(where)[..., None]
    return colour + share * (blur(colour, 1.4) - colour)


def _enlarge(image: F32) -> F32:
    r = TRACE_REDUCTION
    size = (image.shape[1] * r, image.shape[0] * r)
    return resize(image, *size)


def _skin_at(identity: HandIdentity, surface: Surface, state: SkinState) -> Atlas:
    at = (surface.rest - np.array((LEFT, TOP), dtype=np.float32)) * np.float32(
        SCALE
    ) - np.float32(0.5)
    at = _enlarge(at + state.bend)
    x, y = np.ascontiguousarray(at[..., 0]), np.ascontiguousarray(at[..., 1])
    atlas = identity.atlas
    return Atlas(
        lines=sample_at(atlas.lines, x, y) * _enlarge(state.visibility),
        grain=sample_at(atlas.grain, x, y),
        mottle=sample_at(atlas.mottle, x, y),
    )


def _slopes(skin: Atlas, state: SkinState) -> F32:
    """Return the slopes of the skin's relief, shape (height, width, 2)."""
    height = skin.grain * np.float32(0.07 * state.grain) + skin.mottle * np.float32(0.25)
    return slopes(height - skin.lines * np.float32(0.9 * state.relief))


def _albedo(identity: HandIdentity, surface: Surface, state: SkinState, seen: Atlas) -> F32:
    skin = identity.skin
    flush = _enlarge(_flush(surface)) * np.float32(skin.flush)
    dark = np.float32(state.pigment * (0.75 + 0.35 * skin.melanin)) * np.minimum(
        seen.lines, 1.3
    )
    fine = np.float32(0.042 * state.grain) * seen.grain
    channels = []
    for tone, redden, darken, uneven in zip(
        skin.tone, (0.02, 0.17, 0.13), (0.30, 0.42, 0.46), (0.022, 0.043, 0.038), strict=True
    ):
        share = (1 - np.float32(redden) * flush) * (1 - np.float32(darken) * dark)
        spots = 1 + fine + np.float32(uneven) * seen.mottle
        channels.append(np.float32(tone) * share * spots)
    return np.stack(channels, axis=-1)


def _flush(surface: Surface) -> F32:
    """Return where the skin is red: fingertips, the balls of the palm, before the fingers."""
    x, y = surface.rest[..., 0], surface.rest[..., 1]
    spots = (
        (-0.45, 0.95, 0.30, 0.9), (0.52, 0.85, 0.28, 0.8), (0.0, 0.10, 0.30, 0.35),
        (0.45, 0.15, 0.22, 0.5), (-0.84, -1.25, 0.20, 1.0), (-0.50, -1.50, 0.20, 1.0),
        (-0.11, -1.38, 0.20, 1.0), (0.38, -1.02, 0.20, 1.0), (-1.24, 0.10, 0.22, 1.0),
    )  # fmt: skip
    total = np.zeros_like(x)
    for cx, cy, size, strength in spots:
        away = np.square(x - np.float32(cx)) + np.square(y - np.float32(cy))
        total += np.float32(strength) * np.exp(away * np.float32(-0.5 / size**2))
    return np.minimum(total, 1.3)


def _shade(normal: F32, light: Light) -> F32:
    facing = normal @ light.direction.astype(np.float32)
    upward = np.float32(0.85) - np.float32(0.15) * normal[..., 1] + 0 * facing
    channels = []
    for tint, wrap in zip(light.tint, (0.30, 0.16, 0.12), strict=True):
        lit = np.clip((facing + np.float32(wrap)) / np.float32(1 + wrap), 0, None)
        channels.append(np.float32(light.key * tint * 1.25) * lit + light.ambient * upward)
    return np.stack(channels, axis=-1).astype(np.float32)


def _gloss(normal: F32, light: Light) -> F32:
    half = light.direction + np.array([0.0, 0.0, 1.0])
    half = (half / np.linalg.norm(half)).astype(np.float32)
    gloss: F32 = np.float32(light.shine) * np.clip(normal @ half, 0, 1) ** 18
    return gloss


def _openness(surface: Surface, scale: float) -> F32:
    inside = surface.distance < 0
    depth = np.where(inside, surface.depth, np.float32(-0.25)).astype(np.float32)
    open_share = np.ones_like(depth)
    for reach, strength in ((0.05, 1.1), (0.16, 0.55)):
        around = blur(depth, reach * scale / TRACE_REDUCTION)
        open_share += np.float32(strength) * np.clip(depth - around, -0.25, 0.06)
    return np.clip(open_share, 0.45, 1.08)
