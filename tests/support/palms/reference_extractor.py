"""The readable reference of the palm graph: region, quality and codes, and a vector of energy.

A service runs the shipped ONNX graph (``engine.extract.PalmGraphExtractor``), which tests
compare with it.
"""

from itertools import pairwise
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from engine import parameters as tuned
from engine.extract import require_good
from engine.features.code_bytes import pack_code
from engine.features.competitive_code import ENERGY_DIMENSION, Lines, describe_lines, find_lines
from engine.parameters import CODE_SCALES, ROI_FIT_LANDMARKS
from engine.quality import score_quality
from engine.roi import misfit, region_square
from engine.types import (
    Extraction,
    ExtractorId,
    Hand,
    PalmLandmarks,
    PalmRoi,
    PalmSample,
    PalmTemplate,
    Quality,
)

Plane = NDArray[np.float32]
Points = NDArray[np.float64]

SHIPPED_EXTRACTOR: Final = ExtractorId("palmnet-3")
"""A change in ``parameters.py`` needs a new name."""


class ReferenceExtractor:
    """Implements ``Extractor`` in NumPy and OpenCV."""

    extractor_id = SHIPPED_EXTRACTOR
    dimension = ENERGY_DIMENSION

    def extract(self, sample: PalmSample, landmarks: PalmLandmarks) -> Extraction:
        """Make a template. Raises ``FailureToAcquire``."""
        return require_good(self.inspect(sample, landmarks))

    def inspect(self, sample: PalmSample, landmarks: PalmLandmarks) -> Extraction:
        """Make a template, however bad."""
        roi = cut_roi(sample, landmarks)
        return Extraction(template=self.template_of(roi), roi=roi, quality=assess(roi))

    def template_of(self, roi: PalmRoi) -> PalmTemplate:
        """Make a template of a region, whatever its quality."""
        scales = [find_lines(roi.pixels, scale) for scale in CODE_SCALES]
        return PalmTemplate(
            extractor=self.extractor_id,
            hand=roi.hand,
            vector=describe_lines(scales[0]),
            code=np.concatenate([encode_lines(lines) for lines in scales]),
            dense=np.concatenate([encode_densely(lines) for lines in scales]),
        )


def cut_roi(
    sample: PalmSample, landmarks: PalmLandmarks, *, size_px: int = tuned.ROI_SIZE_PX
) -> PalmRoi:
    """Cut out the palm's square: upright, grey (ITU-R BT.601), black outside the picture."""
    corners, scale_px = region_square(landmarks)
    wide, flip = corners.astype(np.float64), -1.0 if landmarks.hand is Hand.RIGHT else 1.0
    palm = landmarks.points[list(ROI_FIT_LANDMARKS)].astype(np.float64) * (flip, 1.0)
    places = _places(wide, size_px)
    inside = np.all((places >= 0) & (places <= sample.pixels.shape[1::-1]), axis=-1)
    return PalmRoi(
        pixels=_sampled(sample.pixels, wide, size_px),
        hand=landmarks.hand,
        corners=corners,
        residual=misfit(palm)[1],
        scale_px=scale_px,
        inside_share=float(np.mean(inside)),
    )


def _sampled(rgb: NDArray[np.uint8], corners: Points, size_px: int) -> Plane:
    """Resample the square: each pixel is the mean of a grid of points."""
    spacing = float(np.hypot(*(corners[1] - corners[0]))) / size_px / tuned.ROI_SAMPLING_PX
    density = int(np.clip(np.ceil(spacing), 1, tuned.ROI_MAX_DENSITY))
    parts = (np.arange(density) + 0.5) / density
    low, window = _window(rgb, corners)
    judged = _places(corners - low, size_px, parts[0], parts[0])[::4, ::4]
    grey = window.astype(np.float32) @ _colour_weights(window, judged)
    total = np.zeros((size_px, size_px), np.float64)
    for down in parts:
        for across in parts:
            total += _interpolated(grey, _places(corners - low, size_px, across, down))
    return (total / density**2).astype(np.float32)


def _colour_weights(rgb: NDArray[np.uint8], places: Points) -> NDArray[np.float32]:
    """Return how much of each colour is in the grey, shape (3,): less of what is clipped."""
    last = np.array(rgb.shape[1::-1]) - 1
    column, row = np.moveaxis(np.clip(np.floor(places), 0, last).astype(int), -1, 0)
    sound = np.mean(rgb[row, column] < tuned.ROI_CLIPPED_LEVEL, axis=(0, 1))
    weights = tuned.ROI_LUMA * np.maximum(sound, 1e-3) ** tuned.ROI_CLIPPED_POWER
    return np.asarray(weights / weights.sum(), np.float32)


def _places(corners: Points, size_px: int, across: float = 0.5, down: float = 0.5) -> Points:
    """Return one point in each pixel, shape (size, size, 2)."""
    u, v = (corners[1] - corners[0]) / size_px, (corners[3] - corners[0]) / size_px
    along = np.arange(size_px)[:, None]
    places = corners[0] + (along + across) * u + ((along + down) * v)[:, None]
    return np.asarray(places, np.float64)


def _interpolated(grey: Plane, places: Points) -> Points:
    """Interpolate bilinearly between pixel centres."""
    padded = np.pad(grey, 1)
    # Half a pixel to the pixel's centre, one pixel of padding.
    last = np.array(padded.shape)[::-1] - 1
    at = np.clip(places + 0.5, 0, last)
    first = np.minimum(at.astype(np.int64), last - 1)
    column, row = np.moveaxis(first, -1, 0)
    right, below = np.moveaxis(at - first, -1, 0)
    upper = padded[row, column] * (1 - right) + padded[row, column + 1] * right
    lower = padded[row + 1, column] * (1 - right) + padded[row + 1, column + 1] * right
    return np.asarray(upper * (1 - below) + lower * below, np.float64)


def _window(rgb: NDArray[np.uint8], corners: Points) -> tuple[Points, NDArray[np.uint8]]:
    height, width = rgb.shape[:2]
    low = np.clip(np.floor(corners.min(axis=0)) - 2, 0, (width - 1, height - 1))
    high = np.clip(np.ceil(corners.max(axis=0)) + 2, low + 1, (width, height))
    (left, top), (right, bottom) = low.astype(int), high.astype(int)
    return low, rgb[top:bottom, left:right]


def assess(roi: PalmRoi) -> Quality:
    """Measure a region's quality: the worst gate's score, 1 to 100; 0 if a gate is closed."""
    blurred = (cv2.GaussianBlur(roi.pixels, (0, 0), s) for s in tuned.FOCUS_SIGMAS_PX)
    planes = pairwise((roi.pixels, *blurred))
    finest, fine, coarse = (float(np.mean(np.abs(a - b))) for a, b in planes)
    low, high = tuned.CODE_BLIND_LEVELS
    clipped = (roi.pixels <= low + 0.5) | (roi.pixels >= high - 0.5)
    return score_quality(Quality(
        score=0, reason=None, focus=fine / (coarse + tuned.FOCUS_FLOOR),
        exposure=float(roi.pixels.mean()), clipped_share=float(clipped.mean()),
        residual=roi.residual, inside_share=roi.inside_share, scale_px=roi.scale_px,
        noise=finest / (fine + tuned.FOCUS_FLOOR), texture=fine,
    ))  # fmt: skip


def encode_lines(lines: Lines) -> NDArray[np.uint8]:
    """Return the packed competitive code, shape (512,), uint8."""
    step = lines.seen.shape[-1] // tuned.CODE_CELLS
    return _packed(lines, slice(step // 2, None, step))


def encode_densely(lines: Lines) -> NDArray[np.uint8]:
    """Return the packed dense code, shape (2048,), uint8: it holds the cells of the code."""
    return _packed(lines, slice(0, None, lines.seen.shape[-1] // tuned.DENSE_CELLS))


def _packed(lines: Lines, along: slice) -> NDArray[np.uint8]:
    cells = (..., along, along)
    return pack_code(lines.responses[cells].argmin(axis=0), lines.seen[cells])
