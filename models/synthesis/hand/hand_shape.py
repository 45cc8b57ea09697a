"""The shape of one hand at rest: a skeleton and round cones (two spheres and all between).

Cones of one group blend; digits blend into the palm, not into each other.

The palm widens towards its knuckles, as spreading the fingers does to bones and skin.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from models.synthesis import anatomy
from models.synthesis.anatomy import F32, F64

PALM_GROUP = 0
"""Group of the palm, the ball of the thumb and the forearm; digits are groups 1 to 5."""

_Place = tuple[float, ...]


class _Cone(NamedTuple):
    """A cone: bone and blend group, centres and radii of both spheres."""

    bone: int
    group: int
    start: _Place
    end: _Place
    first: float
    last: float


@dataclass(frozen=True, slots=True)
class HandShape:
    """A hand at rest, in the palm frame (``models.synthesis.anatomy``).

    Attributes:
        joints: shape (21, 3), the landmarks.
        starts: shape (n, 3), centre of each cone's first sphere.
        ends: shape (n, 3), of its second.
        radii: shape (n, 2).
        bones: shape (n,), the bone that carries the cone.
        groups: shape (n,), blend group.
    """

    joints: F64 = field(repr=False)
    starts: F64 = field(repr=False)
    ends: F64 = field(repr=False)
    radii: F64 = field(repr=False)
    bones: F64 = field(repr=False)
    groups: F64 = field(repr=False)


def make_shape(rng: np.random.Generator) -> HandShape:
    """Draw the shape of one hand; lengths and breadths vary as people's do."""
    joints = _joints(rng)
    breadth = float(np.exp(rng.normal(0, 0.045)))
    cones = [*_palm(joints, breadth), *_forearm(joints, breadth), *_thumb(joints, breadth)]
    for finger in range(4):
        cones += _finger(joints, finger, breadth * float(np.exp(rng.normal(0, 0.02))))
    bones, groups, starts, ends, *radii = (np.array(each) for each in zip(*cones, strict=True))
    return HandShape(joints, starts, ends, np.stack(radii, axis=1), bones, groups)


def _joints(rng: np.random.Generator) -> F64:
    """Vary the segments of the mean hand. Returns shape (21, 3)."""
    joints = np.zeros((21, 3))
    joints[:, :2] = anatomy.REST_JOINTS
    palm_length = float(np.exp(rng.normal(0, 0.04)))
    joints[[0, 1, 2, 3, 4], 1] *= palm_length
    finger_length = float(np.exp(rng.normal(0, 0.04)))
    for chain in (anatomy.THUMB, *anatomy.FINGERS):
        rest = joints[list(chain)].copy()
        scale = finger_length * np.exp(rng.normal(0, anatomy.SEGMENT_SPREAD, 3))
        steps = np.diff(rest, axis=0) * scale[:, None]
        joints[list(chain)] = rest[0] + np.vstack([np.zeros(3), np.cumsum(steps, axis=0)])
    joints[list(anatomy.THUMB), 2] = (0.02, 0.06, 0.07, 0.08)
    return joints


def _point(xy: F64, z: float) -> _Place:
    return (float(xy[0]), float(xy[1]), z)


def wrist_axes(joints: F64) -> tuple[F64, F64]:
    """Return unit vectors down the forearm and to the thumb's side, each shape (2,)."""
    down = joints[anatomy.WRIST, :2] - joints[9, :2]
    down = down / np.linalg.norm(down)
    return down, np.array([-down[1], down[0]])


def _palm(joints: F64, breadth: float) -> Iterator[_Cone]:
    """Lay the palm: metacarpals, the pads before the fingers, the ball of the little finger."""
    down, side = wrist_axes(joints)
    cone = partial(_Cone, anatomy.BONE_PALM, PALM_GROUP)
    for knuckle, offset in ((5, 0.24), (9, 0.08), (13, -0.08), (17, -0.22)):
        carpal = joints[anatomy.WRIST, :2] - 0.08 * down + offset * side
        ends = _point(carpal, -0.05), _point(joints[knuckle, :2], -0.05)
        yield cone(*ends, 0.23 * breadth, 0.185 * breadth)
    for left, right in ((5, 9), (9, 13), (13, 17)):
        between = 0.5 * (joints[left, :2] + joints[right, :2])
        web = between + np.array([-0.04, -0.19])
        yield cone(
            _point(between + np.array([0.0, 0.25]), 0.02), _point(web, -0.02), 0.17, 0.10
        )
    yield cone((0.44, 1.30, 0.00), (0.56, 0.86, 0.05), 0.25 * breadth, 0.27 * breadth)
    yield cone((0.56, 0.86, 0.05), (0.57, 0.34, 0.01), 0.27 * breadth, 0.19 * breadth)
    yield cone((0.06, 1.52, -0.06), (-0.24, 1.20, 0.0), 0.22 * breadth, 0.22 * breadth)
    yield cone((0.10, 1.20, -0.06), (0.05, 0.40, -0.06), 0.26, 0.22)
    yield cone((-0.52, 0.80, -0.02), (-0.47, 0.26, -0.03), 0.18, 0.17)


def _forearm(joints: F64, breadth: float) -> Iterator[_Cone]:
    down, side = wrist_axes(joints)
    wrist = joints[anatomy.WRIST, :2]
    for sign in (-1.0, 1.0):
        near = _point(wrist - 0.1 * down + sign * 0.17 * side, -0.06)
        far = _point(wrist + 4.5 * down + sign * 0.36 * side, -0.06)
        radii = 0.255 * breadth, 0.50 * breadth
        yield _Cone(anatomy.BONE_FOREARM, PALM_GROUP, near, far, *radii)


def _thumb(joints: F64, breadth: float) -> Iterator[_Cone]:
    """Lay the ball of the thumb, which moves with its first bone, and the two phalanges."""
    base, knuckle, middle, tip = (joints[i] for i in anatomy.THUMB)
    belly = 0.45 * base + 0.55 * knuckle + np.array([0.14, -0.02, 0.06])
    root = base + np.array([0.06, -0.03, 0.02])
    pad = middle + 0.45 * (tip - middle) + np.array([0.0, 0.0, 0.03])
    end = tip - 0.15 * (tip - middle)
    r = [breadth * value for value in anatomy.THUMB_RADII]
    ball = partial(_Cone, anatomy.BONE_THUMB, PALM_GROUP)
    yield ball(_point(root, 0.03), _point(belly, 0.07), 0.27 * breadth, 0.29 * breadth)
    yield ball(_point(base, 0.0), _point(knuckle, 0.04), r[0], r[1] * 1.05)
    yield _Cone(anatomy.BONE_THUMB + 1, 1, tuple(knuckle), tuple(middle), r[1], r[2])
    last = partial(_Cone, anatomy.BONE_THUMB + 2, 1)
    yield last(tuple(middle), tuple(tip), r[2] * 0.96, r[3])
    yield last(tuple(pad), tuple(end), r[2] * 0.97, r[3])


def _finger(joints: F64, finger: int, breadth: float) -> Iterator[_Cone]:
    chain = joints[list(anatomy.FINGERS[finger])]
    radii, lift = anatomy.FINGER_RADII[finger] * breadth, np.array([0.0, 0.0, 0.035])
    for segment in range(3):
        cone = partial(_Cone, anatomy.BONE_FINGER + 3 * finger + segment, 2 + finger)
        start, end, is_last = chain[segment], chain[segment + 1], segment == 2
        first, last = radii[segment], radii[segment + 1]
        low, high = (0.25, 0.80) if is_last else (0.30, 0.72)
        middle = 0.5 * (first + last)
        beyond = 0.5 * (middle + last) if is_last else middle
        yield cone(tuple(start), tuple(end), first * 0.95, last * 0.95)
        near, far = (tuple(start + share * (end - start) + lift) for share in (low, high))
        yield cone(near, far, middle * 0.96, beyond * 0.96)


_WRIST_Y = float(anatomy.REST_JOINTS[anatomy.WRIST, 1])


def widened(shape: HandShape, share: float) -> HandShape:
    """Return a shape whose knuckles lie apart by this share more; the wrist stays."""
    if not share:
        return shape
    moved = [_widened(points, share) for points in (shape.joints, shape.starts, shape.ends)]
    return replace(shape, joints=moved[0], starts=moved[1], ends=moved[2])


def narrowed(rest: F32, share: float) -> F32:
    """Return places of a widened hand on the hand at rest, shape (…, 2)."""
    if not share:
        return rest
    places = rest.copy()
    places[..., 0] /= _growth(rest[..., 1], share)
    return places


def _widened(points: F64, share: float) -> F64:
    places = points.copy()
    places[..., 0] *= _growth(points[..., 1], share)
    return places


def _growth(y: F64 | F32, share: float) -> F64 | F32:
    return 1 + share * np.clip(1 - y / _WRIST_Y, 0, 1)
