"""OpenCV filters with exact types: every image is float32."""

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
