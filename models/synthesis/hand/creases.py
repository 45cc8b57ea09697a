"""The lines of one palm and its fingers, as polylines in the palm frame.

Principal lines follow statistics of labelled palms; the others are drawn by rule.

Life, head and heart line come from polynomials fitted to 1000 labelled palms (label file of the
PolyCreases of Diff-Palm, Apache-2.0; labels only, no pictures).
"""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np

from models.synthesis import anatomy
from models.synthesis.anatomy import F64

SQUARE_HALF: Final = 0.525
SQUARE_TOP: Final = 0.02
"""The labelled square of the polynomials in the palm frame: the region of interest."""


@dataclass(frozen=True, slots=True)
class _Line:
    """Polynomial statistics of one principal line: y(x) = a4 x⁴ + … + a0, y up."""

    mean: list[float]
    covariance: list[list[float]]
    start: tuple[float, float]
    end: tuple[float, float]


_LINES: Final = tomllib.loads(
    Path(__file__).with_name("principal_lines.toml").read_text("utf-8")
)
LIFE, HEAD, HEART = (_Line(**_LINES[name]) for name in ("life", "head", "heart"))


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


@dataclass(frozen=True, slots=True)
class Crease:
    """One strand of a line.

    Attributes:
        points: shape (n, 2).
        strength: shape (n,), 0 to 1: depth along its course.
        width: in palm units.
    """

    points: F64 = field(repr=False)
    strength: F64 = field(repr=False)
    width: float


def draw_creases(rng: np.random.Generator, joints: F64) -> list[Crease]:
    """Draw all lines of one hand, the faintest first; ``joints``: (21, 3), at rest."""
    principal = principal_courses(rng)
    return [
        *_bundles(rng),
        *_free_creases(rng),
        *_branches(rng, principal),
        *_finger_creases(rng, joints),
        *_wrist_creases(rng, joints),
        *(strand for course in principal for strand in _strands(rng, course)),
    ]


def _taper(count: int, fade_in: float, fade_out: float) -> F64:
    """Return strengths that rise over the first share of a course and fall over the last."""
    t = np.linspace(0, 1, count)
    rise = np.clip(t / max(fade_in, 1e-6), 0, 1)
    fall = np.clip((1 - t) / max(fade_out, 1e-6), 0, 1)
    return np.sqrt(rise * fall)


def _resample(course: F64, count: int) -> F64:
    """Return points at even distances along a course, shape (count, 2)."""
    lengths = np.hypot(*np.diff(course, axis=0).T)
    at = np.concatenate([[0.0], np.cumsum(lengths)])
    even = np.linspace(0, at[-1], count)
    return np.stack([np.interp(even, at, course[:, i]) for i in (0, 1)], axis=1)


def _random_walk(rng: np.random.Generator, count: int, size: float) -> F64:
    """Return a damped random walk of two coordinates, shape (count, 2)."""
    steps = rng.normal(0, size, (count, 2))
    walk = np.zeros((count, 2))
    for i in range(1, count):
        walk[i] = 0.93 * walk[i - 1] + steps[i]
    return walk


def _strands(rng: np.random.Generator, course: F64) -> Iterator[Crease]:
    strength, width = rng.uniform(0.65, 1.0), rng.uniform(0.0105, 0.0165)
    count = 140
    for number in range(int(rng.integers(2, 5))):
        main = number == 0
        points = _resample(course, count) + _random_walk(rng, count, 0.0018 if main else 0.0028)
        first = 0 if main else int(rng.integers(0, 95))
        last = count if main else int(rng.integers(first + 25, min(first + 80, count) + 1))
        points = points[first:last]
        if not main:
            points = points + rng.normal(0, 0.007, 2)
        along = np.interp(
            np.arange(len(points)), np.linspace(0, len(points), 9), rng.uniform(0.6, 1.0, 9)
        )
        if main and rng.random() < 0.08:
            gap = int(rng.integers(30, 100))
            along[gap : gap + 7] *= 0.15
        share = 1.0 if main else rng.uniform(0.4, 0.8)
        fade = _taper(len(points), 0.08, 0.28) if main else _taper(len(points), 0.4, 0.4)
        yield Crease(points, strength * share * along * fade, width * (1 if main else 0.55))


def _stroke(
    rng: np.random.Generator, start: F64, heading: float, length: float, bend: float
) -> F64:
    """Return a slightly bent, uneven stroke, shape (n, 2)."""
    count = max(8, int(length / 0.012))
    turn = heading + np.linspace(-0.5, 0.5, count) * bend
    steps = np.stack([np.cos(turn), np.sin(turn)], axis=1) * length / count
    points = start + np.cumsum(steps, axis=0) - steps.sum(axis=0) / 2
    stroke: F64 = points + _random_walk(rng, count, 0.0015)
    return stroke


def _branches(rng: np.random.Generator, principal: list[F64]) -> Iterator[Crease]:
    for course in principal:
        for _ in range(int(rng.integers(1, 6))):
            at = int(rng.integers(5, len(course) - 5))
            ahead = course[at + 4] - course[at - 4]
            heading = float(np.arctan2(ahead[1], ahead[0])) + rng.normal(0, 0.5)
            length = rng.uniform(0.08, 0.30)
            points = _stroke(rng, course[at], heading, length, rng.normal(0, 0.4))
            yield Crease(
                points,
                rng.uniform(0.3, 0.75) * _taper(len(points), 0.3, 0.4),
                rng.uniform(0.006, 0.010),
            )


_REGIONS: Final = (
    ((-0.42, 0.85), (0.18, 0.25), 1.05, 0.30),
    ((0.45, 0.85), (0.18, 0.25), -0.75, 0.40),
    ((0.05, 0.75), (0.16, 0.30), -1.45, 0.30),
    ((0.00, 0.12), (0.35, 0.10), -1.50, 0.45),
    ((0.05, 0.50), (0.35, 0.25), 0.20, 0.70),
)
"""Secondary creases: centre, spread, heading and its deviation. Balls of thumb and little
finger, middle (fate line), pads before the fingers, everywhere. By eye."""


def _free_creases(rng: np.random.Generator) -> Iterator[Crease]:
    leanings = rng.normal(0, 0.22, len(_REGIONS))
    for _ in range(int(rng.integers(14, 42))):
        number = int(rng.integers(len(_REGIONS)))
        centre, spread, heading, deviation = _REGIONS[number]
        start = rng.normal(centre, spread)
        heading = heading + leanings[number] + rng.normal(0, deviation)
        length = 0.10 + rng.gamma(2.0, 0.09)
        points = _stroke(rng, start, heading, length, rng.normal(0, 0.5) * length / 0.3)
        yield Crease(
            points,
            rng.uniform(0.15, 0.62) * _taper(len(points), 0.35, 0.35),
            rng.uniform(0.005, 0.010),
        )


def _bundles(rng: np.random.Generator) -> Iterator[Crease]:
    for _ in range(int(rng.integers(4, 12))):
        middle = np.array([rng.uniform(-0.68, 0.70), rng.uniform(-0.12, 1.35)])
        heading = rng.uniform(0, np.pi)
        across = np.array([-np.sin(heading), np.cos(heading)])
        spacing, length = rng.uniform(0.018, 0.05), rng.uniform(0.08, 0.34)
        bend = rng.normal(0, 0.3)
        for number in range(int(rng.integers(4, 16))):
            start = middle + across * spacing * (number - 5) + rng.normal(0, 0.010, 2)
            turn = heading + rng.normal(0, 0.10)
            points = _stroke(rng, start, turn, length * rng.uniform(0.4, 1), bend)
            yield Crease(
                points, rng.uniform(0.12, 0.45) * _taper(len(points), 0.4, 0.4), 0.0045
            )


def _crease_across(
    rng: np.random.Generator, centre: F64, along: F64, half: float, strength: float
) -> Crease:
    """Return one crease across a digit: a shallow arc, deepest in the middle."""
    along = along / np.linalg.norm(along)
    side = np.array([-along[1], along[0]])
    t = np.linspace(-1, 1, 26)
    bulge = half * rng.normal(0.09, 0.07) * (1 - t**2) + half * rng.normal(0, 0.05) * t
    points = centre + t[:, None] * half * side + bulge[:, None] * along
    points += _random_walk(rng, 26, 0.0015)
    return Crease(points, strength * _taper(26, 0.2, 0.2), rng.uniform(0.008, 0.013))


def _finger_creases(rng: np.random.Generator, joints: F64) -> Iterator[Crease]:
    for finger, chain in enumerate(anatomy.FINGERS):
        knuckle, middle, end, tip = (joints[i, :2] for i in chain)
        radii = anatomy.FINGER_RADII[finger]
        root = knuckle + 0.47 * (middle - knuckle)
        for centre, along, half, count, gap in (
            (root, middle - knuckle, radii[0], 2, 0.045),
            (middle, end - knuckle, radii[1] * 1.1, 3, 0.035),
            (end, tip - middle, radii[2] * 1.05, 2, 0.028),
        ):
            yield from _fold(rng, centre, along, half, (count, gap))
    base, knuckle, middle, tip = (joints[i, :2] for i in anatomy.THUMB)
    yield from _fold(rng, middle, tip - knuckle, 0.18, (2, 0.035))
    yield from _fold(rng, knuckle + 0.06 * (middle - base), middle - base, 0.2, (2, 0.06))


def _fold(
    rng: np.random.Generator, centre: F64, along: F64, half: float, pattern: tuple[int, float]
) -> Iterator[Crease]:
    most, gap = pattern
    count = int(rng.integers(max(1, most - 1), most + 1))
    unit = along / np.linalg.norm(along)
    for number in range(count):
        offset = (number - (count - 1) / 2) * gap * rng.uniform(0.7, 1.3)
        strength = rng.uniform(0.45, 0.85) * (1.0 if number == count // 2 else 0.65)
        yield _crease_across(rng, centre + offset * unit, along, half, strength)


def _wrist_creases(rng: np.random.Generator, joints: F64) -> Iterator[Crease]:
    along = joints[anatomy.WRIST, :2] - joints[9, :2]
    unit = along / np.linalg.norm(along)
    below = rng.uniform(0.0, 0.05)
    for _ in range(int(rng.integers(1, 4))):
        centre = joints[anatomy.WRIST, :2] + unit * below
        below += rng.uniform(0.05, 0.15)
        yield _crease_across(rng, centre, -unit, rng.uniform(0.3, 0.42), rng.uniform(0.2, 0.55))
