"""Directions of a palm's fine creases: neighbours are nearly parallel over long distances."""

from dataclasses import dataclass, field
from typing import Final

import numpy as np

from models.synthesis.anatomy import F64

_REACH: Final = 1.5
"""Half the side of the square covered; the labelled square is −1 to 1."""

_CELLS: Final = 4

_ANATOMY_RAD: Final = np.deg2rad(
    (
        (165, 170, 155, 128, 120),
        (172, 165, 138, 118, 120),
        (180, 155, 130, 125, 125),
        (175, 158, 154, 165, 178),
        (165, 155, 147, 165, 200),
    )
)
"""Usual directions of creases against x, y up: across the ball of the thumb, down the middle
away from the thumb, across below the fingers. Rows from the wrist, columns from the thumb."""


@dataclass(frozen=True, slots=True)
class Flow:
    """A direction for each place; ``headings``: shape (5, 5), radians, corners of 4×4 cells."""

    headings: F64 = field(repr=False)

    def at(self, points: F64) -> F64:
        """Return the direction at places, shape (…, 2) → (…), radians; bilinear."""
        place = (np.clip(points / _REACH, -0.999, 0.999) + 1) * (_CELLS / 2)
        low = place.astype(int)
        x, y = np.moveaxis(place - low, -1, 0)
        column, row = np.moveaxis(low, -1, 0)
        upper = self.headings[row, column] * (1 - x) + self.headings[row, column + 1] * x
        lower = (
            self.headings[row + 1, column] * (1 - x) + self.headings[row + 1, column + 1] * x
        )
        mixed: F64 = upper * (1 - y) + lower * y
        return mixed


def draw_flow(rng: np.random.Generator, turn_rad: float, turning_rad: float) -> Flow:
    """Draw the flow of one palm; ``turning_rad``: deviation between distant places."""
    corners = rng.normal(0, turning_rad, _ANATOMY_RAD.shape)
    return Flow(_ANATOMY_RAD + turn_rad + corners)


def follow(
    rng: np.random.Generator, flow: Flow, start: F64, offset: F64, length: F64, points: int
) -> F64:
    """Trace paths along a flow from ``start``, shape (n, 2): shape (n, points, 2).

    ``offset``, shape (n,), is in radians against the flow; ``length`` has shape (n,).
    """
    course = np.empty((len(start), points, 2))
    course[:, 0] = start
    stray = offset + np.cumsum(rng.normal(0, 0.03, (points, len(start))), axis=0)
    step = length / (points - 1)
    for i in range(1, points):
        heading = flow.at(course[:, i - 1]) + stray[i]
        course[:, i] = course[:, i - 1] + step[:, None] * np.stack(
            [np.cos(heading), np.sin(heading)], axis=1
        )
    return course
