"""The style of a group of palms: everything but where its lines and blobs are.

If every palm had its own style, a network would learn styles, which do not identify real palms.
So groups share style, similar lines and framing, and are taught together.

Fine skin is networks of tiny creases and mottling, as images. Real palms are full of stable,
oriented structure; without it a network learns to ignore it. Networks are zero sets of
elongated, warped noise; mottling is band-pass noise.

``Variation`` is that of the samples of one palm.
"""

from dataclasses import dataclass, field
from functools import cache
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from models.synthesis.anatomy import F32, F64
from models.synthesis.crop.strokes import principal_lines


def smooth_field(rng: np.random.Generator, size_px: int, cells: int) -> F32:
    """Return smooth noise of about unit deviation with so many cells across, square."""
    grid = rng.standard_normal((cells + 3, cells + 3), dtype=np.float32)
    return np.asarray(cv2.resize(grid, (size_px, size_px), interpolation=cv2.INTER_CUBIC))


def mottling(rng: np.random.Generator, size_px: int, weights: NDArray[np.float64]) -> F32:
    """Return band-pass noise, unit deviation; weights of blobs of about 3, 6, 12, 24 px."""
    total = np.zeros((size_px, size_px), np.float32)
    for weight, sigma in zip(weights, (1.1, 2.4, 4.8, 9.6), strict=True):
        noise = rng.standard_normal((size_px, size_px), dtype=np.float32)
        band = cv2.GaussianBlur(noise, (0, 0), sigma) - cv2.GaussianBlur(
            noise, (0, 0), 2 * sigma
        )
        total += np.float32(weight / band.std()) * band
    mottled: F32 = total / total.std()
    return mottled


@dataclass(frozen=True, slots=True)
class Weave:
    """Direction and size of a texture.

    Attributes:
        breadth_px: of its blobs, pixels of a layer.
        stretch: length of a blob in breadths.
        heading_rad: direction of the blobs.
        bend_px: how far the direction varies.
        line: breadth of a crease, as a share of the noise's deviation.
        strength: 0 to about 1.
    """

    breadth_px: float
    stretch: float
    heading_rad: float
    bend_px: float
    line: float
    strength: float


def veins(rng: np.random.Generator, size_px: int, weave: Weave) -> F32:
    """Return broad, long blobs of one direction, unit deviation: veins, tendons, folds."""
    field = _leaning_noise(rng, size_px, weave)
    veined: F32 = field / field.std()
    return veined


def crease_network(rng: np.random.Generator, size_px: int, weave: Weave) -> F32:
    """Return fine creases of one direction, 0 to 1: zero sets of elongated, warped noise."""
    field = _leaning_noise(rng, size_px, weave)
    network: F32 = np.exp(-np.square(field / np.float32(weave.line * field.std())))
    return network


def _leaning_noise(rng: np.random.Generator, size_px: int, weave: Weave) -> F32:
    """Return smooth noise, long in one direction, shape (size_px, size_px)."""
    cell, long_cell = weave.breadth_px, weave.breadth_px * weave.stretch
    rows, columns = int(1.5 * size_px / cell) + 8, int(1.5 * size_px / long_cell) + 8
    noise = cv2.GaussianBlur(
        rng.standard_normal((rows, columns), dtype=np.float32), (0, 0), 0.9
    )
    x, y = _grid(size_px)
    c, s = np.float32(np.cos(weave.heading_rad)), np.float32(np.sin(weave.heading_rad))
    bend = smooth_field(rng, size_px, 2) * np.float32(weave.bend_px)
    along = (c * x + s * y) * np.float32(1 / long_cell) + np.float32(columns / 2)
    across = (c * y - s * x + bend) * np.float32(1 / cell) + np.float32(rows / 2)
    field = cv2.remap(noise, along, across, cv2.INTER_CUBIC, borderMode=cv2.BORDER_REFLECT)
    return np.asarray(field, np.float32)


@cache
def _grid(size_px: int) -> tuple[F32, F32]:
    """Pixel coordinates from the centre: x and y, each shape (size_px, size_px)."""
    y, x = np.mgrid[:size_px, :size_px].astype(np.float32) - np.float32(size_px / 2)
    return x, y


STYLE_GROUP: Final = 8
"""Palms in a style group."""


SENSOR: Final = 128
"""Palms seen by one sensor: a multiple of a style group."""


_MIDDLE_ZOOM: Final = 1.075


@dataclass(frozen=True, slots=True)
class Framing:
    """The way in which a sensor crops palms.

    Attributes:
        zoom: size of the palm in its region.
        turn_rad: rotation of the crops.
        aspect: stretch of x against y.
        centre: of the palm, shape (2,), in halves of the region.
    """

    zoom: float
    turn_rad: float
    aspect: float
    centre: F64 = field(repr=False)


@dataclass(frozen=True, slots=True)
class Style:
    """The style of a group.

    Attributes:
        lines: numbers of its principal lines, shape (3, 7), standard normal.
        line_strength: of the principal lines, 0 to 1.
        creases: mean number of secondary creases.
        flow_turn_rad: rotation of the flow against the usual one.
        turning_rad: variation of the flow over the palm.
        bundles: mean number of bundles of wrinkles.
        mottling: weights of the four scales of blobs, shape (4,).
        mottling_strength: 0 to 1.
        veins: the broad blobs; strength relative to the mottling.
    """

    lines: F64 = field(repr=False)
    framing: Framing
    line_strength: float
    creases: float
    flow_turn_rad: float
    turning_rad: float
    bundles: float
    networks: tuple[Weave, ...]
    mottling: F64 = field(repr=False)
    mottling_strength: float
    veins: Weave


def draw_framing(rng: np.random.Generator, breadth: float = 1.0) -> Framing:
    """Draw a sensor's framing; ``breadth``: spread of tightness, usually 1."""
    zoom = rng.uniform(0.85, 1.3)
    return Framing(
        zoom=zoom + (breadth - 1.0) * (zoom - _MIDDLE_ZOOM),
        turn_rad=rng.normal(0, 0.08),
        aspect=float(np.exp(rng.normal(0, 0.05))),
        centre=rng.normal(0, 0.08, 2),
    )


def draw_style(rng: np.random.Generator, framing: Framing) -> Style:
    """Draw a style: a tenth nearly lines only, a fifth nearly texture only."""
    lines, texture, wrinkles = rng.uniform(0.7, 1.0), rng.uniform(0.45, 1.0), 1.0
    which = rng.random()
    if which < 0.1:
        texture *= 0.3
    elif which < 0.3:
        lines, wrinkles = 0.5 * lines, 0.45
    return Style(
        lines=principal_lines(rng)[1],
        framing=framing,
        line_strength=lines,
        creases=rng.uniform(6, 40) * wrinkles,
        flow_turn_rad=rng.normal(0, 0.1),
        turning_rad=rng.uniform(0.1, 0.35),
        bundles=float(np.exp(rng.uniform(np.log(2), np.log(30)))) * wrinkles,
        networks=_draw_networks(rng, texture * rng.uniform(0.4, 1.0)),
        mottling=rng.dirichlet((0.5, 0.8, 1.2, 2.5)) + 0.05,
        mottling_strength=texture * rng.uniform(0.3, 0.9),
        veins=_draw_veins(rng),
    )


def _draw_networks(rng: np.random.Generator, strength: float) -> tuple[Weave, ...]:
    count = int(rng.integers(2, 6))
    first = rng.uniform(0, np.pi)
    return tuple(
        Weave(
            breadth_px=float(np.exp(rng.uniform(np.log(5), np.log(20)))) / 2.2,
            stretch=rng.uniform(3.0, 7.0),
            heading_rad=first + number * np.pi / count + rng.normal(0, 0.3),
            bend_px=rng.uniform(1, 7),
            line=rng.uniform(0.25, 0.5),
            strength=strength * rng.uniform(0.3, 1.0),
        )
        for number in range(count)
    )


def _draw_veins(rng: np.random.Generator) -> Weave:
    along = rng.random() < 0.6
    return Weave(
        breadth_px=rng.uniform(4.0, 9.0),
        stretch=rng.uniform(2.0, 5.0),
        heading_rad=rng.normal(np.pi / 2, 0.5) if along else rng.uniform(0, np.pi),
        bend_px=rng.uniform(1, 7),
        line=1.0,
        strength=rng.uniform(0.3, 1.2),
    )


@dataclass(frozen=True, slots=True)
class Variation:
    """Size of the differences between samples of one palm.

    Attributes:
        turn_rad: deviation of the rotation.
        shift: deviation of the misplacement, in x and y.
        zoom: deviation of the logarithm of the size.
        aspect: deviation of the logarithm of x against y.
        shear: deviation of the shear.
        tilt: deviation of the perspective.
        bend: deviation of the deformation field.
        strong_share: share of samples with doubled misplacement and bend.
        visibility: deviation of each layer's local visibility.
        relief: most shading by light from one side.
        shade: deviation of the uneven light, grey levels.
        blur_px: most blur, pixels of the crop.
        covered_share: share of samples with a hidden part.
        blotches: most mottling that changes between samples, as ``noise``.
        noise: most noise, as a share of the creases' depth.
    """

    turn_rad: float = 0.05
    shift: float = 0.05
    zoom: float = 0.04
    aspect: float = 0.022
    shear: float = 0.022
    tilt: float = 0.035
    bend: float = 0.016
    strong_share: float = 0.15
    visibility: float = 0.22
    relief: float = 0.8
    shade: float = 24.0
    blur_px: float = 1.2
    covered_share: float = 0.12
    blotches: float = 0.04
    noise: float = 0.016
