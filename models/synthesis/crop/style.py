"""The style of a group of palms: everything but where its lines and blobs are.

If every palm had its own style, a network would learn styles, which do not identify real palms.
So groups share style, similar lines and framing, and are taught together.
"""

from dataclasses import dataclass, field
from typing import Final

import numpy as np

from models.synthesis.anatomy import F64
from models.synthesis.crop.strokes import principal_lines
from models.synthesis.crop.texture import Weave

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
