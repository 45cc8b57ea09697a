"""The shape of one hand at rest: a skeleton and round cones (two spheres and all between).

Cones of one group blend; digits blend into the palm, not into each other.

The palm widens towards its knuckles, as spreading the fingers does to bones and skin.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from models.synthesis import anatomy
from models.synthesis.anatomy import F32, F64

PALM_GROUP = 0
"""Group of the palm, the ball of the thumb and the forearm; digits are groups 1 to 5."""

_Cone = tuple[tuple[float, float, float], tuple[float, float, float], float, float]


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


class _Cones:
    """Collects cones."""

    def __init__(self) -> None:
        self.items: list[_Cone] = []
        self.bones: list[int] = []
        self.groups: list[int] = []

    def add(self, bone: int, group: int, *cones: _Cone) -> None:
        """Add cones to a bone of a group."""
        self.items.extend(cones)
        self.bones.extend([bone] * len(cones))
        self.groups.extend([group] * len(cones))


def make_shape(rng: np.random.Generator) -> HandShape:
    """Draw the shape of one hand; lengths and breadths vary as people's do."""
    joints = _joints(rng)
    breadth = float(np.exp(rng.normal(0, 0.045)))
    cones = _Cones()
    _add_palm(cones, joints, breadth)
    _add_forearm(cones, joints, breadth)
    _add_thumb(cones, joints, breadth)
    for finger in range(4):
        finger_breadth = breadth * float(np.exp(rng.normal(0, 0.02)))
        _add_finger(cones, joints, finger, finger_breadth)
    return HandShape(
        joints=joints,
        starts=np.array([c[0] for c in cones.items]),
        ends=np.array([c[1] for c in cones.items]),
        radii=np.array([c[2:] for c in cones.items]),
        bones=np.array(cones.bones),
        groups=np.array(cones.groups),
    )


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


def _point(xy: F64, z: float) -> tuple[float, float, float]:
    return (float(xy[0]), float(xy[1]), z)


def wrist_axes(joints: F64) -> tuple[F64, F64]:
    """Return unit vectors down the forearm and to the thumb's side, each shape (2,)."""
    down = joints[anatomy.WRIST, :2] - joints[9, :2]
    down = down / np.linalg.norm(down)
    return down, np.array([-down[1], down[0]])


def _add_palm(cones: _Cones, joints: F64, breadth: float) -> None:
    """Lay the palm: metacarpals, the pads before the fingers, the ball of the little finger."""
    down, side = wrist_axes(joints)
    wrist = joints[anatomy.WRIST, :2]
    for knuckle, offset in ((5, 0.24), (9, 0.08), (13, -0.08), (17, -0.22)):
        carpal = wrist - 0.08 * down + offset * side
        end = joints[knuckle, :2]
        cones.add(
            anatomy.BONE_PALM,
            PALM_GROUP,
            (_point(carpal, -0.05), _point(end, -0.05), 0.23 * breadth, 0.185 * breadth),
        )
    for left, right in ((5, 9), (9, 13), (13, 17)):
        between = 0.5 * (joints[left, :2] + joints[right, :2])
        web = between + np.array([-0.04, -0.19])
        cones.add(
            anatomy.BONE_PALM,
            PALM_GROUP,
            (_point(between + np.array([0.0, 0.25]), 0.02), _point(web, -0.02), 0.17, 0.10),
        )
    cones.add(
        anatomy.BONE_PALM,
        PALM_GROUP,
        ((0.44, 1.30, 0.00), (0.56, 0.86, 0.05), 0.25 * breadth, 0.27 * breadth),
        ((0.56, 0.86, 0.05), (0.57, 0.34, 0.01), 0.27 * breadth, 0.19 * breadth),
        ((0.06, 1.52, -0.06), (-0.24, 1.20, 0.0), 0.22 * breadth, 0.22 * breadth),
        ((0.10, 1.20, -0.06), (0.05, 0.40, -0.06), 0.26, 0.22),
        ((-0.52, 0.80, -0.02), (-0.47, 0.26, -0.03), 0.18, 0.17),
    )


def _add_forearm(cones: _Cones, joints: F64, breadth: float) -> None:
    down, side = wrist_axes(joints)
    wrist = joints[anatomy.WRIST, :2]
    for sign in (-1.0, 1.0):
        near = wrist - 0.1 * down + sign * 0.17 * side
        far = wrist + 4.5 * down + sign * 0.36 * side
        cones.add(
            anatomy.BONE_FOREARM,
            PALM_GROUP,
            (_point(near, -0.06), _point(far, -0.06), 0.255 * breadth, 0.50 * breadth),
        )


def _add_thumb(cones: _Cones, joints: F64, breadth: float) -> None:
    """Lay the ball of the thumb, which moves with its first bone, and the two phalanges."""
    base, knuckle, middle, tip = (joints[i] for i in anatomy.THUMB)
    belly = 0.45 * base + 0.55 * knuckle + np.array([0.14, -0.02, 0.06])
    root = base + np.array([0.06, -0.03, 0.02])
    r = [breadth * value for value in anatomy.THUMB_RADII]
    cones.add(
        anatomy.BONE_THUMB,
        PALM_GROUP,
        (_point(root, 0.03), _point(belly, 0.07), 0.27 * breadth, 0.29 * breadth),
        (_point(base, 0.0), _point(knuckle, 0.04), r[0], r[1] * 1.05),
    )
    cones.add(
        anatomy.BONE_THUMB + 1,
        1,
        (tuple(knuckle), tuple(middle), r[1], r[2]),
    )
    pad = middle + 0.45 * (tip - middle) + np.array([0.0, 0.0, 0.03])
    cones.add(
        anatomy.BONE_THUMB + 2,
        1,
        (tuple(middle), tuple(tip), r[2] * 0.96, r[3]),
        (tuple(pad), tuple(tip - 0.15 * (tip - middle)), r[2] * 0.97, r[3]),
    )


def _add_finger(cones: _Cones, joints: F64, finger: int, breadth: float) -> None:
    chain = joints[list(anatomy.FINGERS[finger])]
    radii = anatomy.FINGER_RADII[finger] * breadth
    for segment in range(3):
        start, end = chain[segment], chain[segment + 1]
        first, last = radii[segment], radii[segment + 1]
        lift = np.array([0.0, 0.0, 0.035])
        low, high = (0.30, 0.72) if segment < 2 else (0.25, 0.80)
        middle = 0.5 * (first + last)
        cones.add(
            anatomy.BONE_FINGER + 3 * finger + segment,
            2 + finger,
            (tuple(start), tuple(end), first * 0.95, last * 0.95),
            (
                tuple(start + low * (end - start) + lift),
                tuple(start + high * (end - start) + lift),
                middle * 0.96,
                (middle if segment < 2 else 0.5 * (middle + last)) * 0.96,
            ),
        )


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
