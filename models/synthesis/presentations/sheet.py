"""Places a sheet of paper or a screen in the picture, flat or bent like a cylinder."""

from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from models.synthesis.anatomy import F32, F64
from models.synthesis.hand.body import Grid

COARSE: Final = 4
"""Pixels per normal of a bent sheet."""


@dataclass(frozen=True, slots=True)
class Placement:
    """The place of a sheet: u right and v down on it, in palm units as they appear on it.

    Attributes:
        turn: shape (3, 3), from the sheet to the camera's frame (x right, y down, z to it).
        at: shape (3,), where the sheet's origin is.
        curvature: 1 / radius; positive is convex to the viewer.
        bend_rad: direction across which it is bent, on the sheet; 0: its sides bend.
    """

    turn: F64 = field(repr=False)
    at: F64 = field(repr=False)
    curvature: float = 0.0
    bend_rad: float = 0.0


@dataclass(frozen=True, slots=True)
class Seen:
    """The point of a sheet that each pixel shows: arrays of shape (height, width).

    Attributes:
        u: place on the sheet.
        v: place on the sheet.
        normal: towards the viewer, unit, shape (1, 1, 3), or of every ``COARSE``th row and
            column.
        lean: how much each column's ray leans right, and each row's down.
        px_per_unit: shape (2, 2), how pixels change with u and v at the sheet's origin.
        is_back: whether the viewer sees its back.
    """

    u: F32 = field(repr=False)
    v: F32 = field(repr=False)
    normal: F32 = field(repr=False)
    lean: tuple[F32, F32] = field(repr=False)
    px_per_unit: F64 = field(repr=False)
    is_back: bool


def look_at(grid: Grid, placement: Placement) -> Seen:
    """Follow the ray of each pixel to the sheet."""
    normal: NDArray[np.floating[Any]]
    x = np.arange(grid.width, dtype=np.float32) + np.float32(0.5 - grid.centre[0])
    y = np.arange(grid.height, dtype=np.float32) + np.float32(0.5 - grid.centre[1])
    x, y = x / np.float32(grid.scale), y / np.float32(grid.scale)
    across = _bend_axes(placement.bend_rad)
    turn = placement.turn @ across
    eye = turn.T @ (np.array([0.0, 0.0, grid.distance]) - placement.at)
    ray = [
        np.float32(turn[0, i]) * x[None, :]
        + np.float32(turn[1, i]) * y[:, None]
        - np.float32(turn[2, i] * grid.distance)
        for i in range(3)
    ]
    reach, angle = _meet(eye, ray, placement.curvature)
    along = eye[1] + reach * ray[1]
    if angle is None:
        over = eye[0] + reach * ray[0]
        normal = turn[:, 2][None, None]
    else:
        over = angle / np.float32(placement.curvature)
        coarse = angle[::COARSE, ::COARSE, None]
        normal = np.sin(coarse) * turn[:, 0] + np.cos(coarse) * turn[:, 2]
    facing = float(turn[:, 2] @ (np.array([0.0, 0.0, grid.distance]) - placement.at))
    return Seen(
        u=(across[0, 0] * over + across[0, 1] * along).astype(np.float32),
        v=(across[1, 0] * over + across[1, 1] * along).astype(np.float32),
        normal=(normal if facing > 0 else -normal).astype(np.float32),
        lean=(x / np.float32(grid.distance), y / np.float32(grid.distance)),
        px_per_unit=_scale_at(grid, placement),
        is_back=facing <= 0,
    )


def _bend_axes(bend_rad: float) -> F64:
    c, s = np.cos(bend_rad), np.sin(bend_rad)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _meet(eye: F64, ray: list[F32], curvature: float) -> tuple[F32, F32 | None]:
    """Return how far along each ray the sheet is, and the angle round a cylinder."""
    if abs(curvature) < 1e-3:
        depth = np.where(np.abs(ray[2]) < 1e-4, np.float32(1e-4), ray[2])
        return (-eye[2] / depth).astype(np.float32), None
    radius = 1 / curvature
    a = ray[0] * ray[0] + ray[2] * ray[2]
    b = ray[0] * np.float32(eye[0]) + ray[2] * np.float32(eye[2] + radius)
    c = eye[0] ** 2 + (eye[2] + radius) ** 2 - radius**2
    root = np.sqrt(np.maximum(b * b - a * np.float32(c), 0))
    missed = b * b < a * np.float32(c)
    reach = (-b - np.float32(np.sign(curvature)) * root) / a
    over, up = eye[0] + reach * ray[0], eye[2] + radius + reach * ray[2]
    angle = np.arctan2(over * np.sign(radius), up * np.sign(radius))
    angle = np.where(missed, np.float32(9.0), angle).astype(np.float32)
    return reach.astype(np.float32), angle


def _scale_at(grid: Grid, placement: Placement) -> F64:
    step = 0.05
    places = np.array([[0, 0, 0], [step, 0, 0], [0, step, 0]]) @ placement.turn.T
    seen = grid.project(places + placement.at)
    return np.stack([seen[1] - seen[0], seen[2] - seen[0]], axis=1) / step


def turned(yaw: float, pitch: float, roll: float) -> F64:
    """Return the rotation of a sheet: about y, then x, then in the picture."""
    cy, sy, cp, sp = np.cos(yaw), np.sin(yaw), np.cos(pitch), np.sin(pitch)
    cr, sr = np.cos(roll), np.sin(roll)
    about_y = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    about_x = np.array([[1, 0, 0], [0, cp, -sp], [0, sp, cp]])
    about_z = np.array([[cr, -sr, 0], [sr, cr, 0], [0, 0, 1]])
    rotation: F64 = about_z @ about_x @ about_y
    return rotation
