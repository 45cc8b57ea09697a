"""One picture of a drawn palm.

The layers are deformed by one field, unequally visible, lit, shadowed, blurred, grained and
compressed. About 0.25 ms on one core.

The deformation field says where each pixel of a sample is in the layers. Creases and texture
share it (FlowPalm, CVPR 2026). A cubic B-spline over a few control points contains all affine
maps exactly, so a sample costs two matrix products.
"""

from functools import cache
from typing import Final

import cv2
import numpy as np

from engine.parameters import ROI_SIZE_PX
from models.synthesis.anatomy import F32, F64, U8
from models.synthesis.crop.identity import LAYER_COUNT, LAYER_PX, LAYER_REACH
from models.synthesis.crop.style import Variation

CONTROL_POINTS: Final = 7
"""Control points per side: four spline spans over the crop."""

_EASE_MIDDLE: Final = -1.0
_EASE_SPREAD: Final = 0.6
"""Logarithm of a sample's share of the variation: most differ little, a few much."""


def draw_field(rng: np.random.Generator, variation: Variation, size_px: int) -> tuple[F32, F32]:
    """Return x and y of a sample in pixels of the layers, each shape (size_px, size_px)."""
    basis = spline_basis(size_px)
    scale = LAYER_PX / 2 / LAYER_REACH
    ease = np.exp(rng.normal(_EASE_MIDDLE, _EASE_SPREAD))
    ease *= 2.0 if rng.random() < variation.strong_share else 1.0
    points = _place(rng, variation, ease) + _bend(rng, variation, ease)
    points = points * scale + (LAYER_PX - 1) / 2
    x, y = ((basis @ points[..., i] @ basis.T).astype(np.float32) for i in (0, 1))
    return x, y


@cache
def spline_basis(size_px: int) -> F64:
    """Return control point weights per pixel, shape (size_px, CONTROL_POINTS)."""
    spans = CONTROL_POINTS - 3
    at = (np.arange(size_px) + 0.5) / size_px * spans
    span = np.minimum(at.astype(int), spans - 1)
    t = at - span
    weights = (
        np.stack(
            [(1 - t) ** 3, 3 * t**3 - 6 * t**2 + 4, -3 * t**3 + 3 * t**2 + 3 * t + 1, t**3]
        )
        / 6
    )
    basis = np.zeros((size_px, CONTROL_POINTS))
    for i in range(4):
        basis[np.arange(size_px), span + i] = weights[i]
    return basis


def _control_grid() -> F64:
    """Return control points, shape (rows, columns, 2): x, y, the crop is −1 to 1."""
    along = (np.arange(CONTROL_POINTS) - 1) / (CONTROL_POINTS - 3) * 2 - 1
    x, y = np.meshgrid(along, along)
    return np.stack([x, y], axis=2)


_CONTROL_GRID: Final = _control_grid()


def _place(rng: np.random.Generator, variation: Variation, ease: float) -> F64:
    v, z = variation, ease * rng.standard_normal(8)
    size = np.exp(v.zoom * z[0])
    stretch = np.exp(v.aspect * z[1])
    c, s = np.cos(v.turn_rad * z[2]) * size, np.sin(v.turn_rad * z[2]) * size
    linear = np.array([[c * stretch, -s + v.shear * z[3]], [s, c / stretch]])
    depth = 1 + _CONTROL_GRID @ (v.tilt * z[4:6])
    placed: F64 = _CONTROL_GRID @ linear.T / depth[..., None] + v.shift * z[6:8]
    return placed


def _bend(rng: np.random.Generator, variation: Variation, ease: float) -> F64:
    size = ease * variation.bend * rng.uniform(0.4, 1.6)
    return size * 1.6 * rng.standard_normal((CONTROL_POINTS, CONTROL_POINTS, 2))


_GAINS: Final = ((0.85, 1.15), (0.6, 1.15), (0.5, 1.15), (0.5, 1.15))
"""Depth of each layer in a sample, least and most."""

_NOISE_PX: Final = 512
_NOISE_SIGMAS: Final = (0.0, 0.6, 1.0, 1.6, 2.4, 3.4, 4.8)
_COARSE: Final = 3
"""Index of the first sigma that looks like mottling."""


class CropSampler:
    """Pictures drawn palms, each time differently."""

    def __init__(self, variation: Variation) -> None:
        """Keep how much two samples differ, and prepare grain to cut noise from."""
        self._variation = variation
        self._basis = spline_basis(ROI_SIZE_PX).astype(np.float32)
        self._grain = _grain()

    def sample(self, layers: U8, rng: np.random.Generator) -> U8:
        """Picture one palm: shape (128, 128), uint8, grey.

        ``layers`` are of ``draw_identity``; the same state of ``rng`` gives the same picture.
        """
        depth = self._skin(layers, rng)
        depth = self._blurred(depth, rng)
        grey = self._lit(depth, rng)
        grey += np.float32(rng.uniform(70, 190) - grey.mean())
        if rng.random() < self._variation.covered_share:
            self._cover(grey, rng)
        exposed = np.clip(grey, 0, 255).astype(np.uint8)
        return _compressed(exposed, rng)

    def _skin(self, layers: U8, rng: np.random.Generator) -> F32:
        """Deform the layers and sum them, unequally visible; about unit depth."""
        x, y = draw_field(rng, self._variation, ROI_SIZE_PX)
        seen = cv2.remap(layers, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT_101)
        depth = np.zeros((ROI_SIZE_PX, ROI_SIZE_PX), np.float32)
        for i in range(LAYER_COUNT):
            layer = seen[..., i].astype(np.float32)
            if i == LAYER_COUNT - 1:
                layer -= np.float32(128)
            gain = rng.uniform(*_GAINS[i]) / 255
            visible = self._smooth(rng, gain * self._variation.visibility) + np.float32(gain)
            np.maximum(visible, np.float32(0.15 * gain), out=visible)
            layer *= visible
            depth += layer
        return depth

    def _smooth(self, rng: np.random.Generator, deviation: float, cells: int = 0) -> F32:
        points = rng.standard_normal((CONTROL_POINTS, CONTROL_POINTS), dtype=np.float32)
        if cells:
            shape = (CONTROL_POINTS, CONTROL_POINTS)
            points = np.asarray(cv2.resize(points[:cells, :cells], shape), np.float32)
        return self._basis @ (points * np.float32(1.6 * deviation)) @ self._basis.T

    def _blurred(self, depth: F32, rng: np.random.Generator) -> F32:
        sigma = self._variation.blur_px * rng.random() ** 1.5
        if sigma > 0.25:
            depth = np.asarray(cv2.GaussianBlur(depth, (0, 0), sigma), np.float32)
        if rng.random() < 0.1:
            depth = np.asarray(cv2.filter2D(depth, -1, _motion(rng)), np.float32)
        return depth

    def _lit(self, depth: F32, rng: np.random.Generator) -> F32:
        v = self._variation
        contrast = float(np.exp(rng.uniform(np.log(25), np.log(160))))
        grey = depth * np.float32(-contrast)
        grey += _relief(depth, rng, contrast * v.relief * rng.random() ** 2)
        grey += self._noise(rng, contrast * v.noise)
        grey += self._cut(rng, _COARSE, contrast * v.blotches)
        grey += self._smooth(rng, v.shade * rng.random(), cells=4)
        if rng.random() < 0.2:
            grey += self._shadow(rng)
        if rng.random() < 0.1:
            grey += np.maximum(self._smooth(rng, 40, cells=5) - np.float32(35), 0)
        return grey

    def _noise(self, rng: np.random.Generator, most: float) -> F32:
        total = np.zeros((ROI_SIZE_PX, ROI_SIZE_PX), np.float32)
        for _ in range(2):
            total += self._cut(rng, 0, most)
        return total

    def _cut(self, rng: np.random.Generator, first: int, most: float) -> F32:
        which = int(rng.integers(first, len(_NOISE_SIGMAS)))
        top, left = rng.integers(0, _NOISE_PX - ROI_SIZE_PX, 2).tolist()
        cut = self._grain[which, top : top + ROI_SIZE_PX, left : left + ROI_SIZE_PX]
        return cut * np.float32(most * rng.random() ** 1.5)

    def _cover(self, grey: F32, rng: np.random.Generator) -> None:
        """Hide a side or corner, in place: a sleeve, the background."""
        at = np.linspace(-1, 1, ROI_SIZE_PX, dtype=np.float32)
        turn = rng.uniform(0, 2 * np.pi)
        across = at * np.float32(np.cos(turn)) + (at * np.float32(np.sin(turn)))[:, None]
        bent = across + self._smooth(rng, 0.06 * rng.random())
        edge = np.quantile(across[::8, ::8], 1 - 0.35 * rng.random() ** 1.5)
        hidden = np.clip((bent - np.float32(edge)) * np.float32(rng.uniform(15, 60)), 0, 1)
        dark = rng.uniform(0, 60) if rng.random() < 0.5 else rng.uniform(180, 255)
        level = np.float32(0.0 if rng.random() < 0.4 else dark)
        grey += hidden * (level - grey)

    def _shadow(self, rng: np.random.Generator) -> F32:
        at = np.linspace(-1, 1, ROI_SIZE_PX, dtype=np.float32)
        turn, softness = rng.uniform(0, 2 * np.pi), rng.uniform(0.06, 0.5)
        across = at * np.float32(np.cos(turn)) + (at * np.float32(np.sin(turn)))[:, None]
        across = (across - np.float32(rng.uniform(-0.8, 0.8))) * np.float32(1 / softness)
        edge: F32 = np.float32(rng.uniform(10, 50)) * np.tanh(across)
        return edge


def _grain() -> F32:
    """Return noise of unit deviation at several scales; the same every time."""
    rng = np.random.default_rng(20_263)
    images = []
    for sigma in _NOISE_SIGMAS:
        noise = rng.standard_normal((_NOISE_PX, _NOISE_PX), dtype=np.float32)
        if sigma:
            noise = np.asarray(cv2.GaussianBlur(noise, (0, 0), sigma), np.float32)
        images.append(noise / noise.std())
    return np.stack(images)


def _motion(rng: np.random.Generator) -> F32:
    kernel = np.zeros((7, 7), np.float32)
    turn, reach = rng.uniform(0, np.pi), rng.uniform(1, 3) * 16
    dx, dy = round(np.cos(turn) * reach), round(np.sin(turn) * reach)
    cv2.line(kernel, (48 - dx, 48 - dy), (48 + dx, 48 + dy), 1.0, 1, cv2.LINE_AA, 4)
    kernel[3, 3] = max(float(kernel[3, 3]), 0.5)
    kernel /= kernel.sum()
    return kernel


def _relief(depth: F32, rng: np.random.Generator, strength: float) -> F32:
    turn = rng.uniform(0, 2 * np.pi)
    c, s = np.float32(strength * np.cos(turn)), np.float32(strength * np.sin(turn))
    shaded = np.zeros_like(depth)
    shaded[:, 1:-1] = (depth[:, 2:] - depth[:, :-2]) * c
    shaded[1:-1] += (depth[2:] - depth[:-2]) * s
    return shaded


def _compressed(crop: U8, rng: np.random.Generator) -> U8:
    if rng.random() > 0.15:
        return crop
    _, data = cv2.imencode(".jpg", crop, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(55, 98))])
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_GRAYSCALE), np.uint8)
