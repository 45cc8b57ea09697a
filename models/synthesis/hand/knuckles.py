"""Widens the palm towards its knuckles, as spreading the fingers does to bones and skin."""

from dataclasses import replace

import numpy as np

from models.synthesis import anatomy
from models.synthesis.anatomy import F32, F64
from models.synthesis.hand.hand_shape import HandShape

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
