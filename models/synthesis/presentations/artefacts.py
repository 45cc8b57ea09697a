"""Paper and screens: what they show and how they look, in linear light."""

from dataclasses import dataclass, field
from typing import Final

import cv2
import numpy as np

from models.synthesis.anatomy import F32, F64, U8
from models.synthesis.hand.identity import to_linear
from models.synthesis.presentations.cameras import Camera, Lighting
from models.synthesis.presentations.sheet import COARSE, Seen
from models.synthesis.render import Light
from models.synthesis.texture import blur, resize


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture to be printed or shown.

    Attributes:
        tone: shape (height, width, 3), linear RGB, 0 to 1.
        mask: shape (height, width), 1 where the paper is kept by the scissors.
        joints: shape (21, 2), landmarks in its pixels.
    """

    tone: F32 = field(repr=False)
    mask: F32 = field(repr=False)
    joints: F64 = field(repr=False)

    @property
    def scale(self) -> float:
        """Its pixels per palm unit."""
        return float(np.linalg.norm(self.joints[5] - self.joints[17]))

    @property
    def middle(self) -> F64:
        """The palm's place in it, pixels, shape (2,)."""
        place: F64 = self.joints[[0, 5, 17]].mean(axis=0)
        return place

    def at(self, seen: Seen, layer: F32, *, beyond: float = 0.0) -> F32:
        """Read a layer where pixels see the sheet, whose origin is the palm's place."""
        x = seen.u * np.float32(self.scale) + np.float32(self.middle[0] - 0.5)
        y = seen.v * np.float32(self.scale) + np.float32(self.middle[1] - 0.5)
        found = cv2.remap(
            layer,
            x.astype(np.float32),
            y.astype(np.float32),
            cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_CONSTANT,
            borderValue=(beyond,) * 3,
        )
        return np.asarray(found, dtype=np.float32)

    def margin(self, seen: Seen) -> F32:
        """Return how far inside the picture's edges a pixel sees, palm units."""
        height, width = self.mask.shape
        right = np.float32(0.5 * width / self.scale)
        low = np.float32(0.5 * height / self.scale)
        u = seen.u - np.float32((0.5 * width - self.middle[0]) / self.scale)
        v = seen.v - np.float32((0.5 * height - self.middle[1]) / self.scale)
        inside: F32 = np.minimum(right - np.abs(u), low - np.abs(v))
        return inside


def picture_of(pixels: U8, joints: F64, mask: F32) -> Picture:
    """Return a photo as a picture to be printed or shown."""
    return Picture(_LINEAR[pixels], mask, joints)


_LINEAR: Final = to_linear(np.arange(256.0)).astype(np.float32)
"""Linear light of each level."""


@dataclass(frozen=True, slots=True)
class Print:
    """A print.

    Attributes:
        gamut: share of the colours that ink reaches.
        dots_per_mm: of the halftone; 0: dots too fine to be seen.
        gloss: strength of the mirror of the lamp.
        cut: along the outline of the hand.
        border: white paper round the picture, palm units.
    """

    gamut: float = 0.8
    dots_per_mm: float = 0.0
    gloss: float = 0.02
    cut: bool = False
    border: float = 0.12


@dataclass(frozen=True, slots=True)
class Screen:
    """A screen.

    Attributes:
        pixel_mm: its pitch.
        nits: of its white.
        mm_per_unit: how large the palm is shown: distance of landmarks 5 and 17.
        bezel: width of the frame, palm units.
        flicker: depth of its refresh bands.
        glare: strength of the mirror of the lamp.
    """

    pixel_mm: float
    nits: float
    mm_per_unit: float
    bezel: float
    flicker: float
    glare: float


_WHITE: Final = 0.85
_BLACK: Final = 0.04
"""Reflectance of paper and of black ink."""


def lit_print(
    sheet: Print, picture: Picture, seen: Seen, light: Light, mm: float, camera: Camera
) -> tuple[F32, F32]:
    """Return the light from a print and its coverage; ``mm`` per palm unit."""
    paper = _paper(sheet, picture, seen, mm, camera)
    margin = picture.margin(seen)
    inside = margin + np.float32(0 if sheet.cut else sheet.border)
    coverage = np.clip(inside * np.float32(np.abs(seen.px_per_unit).max()) + 0.5, 0, 1)
    if sheet.cut:
        coverage *= picture.at(seen, picture.mask)
    else:
        paper[margin < 0] = _WHITE
    paper *= _lambert(seen, light)
    if sheet.gloss:
        paper += _mirror(seen, light, sheet.gloss, 60)
    return paper, coverage


def _paper(sheet: Print, picture: Picture, seen: Seen, mm: float, camera: Camera) -> F32:
    """Return the reflectance of a print."""
    if seen.is_back:
        return np.full((*seen.u.shape, 3), 0.8, np.float32)
    grey = np.tile([0.3, 0.6, 0.1], (3, 1))
    inks = grey + sheet.gamut * (np.eye(3) - grey)
    ink = np.asarray(
        cv2.transform(picture.at(seen, picture.tone, beyond=1.0), inks), np.float32
    )
    if sheet.dots_per_mm:
        ink = np.clip(ink + ink * (1 - ink) * _halftone(sheet, seen, mm, camera), 0, 1)
    ink *= np.float32(_WHITE - _BLACK)
    ink += np.float32(_BLACK)
    return ink


def lit_screen(
    screen: Screen,
    picture: Picture,
    seen: Seen,
    lighting: Lighting,
    camera: Camera,
    time_s: float,
) -> tuple[F32, F32]:
    """Return the light from a screen and its coverage."""
    shown = picture.at(seen, picture.tone)
    shown *= _bands(screen, seen.u.shape[0], time_s)
    shown *= np.float32(lighting.shown * screen.nits * np.pi / lighting.lux)
    shown *= _grid(screen, seen, camera)
    inside = picture.margin(seen)
    edge = np.float32(np.abs(seen.px_per_unit).max())
    coverage = np.clip((inside + np.float32(screen.bezel)) * edge + 0.5, 0, 1)
    shown[inside <= 0] = 0
    behind = np.where(inside > 0, np.float32(0.008), np.float32(0.03))
    shown += behind[..., None] * _lambert(seen, lighting.lamp)
    if screen.glare:
        shown += _mirror(seen, lighting.lamp, screen.glare, 400)
    return shown, coverage


def _lambert(seen: Seen, light: Light) -> F32:
    facing = np.clip(seen.normal @ light.direction.astype(np.float32), 0, None)[..., None]
    upward = np.float32(0.85) - np.float32(0.15) * seen.normal[..., 1:2]
    lit: F32 = (
        facing * (1.25 * light.key * light.tint).astype(np.float32)
        + np.float32(light.ambient) * upward
    )
    return lit if lit.size == 3 else resize(lit, seen.u.shape[1], seen.u.shape[0])


def _mirror(seen: Seen, light: Light, strength: float, sharpness: float) -> F32:
    """Return the lamp's mirror image, which slides over a sheet as it turns."""
    height, width = seen.u.shape
    x, y = np.meshgrid(*(-lean[::COARSE] for lean in seen.lean))
    view = np.stack([x, y, np.ones_like(x)], axis=-1)
    view /= np.sqrt((view * view).sum(axis=-1, keepdims=True))
    half = view + light.direction.astype(np.float32)
    half /= np.sqrt((half * half).sum(axis=-1, keepdims=True))
    aligned = np.clip((half * seen.normal).sum(axis=-1), 0, 1)
    mirrored = np.float32(strength * 12) * aligned ** np.float32(sharpness)
    return resize(mirrored.astype(np.float32), width, height)[..., None]


def _passed(frequency: F64, camera: Camera) -> float:
    """Return the contrast that the camera leaves of a wave, cycles per pixel (x, y).

    The wave is drawn at the pixels, where it has aliased; the blur that every picture gets
    afterwards is taken out beforehand.
    """
    alias = frequency - np.round(frequency)
    later = np.exp(-2 * (np.pi * camera.blur_px) ** 2 * float(alias @ alias))
    lens = np.exp(-2 * (np.pi * camera.optics_px) ** 2 * float(frequency @ frequency))
    return float(lens * np.prod(np.sinc(frequency * camera.fill)) / later)


def _wave(
    seen: Seen, camera: Camera, per_unit: tuple[float, float], phase: float = 0.0
) -> F32 | float:
    """Return a cosine pattern of the sheet as the camera samples it, with its aliasing."""
    frequency = np.linalg.inv(seen.px_per_unit).T @ np.array(per_unit)
    left = _passed(frequency, camera)
    if abs(left) < 2e-3:
        return 0.0
    turn = seen.u * np.float32(2 * np.pi * per_unit[0]) + seen.v * np.float32(
        2 * np.pi * per_unit[1]
    )
    return np.float32(left) * np.cos(turn + np.float32(phase))


def _halftone(sheet: Print, seen: Seen, mm: float, camera: Camera) -> F32:
    """Return the dots of cyan, magenta and yellow, as red, green and blue miss them."""
    rate = sheet.dots_per_mm * mm
    inks = []
    for angle in (15, 75, 0):
        c, s = rate * np.cos(np.radians(angle)), rate * np.sin(np.radians(angle))
        wave = _wave(seen, camera, (c, s)) + _wave(seen, camera, (-s, c))
        inks.append(np.broadcast_to(np.asarray(wave, np.float32), seen.u.shape))
    return np.stack(inks, axis=-1) * np.float32(1.6)


def _grid(screen: Screen, seen: Seen, camera: Camera) -> F32:
    """Return the screen's pixels: stripes of red, green and blue, and dark rows between.

    Shape (3,) where none is seen.
    """
    rate = screen.mm_per_unit / screen.pixel_mm
    rows = 1 + 0.35 * _wave(seen, camera, (0.0, rate))
    stripes = [_stripe(seen, camera, rate, number) for number in range(3)]
    if all(isinstance(one, float) for one in (rows, *stripes)):
        return np.ones(3, np.float32)
    channels = [np.broadcast_to(np.float32(one * rows), seen.u.shape) for one in stripes]
    pixels = np.stack(channels, axis=-1)
    mean = pixels.mean(axis=-1, keepdims=True)
    seen_by_each: F32 = np.maximum(pixels + np.float32(0.15) * (mean - pixels), 0)
    return seen_by_each


def _stripe(seen: Seen, camera: Camera, rate: float, number: int) -> F32 | float:
    """Return the stripes of one colour."""
    stripe: F32 | float = 1.0
    for k, share in ((1, 1.7), (2, 1.1)):
        phase = -2 * np.pi * k * number / 3
        stripe = stripe + share * _wave(seen, camera, (k * rate, 0.0), phase)
    return stripe


def _bands(screen: Screen, rows: int, time_s: float) -> F32:
    """Return how bright each row is: a rolling shutter sees the backlight pulse."""
    turns = np.linspace(0, 2.5, rows, dtype=np.float32) + np.float32((time_s * 61.7) % 1)
    band: F32 = 1 + np.float32(screen.flicker) * np.sin(np.float32(2 * np.pi) * turns)
    return band[:, None, None]


def scissors(coverage: F32, scale: float, rng: np.random.Generator) -> F32:
    """Cut along a hand, a little outside of it, with an unsteady hand."""
    off = blur(coverage, float(rng.uniform(0.02, 0.05)) * scale)
    cut: F32 = np.clip((off - np.float32(0.2)) * np.float32(0.15 * scale), 0, 1)
    return cut
