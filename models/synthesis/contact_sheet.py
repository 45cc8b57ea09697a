"""Lays photos out on one page for inspection."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np

from models.synthesis.anatomy import U8

THUMBNAIL_PX: Final = (180, 240)
"""Width and height of one photo on the page."""

GAP_PX: Final = 6


def thumbnail(pixels: U8) -> U8:
    """Shrink a photo, shape (height, width, 3), for the page."""
    return cv2.resize(pixels, THUMBNAIL_PX, interpolation=cv2.INTER_AREA).astype(np.uint8)


def contact_sheet(thumbnails: Sequence[U8], *, columns: int) -> U8:
    """Lay thumbnails, each (240, 180, 3), uint8, out in rows on light grey."""
    width, height = THUMBNAIL_PX
    rows = -(-len(thumbnails) // columns)
    page = np.full(
        (rows * (height + GAP_PX) + GAP_PX, columns * (width + GAP_PX) + GAP_PX, 3),
        236,
        np.uint8,
    )
    for number, image in enumerate(thumbnails):
        top = GAP_PX + number // columns * (height + GAP_PX)
        left = GAP_PX + number % columns * (width + GAP_PX)
        page[top : top + height, left : left + width] = image
    return page
