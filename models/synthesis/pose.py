"""Poses a hand. A transformation is a (3, 4) matrix that acts on (x, y, z, 1)."""

from dataclasses import dataclass, field
from typing import Final

import numpy as np

from models.synthesis import anatomy
from models.synthesis.anatomy import F64

FAN: Final = np.array([1.5, 0.5, -0.5, -1.5])
"""How far each finger swings when the hand opens like a fan."""


@dataclass(frozen=True, slots=True)
class Pose:
    """Joint angles and view of one photo, in radians.

    Attributes:
        spread: shape (4,), of each finger in the palm's plane, positive to the thumb.
        curl: shape (4, 3), bend of each finger joint towards the viewer.
        thumb_swing: in the palm's plane, positive away from the palm.
        thumb_curl: shape (3,), bend of the thumb's joints.
        wrist_swing: of the forearm in the palm's plane.
        roll: in the picture, positive clockwise.
        pitch: fingers towards the viewer.
        yaw: about the hand's long axis.
        thumb_fold: shape (3,), bend of the thumb's joints in the palm's plane, across the palm.
        widening: of the row of knuckles, as a share of its breadth.
    """

    spread: F64 = field(repr=False)
    curl: F64 = field(repr=False)
    thumb_swing: float
    thumb_curl: F64 = field(repr=False)
    wrist_swing: float
    roll: float
    pitch: float
    yaw: float
    thumb_fold: F64 = field(default_factory=lambda: np.zeros(3), repr=False)
    widening: float = 0.0


def sample_pose(rng: np.random.Generator) -> Pose:
    """Draw the pose of an open hand shown to a phone."""
    fan = rng.normal(0.01, 0.035)
    spread = fan * FAN + rng.normal(0, 0.02, 4)
    openness = abs(rng.normal(0.05, 0.05))
    curl = np.abs(rng.normal(openness, 0.04, (4, 3))) * np.array([0.8, 1.2, 0.8])
    return Pose(
        spread=spread,
        curl=curl,
        thumb_swing=float(rng.normal(0.0, 0.10)),
        thumb_curl=np.array([0.02, 0.05, 0.08]) + rng.normal(0, 0.04, 3),
        wrist_swing=float(rng.normal(0.0, 0.09)),
        roll=float(rng.normal(0.0, 0.16)),
        pitch=float(rng.normal(0.0, 0.09)),
        yaw=float(rng.normal(0.0, 0.09)),
    )


def about(axis: F64, angle_rad: float, pivot: F64) -> F64:
    """Return the rotation about an axis (unit, shape (3,)) through a pivot."""
    x, y, z = axis
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    turn = np.eye(3) + np.sin(angle_rad) * skew + (1 - np.cos(angle_rad)) * skew @ skew
    return np.hstack([turn, (pivot - turn @ pivot)[:, None]])


def tilted(axis: F64) -> F64:
    """Return the rotation about an axis through the origin by its length in radians."""
    angle_rad = float(np.linalg.norm(axis))
    if angle_rad < 1e-6:
        return np.eye(3, 4)
    return about(axis / angle_rad, angle_rad, np.zeros(3))


def compose(outer: F64, inner: F64) -> F64:
    """Return ``inner`` followed by ``outer``."""
    turn = outer[:, :3] @ inner[:, :3]
    return np.hstack([turn, (outer[:, :3] @ inner[:, 3] + outer[:, 3])[:, None]])


def apply(transformation: F64, points: F64) -> F64:
    """Move points of shape (…, 3)."""
    return points @ transformation[:, :3].T + transformation[:, 3]


def invert(transformation: F64) -> F64:
    """Return the inverse of a transformation."""
    back = np.linalg.inv(transformation[:, :3])
    return np.hstack([back, -(back @ transformation[:, 3])[:, None]])


_Z = np.array([0.0, 0.0, 1.0])


def bone_transformations(joints: F64, pose: Pose, *, mirrored: bool) -> F64:
    """Return each bone's transformation to the camera frame, shape (17, 3, 4).

    The camera frame: origin at the palm's centre, x right, y down, z to the viewer, palm units.
    ``joints`` has shape (21, 3), at rest.
    """
    view = _view(joints, pose, mirrored=mirrored)
    bones = np.zeros((anatomy.BONE_COUNT, 3, 4))
    bones[anatomy.BONE_PALM] = np.eye(3, 4)
    bones[anatomy.BONE_FOREARM] = about(_Z, pose.wrist_swing, joints[anatomy.WRIST])
    _pose_chain(bones, anatomy.BONE_THUMB, joints[list(anatomy.THUMB)], -pose.thumb_swing,
                pose.thumb_curl, pose.thumb_fold)  # fmt: skip
    for finger, chain in enumerate(anatomy.FINGERS):
        _pose_chain(bones, anatomy.BONE_FINGER + 3 * finger, joints[list(chain)],
                    -pose.spread[finger], pose.curl[finger], np.zeros(3))  # fmt: skip
    return np.stack([compose(view, bone) for bone in bones])


def _pose_chain(bones: F64, first: int, chain: F64, swing: float, curl: F64, fold: F64) -> None:
    parent = about(_Z, swing, chain[0])
    for segment in range(3):
        along = chain[segment + 1] - chain[segment]
        across = np.array([-along[1], along[0], 0.0])
        bend = about(across / np.linalg.norm(across), -curl[segment], chain[segment])
        parent = compose(compose(parent, about(_Z, fold[segment], chain[segment])), bend)
        bones[first + segment] = parent


def _view(joints: F64, pose: Pose, *, mirrored: bool) -> F64:
    centre = joints[[0, 5, 9, 13, 17]].mean(axis=0)
    moved = np.hstack([np.eye(3), -centre[:, None]])
    upright = joints[9, :2] - joints[anatomy.WRIST, :2]
    lean = float(np.arctan2(upright[0], -upright[1]))
    origin = np.zeros(3)
    view = compose(about(_Z, -lean, origin), moved)
    if mirrored:
        view = compose(np.hstack([np.diag([-1.0, 1.0, 1.0]), np.zeros((3, 1))]), view)
    view = compose(about(np.array([0.0, 1.0, 0.0]), pose.yaw, origin), view)
    view = compose(about(np.array([1.0, 0.0, 0.0]), pose.pitch, origin), view)
    return compose(about(_Z, pose.roll, origin), view)


def posed_joints(joints: F64, bones: F64) -> F64:
    """Return the landmarks in the camera's frame, shape (21, 3)."""
    carrier = np.zeros(21, dtype=int)
    carrier[list(anatomy.THUMB)] = [2, 2, 3, 4]
    for finger, chain in enumerate(anatomy.FINGERS):
        first = anatomy.BONE_FINGER + 3 * finger
        carrier[list(chain)] = [first, first, first + 1, first + 2]
    return np.stack([apply(bones[b], p) for b, p in zip(carrier, joints, strict=True)])
