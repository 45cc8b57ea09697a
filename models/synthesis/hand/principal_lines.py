"""Courses of life, head and heart line, as polylines in the palm frame.

From polynomials fitted to 1000 labelled palms (label file of the PolyCreases of Diff-Palm,
Apache-2.0; labels only, no pictures).
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from models.synthesis.anatomy import F64

SQUARE_HALF: Final = 0.525
SQUARE_TOP: Final = 0.02
"""The labelled square of the polynomials in the palm frame: the region of interest."""


@dataclass(frozen=True, slots=True)
class _Line:
    """Polynomial statistics of one principal line: y(x) = a4 x⁴ + … + a0, y up."""

    mean: tuple[float, ...]
    covariance: tuple[tuple[float, ...], ...]
    start: tuple[float, float]
    end: tuple[float, float]


LIFE: Final = _Line(
    (-0.6281, -0.9148, -1.0725, -1.5211, -0.4669),
    (
        (1.4416, 1.7559, 0.6260, 0.0584, 0.0028),
        (1.7559, 2.9079, 1.3839, 0.2324, 0.0523),
        (0.6260, 1.3839, 0.9577, 0.2678, 0.0697),
        (0.0584, 0.2324, 0.2678, 0.1757, 0.0696),
        (0.0028, 0.0523, 0.0697, 0.0696, 0.0602),
    ),
    (-1.0, 0.0),
    (0.220, 0.196),
)
HEAD: Final = _Line(
    (0.0036, -0.0430, -0.2170, -0.3654, 0.1539),
    (
        (0.0341, 0.0139, -0.0201, -0.0062, 0.0022),
        (0.0139, 0.0309, 0.0040, -0.0072, 0.0028),
        (-0.0201, 0.0040, 0.0350, 0.0090, -0.0024),
        (-0.0062, -0.0072, 0.0090, 0.0153, 0.0022),
        (0.0022, 0.0028, -0.0024, 0.0022, 0.0180),
    ),
    (-1.0, 0.0),
    (0.684, 0.234),
)
HEART: Final = _Line(
    (0.0060, -0.0717, 0.2774, -0.3869, 0.5445),
    (
        (0.0709, -0.1021, 0.0248, 0.0072, -0.0006),
        (-0.1021, 0.1774, -0.0755, 0.0015, 0.0014),
        (0.0248, -0.0755, 0.0733, -0.0225, -0.0009),
        (0.0072, 0.0015, -0.0225, 0.0207, -0.0003),
        (-0.0006, 0.0014, -0.0009, -0.0003, 0.0131),
    ),
    (-0.372, 0.193),
    (1.0, 0.0),
)


def principal_courses(rng: np.random.Generator) -> list[F64]:
    """Draw plausible life, head and heart lines, each shape (n, 2)."""
    while True:
        life, head, heart = (_sample_line(rng, line) for line in (LIFE, HEAD, HEART))
        if _plausible(life, head, heart):
            break
    courses = [_to_palm(life), _to_palm(head), _to_palm(heart)]
    courses[0] = _extend(_extend(courses[0], 0.50, 1.15), 0.12, 0.3, at_start=True)
    courses[1] = _extend(courses[1], 0.13, 0.2, at_start=True)
    courses[2] = _extend(courses[2], 0.22, -0.3)
    if rng.random() < 0.04:
        courses.pop(1)
    return courses


def _sample_line(rng: np.random.Generator, line: _Line) -> F64:
    """Sample one polynomial in the labelled square, y up. Returns shape (60, 2)."""
    coefficients = rng.multivariate_normal(line.mean, line.covariance)
    start = rng.normal(*line.start) if line.start[1] else line.start[0]
    end = rng.normal(*line.end) if line.end[1] else line.end[0]
    x = np.linspace(start, end, 60)
    return np.stack([x, np.polyval(coefficients, x)], axis=1)


def _plausible(life: F64, head: F64, heart: F64) -> bool:
    x = np.linspace(-1, 0.1, 12)
    lower, middle = (np.interp(x, c[:, 0], c[:, 1]) for c in (life, head))
    x_high = np.linspace(max(float(heart[0, 0]), -0.3), float(min(head[-1, 0], 0.9)), 8)
    upper, below = (np.interp(x_high, c[:, 0], c[:, 1]) for c in (heart, head))
    return bool(
        np.all(np.diff(life[:, 1]) < 0.02)
        and np.all(middle - lower > -0.03)
        and np.all(upper - below > 0.12)
        and life[-1, 1] > -1.25
        and -0.05 < life[0, 1] < 0.75
        and np.ptp(heart[:, 1]) < 0.9
        and np.abs(head[:, 1]).max() < 0.95
        and heart[:, 1].max() < 1.05
    )


def _to_palm(course: F64) -> F64:
    """Turn positions in the labelled square (−1 to 1, y up) into the palm frame."""
    x = course[:, 0] * SQUARE_HALF
    y = SQUARE_TOP + (1 - course[:, 1]) * SQUARE_HALF
    return np.stack([x, y], axis=1)


def _extend(course: F64, length: float, turn_rad: float, *, at_start: bool = False) -> F64:
    if at_start:
        return _extend(course[::-1], length, turn_rad)[::-1]
    ahead = course[-1] - course[-6]
    heading = np.arctan2(ahead[1], ahead[0]) + np.linspace(0, turn_rad, 16)[1:]
    steps = np.stack([np.cos(heading), np.sin(heading)], axis=1) * length / 15
    return np.vstack([course, course[-1] + np.cumsum(steps, axis=0)])
