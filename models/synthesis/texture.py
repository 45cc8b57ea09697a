"""Fine skin of one identity: networks of tiny creases and mottling, as images.

Zero sets of elongated, warped noise in several directions, and band-pass noise.
"""

import numpy as np

from models.synthesis.anatomy import F32
from models.synthesis.filters import blur, resize, sample_at


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
