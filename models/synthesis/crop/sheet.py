"""Drawn regions beside real ones on one page, for inspection by eye.

Each region is shown above its version with normalised contrast. Real pictures are the user's;
only the page is stored.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from engine.features.competitive_code import normalise
from engine.parameters import ROI_SIZE_PX
from models.errors import NoPictures
from models.synthesis.crop.numbered import draw_palm
from models.synthesis.crop.sample import CropSampler
from models.synthesis.crop.style import STYLE_GROUP
from models.synthesis.crop.variation import Variation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    U8 = NDArray[np.uint8]

SHEET_COLUMNS: Final = 8
"""Regions in a row; two samples of each drawn palm."""

_SUFFIXES: Final = frozenset({".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff"})
_GAP_PX: Final = 4
_GREYS: Final = 40


def region_sheet(folder: Path, *, seed: int, rows: int = 3) -> U8:
    """Return a page, grey: real regions above, a white line, drawn ones below.

    ``folder`` holds pictures of square regions, fingers up. Raises ``NoPictures`` if none is
    readable.
    """
    real = _rows(_real_regions(folder, seed, rows * SHEET_COLUMNS))
    drawn = _rows(_drawn_regions(seed, rows * SHEET_COLUMNS))
    line = np.full((_GAP_PX, real.shape[1]), 255, np.uint8)
    return np.vstack([real, line, drawn])


def _real_regions(folder: Path, seed: int, count: int) -> list[U8]:
    paths = sorted(p for p in folder.rglob("*") if p.suffix.lower() in _SUFFIXES)
    chosen = np.random.default_rng(seed).permutation(len(paths))[:count]
    read = (cv2.imread(str(paths[i]), cv2.IMREAD_GRAYSCALE) for i in np.sort(chosen).tolist())
    size = (ROI_SIZE_PX, ROI_SIZE_PX)
    found = [
        np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)
        for picture in read
        if picture is not None
    ]
    if not found:
        msg = f"no pictures in {folder.name}"
        raise NoPictures(msg)
    return found + [np.zeros(size, np.uint8)] * (count - len(found))


def _drawn_regions(seed: int, count: int) -> list[U8]:
    sampler = CropSampler(Variation(), size_px=ROI_SIZE_PX)
    regions = []
    for palm in range(count // 2):
        layers, chance = (
            draw_palm(seed, palm * STYLE_GROUP),
            np.random.default_rng((seed, 9, palm)),
        )
        regions += [sampler.sample(layers, chance) for _ in range(2)]
    return regions


def _rows(regions: list[U8]) -> U8:
    bands = []
    for first in range(0, len(regions), SHEET_COLUMNS):
        some = regions[first : first + SHEET_COLUMNS]
        bands += [np.hstack(some), np.hstack([_even(region) for region in some])]
    return np.vstack(bands)


def _even(region: U8) -> U8:
    even = normalise(region.astype(np.float32), np.zeros(region.shape, np.bool_))
    return np.clip(128 + _GREYS * even, 0, 255).astype(np.uint8)
