"""The competitive code: the direction of the line in each cell. Kong and Zhang 2004.

Creases are dark lines. Of six Gabor responses only the strongest's direction is kept, so light
and contrast hardly matter. Cells without skin are masked. A fine code has shorter waves.

The oriented-energy descriptor is the strength of lines of each direction in coarse cells. The
palm network reads it beside the lines.
"""

from dataclasses import dataclass, field
from functools import cache
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from engine import parameters as tuned

Plane = NDArray[np.float32]
Scale = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Lines:
    """Line responses of each pixel.

    Attributes:
        responses: shape (6, size, size), float32; lower is stronger. Direction ``i`` is ``i`` ×
            30 degrees from the vertical, downwards to the left.
        seen: the mask, shape (size, size).
    """

    responses: Plane = field(repr=False)
    seen: NDArray[np.bool_] = field(repr=False)


def find_lines(pixels: Plane, scale: Scale = tuned.CODE_SCALES[0]) -> Lines:
    """Filter a region, shape (size, size), float32, grey levels, at one of ``CODE_SCALES``."""
    blind = blind_spots(pixels)
    # OpenCV's error in single precision could change the winning direction.
    normal = normalise(pixels, blind, scale[0]).astype(np.float64)
    responses = [
        cv2.filter2D(normal, cv2.CV_64F, kernel, borderType=cv2.BORDER_REFLECT_101)
        for kernel in gabor_kernels(*scale[1:])
    ]
    near = cv2.dilate(blind.astype(np.uint8), disc(2 * tuned.CODE_BLIND_REACH_PX + 1))
    return Lines(np.stack(responses).astype(np.float32), near == 0)


def normalise(
    pixels: Plane, blind: NDArray[np.bool_], sigma_px: float = tuned.CODE_SCALES[0][0]
) -> Plane:
    """Normalise local mean and contrast, ignoring blind spots.

    Returns:
        Shape as given, float32, mean about 0, deviation about 1; 0 in blind spots.
    """
    grey, skin = pixels.astype(np.float32), (~blind).astype(np.float32)
    share = _blur(skin, sigma_px) + np.float32(np.finfo(np.float32).eps)
    detail = (grey - _blur(grey * skin, sigma_px) / share) * skin
    contrast = np.sqrt(_blur(detail * detail, sigma_px) / share)
    return np.asarray(detail / (contrast + np.float32(tuned.CODE_NORM_FLOOR)), np.float32)


def _blur(plane: Plane, sigma_px: float) -> Plane:
    return np.asarray(cv2.GaussianBlur(plane, (0, 0), sigma_px), np.float32)


def blind_spots(pixels: Plane) -> NDArray[np.bool_]:
    """Return which pixels show no skin: clipped ones, but not a narrow line of them."""
    low, high = tuned.CODE_BLIND_LEVELS
    clipped = (pixels <= low + 0.5) | (pixels >= high - 0.5)
    spots = cv2.morphologyEx(
        clipped.astype(np.uint8),
        cv2.MORPH_OPEN,
        disc(tuned.CODE_BLIND_MIN_PX),
        borderType=cv2.BORDER_REPLICATE,
    )
    return np.asarray(spots > 0)


def disc(diameter_px: int) -> NDArray[np.uint8]:
    """Return a disc as a structuring element."""
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (diameter_px, diameter_px))
    return np.asarray(disc, np.uint8)


@cache
def gabor_kernels(wave_px: float, sigma_px: float) -> tuple[Plane, ...]:
    """Return the Gabor kernels of all directions, zero mean, shape (35, 35) each."""
    angles = np.arange(tuned.CODE_DIRECTIONS) * np.pi / tuned.CODE_DIRECTIONS
    return tuple(_kernel(float(angle), wave_px, sigma_px) for angle in angles)


def _kernel(angle_rad: float, wave_px: float, sigma_px: float) -> Plane:
    """Return an even Gabor kernel; its line is perpendicular to the angle."""
    half = tuned.CODE_KERNEL_PX // 2
    y, x = np.mgrid[-half : half + 1, -half : half + 1].astype(np.float64)
    across = x * np.cos(angle_rad) + y * np.sin(angle_rad)
    along = -x * np.sin(angle_rad) + y * np.cos(angle_rad)
    distance = across**2 + (tuned.CODE_GAMMA * along) ** 2
    envelope = np.exp(-distance / (2 * sigma_px**2))
    wave = envelope * np.cos(2 * np.pi * across / wave_px)
    return np.asarray(wave - envelope * (wave.sum() / envelope.sum()), np.float32)


ENERGY_DIMENSION: Final = tuned.CODE_DIRECTIONS * tuned.ENERGY_CELLS * tuned.ENERGY_CELLS
"""Length of the descriptor."""


def describe_lines(lines: Lines) -> Plane:
    """Return the descriptor of a region, mean-free in each direction.

    Each pixel adds its strength to its strongest direction, and less to others.

    Returns:
        Shape (384,), float32, L2 norm 1; constant for a region without lines.
    """
    strongest = lines.responses.min(axis=0)
    strength = np.maximum(-strongest, 0) ** np.float32(tuned.ENERGY_POWER) * lines.seen
    behind = (lines.responses - strongest) / np.float32(tuned.ENERGY_TIE)
    energy = np.maximum(1 - behind, 0) * strength
    window = cell_windows(energy.shape[-1])
    gathered = np.sqrt(window @ energy @ window.T)
    contrast = (gathered - gathered.mean(axis=(1, 2), keepdims=True)).reshape(-1)
    length = float(np.linalg.norm(contrast.astype(np.float64)))
    if length < np.finfo(np.float32).eps:
        return np.full(ENERGY_DIMENSION, ENERGY_DIMENSION**-0.5, np.float32)
    return np.asarray(contrast / np.float32(length), np.float32)


@cache
def cell_windows(size_px: int) -> Plane:
    """Return each pixel's weight in each cell, shape (cells, size)."""
    centres = (np.arange(tuned.ENERGY_CELLS) + 0.5) * (size_px / tuned.ENERGY_CELLS) - 0.5
    offsets = np.arange(size_px)[None] - centres[:, None]
    weights = np.exp(-(offsets**2) / (2 * tuned.ENERGY_SIGMA_PX**2))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True), np.float32)
