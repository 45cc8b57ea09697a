"""Courses of all creases of one palm.

Positions are in the labelled square: x to the little finger, y to the fingers, −1 to 1 over the
region of interest.

Directions of the fine creases: neighbours are nearly parallel over long distances.
"""

from dataclasses import dataclass, field
from functools import cache
from typing import Final

import numpy as np

from models.synthesis.anatomy import F64
from models.synthesis.hand.creases import HEAD, HEART, LIFE

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


PRINCIPAL_POINTS: Final = 40
STROKE_POINTS: Final = 11

GROUP_VARIATION_SHARE: Final = 0.5
"""How far lines of palms of one style group differ, as a share of all palms."""

CREASES_ASTRAY: Final = 0.25
"""Share of secondary creases that do not follow the flow."""

BUNDLES_ASTRAY: Final = 0.2
"""The same for bundles of wrinkles."""

_LINES: Final = (LIFE, HEAD, HEART)


@dataclass(frozen=True, slots=True)
class Strokes:
    """Creases of one kind.

    Attributes:
        points: shape (strokes, points, 2), y up.
        strength: shape (strokes, points), 0 to 1.
        width: shape (strokes,), pixels of the layer.
    """

    points: F64 = field(repr=False)
    strength: F64 = field(repr=False)
    width: F64 = field(repr=False)


def principal_lines(rng: np.random.Generator, near: F64 | None = None) -> tuple[F64, F64]:
    """Draw plausible life, head and heart lines.

    ``near``: numbers of a palm to resemble. Returns courses, shape (3, PRINCIPAL_POINTS, 2),
    and their standard normal numbers, shape (3, 7).
    """
    while True:
        numbers = rng.standard_normal((3, 7))
        if near is not None:
            numbers = (
                near * np.sqrt(1 - GROUP_VARIATION_SHARE**2) + numbers * GROUP_VARIATION_SHARE
            )
        courses = np.stack([_course(numbers[line], line) for line in range(3)])
        if _is_plausible(*courses):
            return courses, numbers


def principal_strokes(rng: np.random.Generator, courses: F64, strength: float) -> Strokes:
    """Draw each line, ``courses`` (3, n, 2), as uneven strands; now and then one is missing."""
    kept = [c for c in range(3) if c != 1 or rng.random() > 0.04]
    owner = np.repeat(kept, rng.integers(1, 4, len(kept)))
    first = np.concatenate([[True], owner[1:] != owner[:-1]])
    points = courses[owner] + _random_walk(rng, len(owner), courses.shape[1], 0.006)
    points += np.where(first, 0.0, 0.022)[:, None, None] * rng.standard_normal(
        (len(owner), 1, 2)
    )
    line = np.repeat(rng.uniform(0.55, 1.0, len(kept)), np.unique(owner, return_counts=True)[1])
    along = _uneven(rng, len(owner), courses.shape[1], 0.3) * _taper(
        courses.shape[1], 0.08, 0.2
    )
    along *= np.where(first[:, None], 1.0, _part(rng, len(owner), courses.shape[1]))
    level = line * np.where(first, 1.0, rng.uniform(0.4, 0.9, len(owner)))
    width = rng.uniform(2.0, 4.2, len(owner)) * np.where(first, 1.0, 0.7)
    return Strokes(points, strength * level[:, None] * along, width)


def branches(rng: np.random.Generator, courses: F64) -> Strokes:
    """Draw branches that leave the principal lines at small angles."""
    count = int(rng.integers(0, 12))
    line, at = rng.integers(0, 3, count), rng.integers(3, courses.shape[1] - 3, count)
    ahead = courses[line, at + 2] - courses[line, at - 2]
    heading = np.arctan2(ahead[:, 1], ahead[:, 0]) + rng.normal(0, 0.5, count)
    points = _bent(rng, courses[line, at], heading, rng.uniform(0.16, 0.55, count))
    return _fading(rng, points, rng.uniform(0.4, 0.9, count), rng.uniform(1.0, 2.2, count))


def free_creases(rng: np.random.Generator, count: int, flow: Flow) -> Strokes:
    """Draw secondary creases: most along the flow, few of them deep."""
    astray = rng.random(count) < CREASES_ASTRAY
    offset = np.where(astray, rng.uniform(0, np.pi, count), rng.normal(0, 0.25, count))
    length = 0.25 + 1.5 * rng.beta(1.2, 2.5, count)
    start = rng.uniform(-1.3, 1.3, (count, 2))
    points = follow(rng, flow, start, offset, length, STROKE_POINTS)
    strength = 0.08 + 0.6 * rng.beta(1.0, 3.0, count)
    return _fading(rng, points, strength, rng.uniform(0.6, 1.2, count) + 0.9 * strength)


def wrinkle_bundles(rng: np.random.Generator, count: int, flow: Flow) -> Strokes:
    """Draw bundles of nearly parallel fine wrinkles; some open like a fan."""
    size = rng.integers(3, 16, count)
    bundle = np.repeat(np.arange(count), size)
    number = np.concatenate([np.arange(n) - n / 2 for n in size]) if count else np.zeros(0)
    centre = rng.uniform(-1.2, 1.2, (count, 2))
    astray = rng.random(count) < BUNDLES_ASTRAY
    offset = np.where(astray, rng.uniform(0, np.pi, count), rng.normal(0, 0.2, count))
    heading = flow.at(centre) + offset
    spacing, length = rng.uniform(0.03, 0.13, count), rng.uniform(0.2, 1.1, count)
    across = np.stack([-np.sin(heading), np.cos(heading)], axis=1)
    start = centre[bundle] + across[bundle] * (spacing[bundle] * number)[:, None]
    start += rng.normal(0, 0.04, start.shape)
    fan = rng.normal(0, 0.03, count)[bundle] * number + rng.normal(0, 0.06, len(bundle))
    reach = length[bundle] * rng.uniform(0.5, 1.1, len(bundle))
    points = follow(rng, flow, start, offset[bundle] + fan, reach, STROKE_POINTS)
    strength = rng.uniform(0.08, 0.4, count)[bundle] * rng.uniform(0.5, 1.2, len(bundle))
    return _fading(rng, points, strength, rng.uniform(0.5, 1.3, len(bundle)))


def _course(numbers: F64, which: int) -> F64:
    """Make one principal line, beyond the square: shape (PRINCIPAL_POINTS, 2)."""
    line = _LINES[which]
    coefficients = line.mean + _root(which) @ numbers[:5]
    start = line.start[0] + line.start[1] * numbers[5]
    end = line.end[0] + line.end[1] * numbers[6]
    x = np.linspace(start, end, PRINCIPAL_POINTS - 8)
    course = np.stack([x, np.polyval(coefficients, x)], axis=1)
    return _extended(course, at_start=which < 2, turn=(0.5, 0.0, 0.3)[which])


@cache
def _root(number: int) -> F64:
    """Return the Cholesky factor of one line's covariance, shape (5, 5)."""
    return np.linalg.cholesky(np.array(_LINES[number].covariance))


def _extended(course: F64, *, at_start: bool, turn: float) -> F64:
    """Continue the end that the labels cut off at the square's edge by eight points."""
    course = course[::-1] if at_start else course
    ahead = course[-1] - course[-4]
    heading = np.arctan2(ahead[1], ahead[0]) + np.linspace(0, turn, 9)[1:]
    steps = 0.05 * np.stack([np.cos(heading), np.sin(heading)], axis=1)
    course = np.vstack([course, course[-1] + np.cumsum(steps, axis=0)])
    return course[::-1] if at_start else course


def _is_plausible(life: F64, head: F64, heart: F64) -> bool:
    life, head, heart = life[8:], head[8:], heart[:-8]
    x = np.linspace(-1, 0.1, 8)
    gap = np.interp(x, head[:, 0], head[:, 1]) - np.interp(x, life[:, 0], life[:, 1])
    high = np.linspace(max(heart[0, 0], -0.3), min(head[-1, 0], 0.9), 6)
    above = np.interp(high, heart[:, 0], heart[:, 1]) - np.interp(high, head[:, 0], head[:, 1])
    return bool(
        gap.min() > -0.05
        and above.min() > 0.1
        and np.diff(life[:, 1]).max() < 0.03
        and life[-1, 1] > -1.35
        and -0.1 < life[0, 1] < 0.8
        and np.abs(head[:, 1]).max() < 1.0
        and heart[:, 1].max() < 1.1
    )


def _bent(rng: np.random.Generator, centre: F64, heading: F64, length: F64) -> F64:
    """Return slightly bent strokes about their centres, shape (n, STROKE_POINTS, 2)."""
    count = len(heading)
    along = np.linspace(-0.5, 0.5, STROKE_POINTS)
    turn = heading[:, None] + rng.normal(0, 0.3, (count, 1)) * along
    turn += np.cumsum(rng.normal(0, 0.05, (count, STROKE_POINTS)), axis=1)
    steps = (
        np.stack([np.cos(turn), np.sin(turn)], axis=2) * (length / STROKE_POINTS)[:, None, None]
    )
    points = np.cumsum(steps, axis=1)
    bent: F64 = points - points.mean(axis=1, keepdims=True) + centre[:, None]
    return bent


def _fading(rng: np.random.Generator, points: F64, strength: F64, width: F64) -> Strokes:
    """Vary the strength of strokes, shape (n,), along them."""
    level = strength[:, None] * _uneven(rng, len(points), STROKE_POINTS, 0.3)
    return Strokes(points, level * _taper(STROKE_POINTS, 0.3, 0.3), width)


def _random_walk(rng: np.random.Generator, strokes: int, count: int, size: float) -> F64:
    """Return smooth random walks that come back, shape (strokes, count, 2)."""
    walk = np.cumsum(rng.normal(0, size, (strokes, count, 2)), axis=1)
    wander: F64 = walk - walk.mean(axis=1, keepdims=True)
    return wander


def _uneven(rng: np.random.Generator, strokes: int, count: int, depth: float) -> F64:
    """Return strengths about one that change along each stroke, shape (strokes, count)."""
    knots = rng.uniform(1 - depth, 1.0, (strokes, count // 3 + 3))
    smooth = (knots[:, :-1] + knots[:, 1:]) / 2
    return np.repeat(smooth, 3, axis=1)[:, :count]


def _part(rng: np.random.Generator, strokes: int, count: int) -> F64:
    first = rng.integers(0, count // 2, (strokes, 1))
    last = first + rng.integers(count // 4, count, (strokes, 1))
    at = np.arange(count)
    return ((at >= first) & (at < last)).astype(np.float64)


def _taper(count: int, fade_in: float, fade_out: float) -> F64:
    """Return strengths that rise over the first share of a course and fall over the last."""
    t = np.linspace(0, 1, count)
    return np.sqrt(np.clip(t / fade_in, 0.1, 1) * np.clip((1 - t) / fade_out, 0.1, 1))
