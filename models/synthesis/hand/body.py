"""Traces the posed hand: outline, depth, normals, and the place of each pixel at rest.

The body is the smooth union of round cones (exponential smooth minimum), found by sphere
tracing. The blend weights of the cones also blend their bones' inverse transformations, which
gives each pixel its place on the hand at rest. Lengths are in palm units.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from models.synthesis.anatomy import F32, F64
from models.synthesis.hand.hand_shape import PALM_GROUP, HandShape
from models.synthesis.pose import apply, invert

SMOOTHING: Final = 0.035
"""Blend width of a digit's cones, with each other and the palm. By eye."""

PALM_SMOOTHING: Final = 0.085
"""Blend width of the palm's cones. By eye."""

CAMERA_DISTANCE: Final = 9.0
"""About half a metre."""

STEP_COUNT: Final = 8
"""Steps down each ray: the depth is then within 0.01 almost everywhere."""

REACH: Final = 0.16
"""Margin beyond its radius within which a cone contributes."""


@dataclass(frozen=True, slots=True)
class Grid:
    """The traced pixels.

    Attributes:
        width: in traced pixels.
        height: in traced pixels.
        scale: traced pixels per unit.
        centre: of the camera's axis, traced pixels (x, y).
        distance: of the camera from depth 0.
    """

    width: int
    height: int
    scale: float
    centre: tuple[float, float]
    distance: float = CAMERA_DISTANCE

    def project(self, points: F64) -> F64:
        """Project camera-frame points of shape (…, 3) to traced pixels, shape (…, 2)."""
        flat = points[..., :2] / (1 - points[..., 2:] / self.distance)
        pixels: F64 = flat * self.scale + np.asarray(self.centre)
        return pixels

    def cropped(self, rows: slice, columns: slice) -> Grid:
        """Return a window of it."""
        return replace(
            self,
            width=columns.stop - columns.start,
            height=rows.stop - rows.start,
            centre=(self.centre[0] - columns.start, self.centre[1] - rows.start),
        )


@dataclass(frozen=True, slots=True)
class Surface:
    """The visible surface, arrays of shape (height, width), float32.

    Attributes:
        distance: signed distance to the outline, negative inside.
        depth: z of the surface.
        normal: shape (height, width, 3), outward, unit.
        rest: shape (height, width, 2), x and y on the hand at rest.
    """

    distance: F32 = field(repr=False)
    depth: F32 = field(repr=False)
    normal: F32 = field(repr=False)
    rest: F32 = field(repr=False)


@dataclass(frozen=True, slots=True)
class _Cone:
    """One posed cone and the window of the grid in which it counts."""

    start: F64
    axis: F64
    radius: float
    growth: float
    group: int
    back: F64
    window: tuple[slice, slice]


def trace(shape: HandShape, bones: F64, grid: Grid) -> Surface:
    """Trace a hand; ``bones``: shape (17, 3, 4), from ``bone_transformations``."""
    cones = _pose_cones(shape, bones, grid)
    rays = _rays(grid)
    distance, middle = _outline(cones, rays)
    depth = _start_depth(cones, rays, middle)
    for _ in range(STEP_COUNT):
        depth -= _field(cones, rays, depth)
        np.maximum(depth, middle, out=depth)
    normal, rest = _skin(cones, rays, depth)
    return Surface(distance=distance, depth=depth, normal=normal, rest=rest)


def reach(shape: HandShape, bones: F64, grid: Grid) -> tuple[slice, slice]:
    """Return the rows and columns of the pixels that a hand can cover; at least one of each."""
    windows = [cone.window for cone in _pose_cones(shape, bones, grid)]
    rows, columns = (
        slice(
            min((window[axis].start for window in windows), default=0),
            max((window[axis].stop for window in windows), default=1),
        )
        for axis in (0, 1)
    )
    return rows, columns


_Rays = tuple[F32, F32, float]
"""x, shape (1, width), and y, shape (height, 1), of the pixels at depth 0; its distance."""


def _rays(grid: Grid) -> _Rays:
    x = (np.arange(grid.width, dtype=np.float32) + 0.5 - grid.centre[0]) / grid.scale
    y = (np.arange(grid.height, dtype=np.float32) + 0.5 - grid.centre[1]) / grid.scale
    return x[None, :].astype(np.float32), y[:, None].astype(np.float32), grid.distance


def _pose_cones(shape: HandShape, bones: F64, grid: Grid) -> list[_Cone]:
    cones = []
    backs = [invert(bone)[:2] for bone in bones]
    for i, bone in enumerate(shape.bones):
        start, end = apply(bones[bone], np.stack([shape.starts[i], shape.ends[i]]))
        first, last = shape.radii[i]
        window = _window(grid, np.stack([start, end]), shape.radii[i] + REACH)
        if window is not None:
            cones.append(
                _Cone(
                    start,
                    end - start,
                    first,
                    last - first,
                    shape.groups[i],
                    backs[bone],
                    window,
                )
            )
    return cones


def _window(grid: Grid, ends: F64, reach: F64) -> tuple[slice, slice] | None:
    """Return the rows and columns within reach of a segment, or None."""
    centres = grid.project(ends)
    zoom = np.maximum(1 / (1 - ends[:, 2] / grid.distance), 1.12)
    margin = (reach * grid.scale * zoom)[:, None]
    low = np.floor((centres - margin).min(axis=0)).astype(int)
    high = np.ceil((centres + margin).max(axis=0)).astype(int) + 1
    left, top = np.maximum(low, 0)
    right, bottom = np.minimum(high, (grid.width, grid.height))
    if left >= right or top >= bottom:
        return None
    return slice(int(top), int(bottom)), slice(int(left), int(right))


def _offset(cone: _Cone, x: F32, y: F32, z: F32) -> tuple[F32, F32, F32, F32]:
    px, py, pz = (p - np.float32(s) for p, s in zip((x, y, z), cone.start, strict=True))
    ax, ay, az = (np.float32(a) for a in cone.axis)
    along = (px * ax + py * ay + pz * az) / np.float32(cone.axis @ cone.axis)
    np.clip(along, 0, 1, out=along)
    px = px - along * ax
    py = py - along * ay
    pz = pz - along * az
    return px, py, pz, np.float32(cone.radius) + along * np.float32(cone.growth)


def _blend_weight(distance: F32, group: int) -> F32:
    smoothing = PALM_SMOOTHING if group == PALM_GROUP else SMOOTHING
    melted: F32 = np.exp(distance * np.float32(-1 / smoothing))
    return melted


def _blend_distance(share: F32) -> F32:
    return np.log(np.maximum(share, np.float32(1e-12))) * np.float32(-SMOOTHING)


def _join(shares: F32) -> F32:
    palm = shares[PALM_GROUP] ** np.float32(PALM_SMOOTHING / SMOOTHING)
    joined: F32 = palm + shares[1:].max(axis=0)
    return joined


def _outline(cones: list[_Cone], rays: _Rays) -> tuple[F32, F32]:
    x, y, distance = rays
    shape = (y.shape[0], x.shape[1])
    shares = np.zeros((6, *shape), np.float32)
    weight = np.full(shape, 1e-12, np.float32)
    middle = np.zeros(shape, np.float32)
    for cone in cones:
        rows, columns = cone.window
        ends = np.stack([cone.start, cone.start + cone.axis])
        zoom = 1 / (1 - ends[:, 2] / distance)
        start, end = ends[:, :2] * zoom[:, None]
        px, py = x[:, columns] - np.float32(start[0]), y[rows] - np.float32(start[1])
        ax, ay = (np.float32(v) for v in end - start)
        along = np.clip((px * ax + py * ay) / (ax * ax + ay * ay), 0, 1)
        first, last = cone.radius * zoom[0], (cone.radius + cone.growth) * zoom[1]
        away = np.hypot(px - along * ax, py - along * ay)
        share = _blend_weight(
            (away - np.float32(first) - along * np.float32(last - first)).astype(np.float32),
            cone.group,
        )
        shares[cone.group, rows, columns] += share
        weight[rows, columns] += share
        middle[rows, columns] += share * (
            np.float32(cone.start[2]) + along * np.float32(cone.axis[2])
        )
    return _blend_distance(_join(shares)), middle / weight


def _start_depth(cones: list[_Cone], rays: _Rays, middle: F32) -> F32:
    x, y, distance = rays
    depth = middle.copy()
    for cone in cones:
        rows, columns = cone.window
        high = max(cone.start[2], cone.start[2] + cone.axis[2])
        z = np.full((1, 1), high, np.float32)
        shrink = 1 - z / np.float32(distance)
        px, py, _, radius = _offset(cone, x[:, columns] * shrink, y[rows] * shrink, z)
        rest = np.square(radius + np.float32(2 * SMOOTHING)) - px * px - py * py
        top = z + np.sqrt(np.maximum(rest, 0))
        np.maximum(depth[rows, columns], top, out=depth[rows, columns])
    return depth


def _field(cones: list[_Cone], rays: _Rays, depth: F32) -> F32:
    shrink = 1 - depth / np.float32(rays[2])
    x, y = rays[0] * shrink, rays[1] * shrink
    shares = np.zeros((6, *depth.shape), np.float32)
    for cone in cones:
        w = cone.window
        px, py, pz, radius = _offset(cone, x[w], y[w], depth[w])
        shares[(cone.group, *w)] += _blend_weight(
            np.sqrt(px * px + py * py + pz * pz) - radius, cone.group
        )
    return _blend_distance(_join(shares))


def _skin(cones: list[_Cone], rays: _Rays, depth: F32) -> tuple[F32, F32]:
    """Return the normals, (height, width, 3), and the places at rest, (height, width, 2)."""
    shrink = 1 - depth / np.float32(rays[2])
    x, y = rays[0] * shrink, rays[1] * shrink
    sums = np.zeros((6, 6, *depth.shape), np.float32)
    for cone in cones:
        w = cone.window
        px, py, pz, radius = _offset(cone, x[w], y[w], depth[w])
        length = np.sqrt(px * px + py * py + pz * pz) + np.float32(1e-6)
        share = _blend_weight(length - radius, cone.group)
        unit = share / length
        mine = sums[(cone.group, slice(None), *w)]
        back = cone.back.astype(np.float32)
        mine[0] += share
        mine[1] += unit * px
        mine[2] += unit * py
        mine[3] += unit * pz
        for row in (0, 1):
            b = back[row]
            mine[4 + row] += share * (b[0] * x[w] + b[1] * y[w] + b[2] * depth[w] + b[3])
    best = sums[1:, 0].argmax(axis=0)[None, None]
    palm = sums[PALM_GROUP]
    palm *= np.maximum(palm[:1], np.float32(1e-12)) ** np.float32(
        PALM_SMOOTHING / SMOOTHING - 1
    )
    total = palm + np.take_along_axis(sums[1:], best, axis=0)[0]
    total[1:4] /= np.sqrt(np.square(total[1:4]).sum(axis=0)) + np.float32(1e-6)
    total[4:] /= np.maximum(total[0], np.float32(1e-12))
    return np.moveaxis(total[1:4], 0, -1), np.moveaxis(total[4:], 0, -1)
