"""Lays pictures out on one page for inspection."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from models.synthesis.anatomy import U8

HEIGHT_PX: Final = 240
"""Of one picture on the page."""

GAP_PX: Final = 6

_GREY: Final = 236


def write_contact_sheet(path: Path, rows: Sequence[Sequence[Path]]) -> Path:
    """Write a page of pictures in rows, on light grey."""
    strips = [np.hstack([_thumbnail(picture) for picture in row]) for row in rows]
    width = max(strip.shape[1] for strip in strips)
    page = np.vstack([_padded(strip, 0, width - strip.shape[1]) for strip in strips])
    corner = ((GAP_PX, 0), (GAP_PX, 0), (0, 0))
    cv2.imwrite(str(path), np.pad(page, corner, constant_values=_GREY))
    return path


def _thumbnail(picture: Path) -> U8:
    pixels = np.asarray(cv2.imread(str(picture)), dtype=np.uint8)
    size = (HEIGHT_PX * pixels.shape[1] // pixels.shape[0], HEIGHT_PX)
    small = cv2.resize(pixels, size, interpolation=cv2.INTER_AREA)
    return _padded(np.asarray(small, np.uint8), GAP_PX, GAP_PX)


def _padded(pixels: U8, below: int, right: int) -> U8:
    return np.pad(pixels, ((0, below), (0, right), (0, 0)), constant_values=_GREY)
