"""The lines of one palm and its fingers, as polylines in the palm frame.

Principal lines follow statistics of labelled palms; the others are drawn by rule.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from models.synthesis import anatomy
from models.synthesis.anatomy import F64
from models.synthesis.hand.principal_lines import principal_courses


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


def _somewhere(rng: np.random.Generator) -> F64:
    """Return a point of the palm, shape (2,)."""
    return np.array([rng.uniform(-0.68, 0.70), rng.uniform(-0.12, 1.35)])


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
        middle, heading = _somewhere(rng), rng.uniform(0, np.pi)
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
