"""Finds the traces of screens and prints in one picture: pixel grids, moiré, halftone dots.

A periodic pattern is a peak in the spectrum of the palm, which skin has not. Everything is
measured at the sample's own resolution: shrinking removes what is looked for.
"""

from collections.abc import Iterator
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.errors import PresentationAttack
from engine.presentation_attack import parameters as tuned
from engine.presentation_attack.motions import PALM
from engine.types import PalmLandmarks, PalmSample

Plane = NDArray[np.float32]

TRACES: Final = ("luma_peak", "red_peak", "blue_peak")
"""Names of the measures, in their order."""


def require_no_traces(sample: PalmSample, landmarks: PalmLandmarks) -> None:
    """Raise ``PresentationAttack`` if the palm has the pattern of a screen or a halftone print.

    A fine screen, an inkjet print or a distant artefact has none that a camera sees.
    """
    measures = trace_measures(sample.pixels, landmarks.points)
    limits = np.array([tuned.TRACE_LIMITS[name] for name in TRACES])
    if np.any(measures > limits):
        raise PresentationAttack("the picture has the pattern of a screen or a print")


def trace_measures(
    pixels: NDArray[np.uint8], points: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return the measures ``TRACES`` of a palm, shape (3,), float32; NaN if it is too small.

    Each is the largest power of a frequency over the median of frequencies of that length.
    """
    palm = points[list(PALM)]
    height, width = pixels.shape[:2]
    left, top = np.clip(np.floor(palm.min(axis=0)), 0, (width, height)).astype(int)
    right, bottom = np.clip(np.ceil(palm.max(axis=0)), 0, (width, height)).astype(int)
    rgb = pixels[top:bottom, left:right].astype(np.float32)
    if len(list(_windows(rgb[..., 1]))) < tuned.TRACE_MIN_WINDOWS:
        return np.full(len(TRACES), np.nan, np.float32)
    green = rgb[..., 1]
    planes = green, rgb[..., 0] - green, rgb[..., 2] - green
    return np.array([_largest_peak(plane) for plane in planes], np.float32)


def _largest_peak(plane: Plane) -> float:
    detail = plane - cv2.GaussianBlur(plane, (0, 0), tuned.TRACE_DETAIL_SIGMA_PX)
    windows = np.stack(list(_windows(np.asarray(detail, np.float32))))
    spectra = np.fft.rfft2(windows * _TAPER)
    # The mean of the logarithm: a crease is in one window, a screen's grid in all.
    power = np.exp(np.log(np.abs(spectra) ** 2 + 1.0).mean(axis=0))
    return max(float(power[band].max() / np.median(power[band])) for band in _BANDS)


def _windows(detail: Plane) -> Iterator[Plane]:
    height, width = detail.shape
    step = tuned.TRACE_WINDOW_PX // 2
    for top in range(0, height - tuned.TRACE_WINDOW_PX + 1, step):
        for left in range(0, width - tuned.TRACE_WINDOW_PX + 1, step):
            yield detail[top : top + tuned.TRACE_WINDOW_PX, left : left + tuned.TRACE_WINDOW_PX]


def _bands() -> list[NDArray[np.bool_]]:
    """Return the frequencies of each length, without those along rows and columns.

    There a JPEG's blocks have theirs, also after the picture was scaled.
    """
    across = np.fft.rfftfreq(tuned.TRACE_WINDOW_PX)[None]
    down = np.fft.fftfreq(tuned.TRACE_WINDOW_PX)[:, None]
    length = np.hypot(across, down)
    oblique = (np.abs(across) >= tuned.TRACE_AXIS) & (np.abs(down) >= tuned.TRACE_AXIS)
    low, high, step = tuned.TRACE_BANDS
    return [
        np.asarray((length >= start) & (length < start + step) & oblique)
        for start in np.arange(low, high, step)
    ]


_BANDS: Final = _bands()
_HANN: Final = np.hanning(tuned.TRACE_WINDOW_PX)
_TAPER: Final = np.outer(_HANN, _HANN).astype(np.float32)
