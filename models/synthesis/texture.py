"""Fine skin of one identity: networks of tiny creases and mottling, as images.

Zero sets of elongated, warped noise in several directions, and band-pass noise.

The OpenCV filters have exact types: every image is float32.
"""

import cv2
import numpy as np

from models.synthesis.anatomy import F32, F64


def blur(image: F32, sigma_px: float, sigma_y_px: float | None = None) -> F32:
    """Smooth with a Gaussian; one sigma for both directions unless two are given."""
    smoothed = cv2.GaussianBlur(image, (0, 0), sigma_px, sigmaY=sigma_y_px or sigma_px)
    return np.asarray(smoothed, dtype=np.float32)


def resize(image: F32, width: int, height: int, *, smooth: bool = False) -> F32:
    """Resize linearly, or by cubic splines if ``smooth``."""
    way = cv2.INTER_CUBIC if smooth else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(image, (width, height), interpolation=way), dtype=np.float32)


def sample_at(image: F32, x: F32, y: F32, *, smooth: bool = False) -> F32:
    """Read an image at places (pixels); mirrored beyond its edge."""
    way = cv2.INTER_CUBIC if smooth else cv2.INTER_LINEAR
    found = cv2.remap(image, x, y, way, borderMode=cv2.BORDER_REFLECT)
    return np.asarray(found, dtype=np.float32)


def shift(image: F32, x_px: float, y_px: float) -> F32:
    """Move an image; its edges are continued."""
    matrix = np.array([[1, 0, x_px], [0, 1, y_px]], dtype=np.float32)
    size = (image.shape[1], image.shape[0])
    moved = cv2.warpAffine(image, matrix, size, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(moved, dtype=np.float32)


def slopes(image: F32) -> F32:
    """Return the slopes to the right and down, per pixel, shape (height, width, 2)."""
    both = [cv2.Sobel(image, cv2.CV_32F, *d, ksize=3, scale=0.125) for d in ((1, 0), (0, 1))]
    return np.stack(both, axis=-1).astype(np.float32)


def streak(size: int, reach: F64) -> F32:
    """Return a line through the middle of a kernel, which reaches so far to either side."""
    kernel = np.zeros((size, size), np.float32)
    ends = [np.round((size // 2 + s * reach) * 16).astype(int).tolist() for s in (-1, 1)]
    cv2.line(kernel, ends[0], ends[1], 1.0, 1, cv2.LINE_AA, 4)
    line: F32 = kernel / kernel.sum()
    return line


def smooth_noise(rng: np.random.Generator, shape: tuple[int, int], sigma_px: float) -> F32:
    """Return Gaussian noise of unit deviation, smoothed isotropically; computed coarsely."""
    step = max(1.0, sigma_px / 2.5)
    coarse = (int(shape[0] / step) + 8, int(shape[1] / step) + 8)
    noise = rng.standard_normal(coarse, dtype=np.float32)
    noise = blur(noise, sigma_px / step)[3:-3, 3:-3]
    noise /= noise.std() + np.float32(1e-9)
    if step == 1.0:
        return np.ascontiguousarray(noise[: shape[0], : shape[1]])
    return resize(noise, shape[1], shape[0], smooth=True)


def band_noise(rng: np.random.Generator, shape: tuple[int, int], sigma_px: float) -> F32:
    """Return band-pass noise of unit deviation (difference of Gaussians, ratio 2.2)."""
    noise = rng.standard_normal(shape, dtype=np.float32)
    band = blur(noise, sigma_px)
    band -= blur(noise, 2.2 * sigma_px)
    banded: F32 = band / band.std()
    return banded


def elongated_noise(
    rng: np.random.Generator, shape: tuple[int, int], spacing_px: float, heading_rad: float
) -> F32:
    """Return warped noise, unit deviation, five times as long as wide."""
    diagonal = int(np.hypot(*shape)) + 4
    rows, columns = int(diagonal * 2.5 / spacing_px) + 8, int(diagonal * 0.5 / spacing_px) + 8
    noise = blur(rng.standard_normal((rows, columns), dtype=np.float32), 1.0)
    noise /= noise.std()
    y, x = np.mgrid[: shape[0], : shape[1]].astype(np.float32)
    x -= np.float32(shape[1] / 2)
    y -= np.float32(shape[0] / 2)
    warp = smooth_noise(rng, shape, 45) * np.float32(14)
    c, s = np.float32(np.cos(heading_rad)), np.float32(np.sin(heading_rad))
    along = (c * x + s * y) * np.float32(0.5 / spacing_px) + np.float32(columns / 2)
    across = (-s * x + c * y + warp) * np.float32(2.5 / spacing_px) + np.float32(rows / 2)
    return sample_at(noise, along, across, smooth=True)


def crease_network(
    rng: np.random.Generator, shape: tuple[int, int], spacing_px: float, heading_rad: float
) -> F32:
    """Return fine creases of one direction, 0 to 1: the zero set of elongated noise."""
    noise = elongated_noise(rng, shape, spacing_px, heading_rad)
    network: F32 = np.exp(-np.square(noise / np.float32(0.30)))
    return network
