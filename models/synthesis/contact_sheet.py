"""Lays photos out on one page for inspection."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import cv2
import numpy as np

from models.synthesis.anatomy import U8
from models.synthesis.photo_folder import Plan

CONTACT_SHEET: Final = "contact-sheet.png"

THUMBNAIL_PX: Final = (180, 240)
"""Width and height of one photo on the page."""

GAP_PX: Final = 6

_HANDS: Final = 24
_PHOTOS: Final = 6
"""Most hands on a page, and photos of each."""


def write_contact_sheet(plan: Plan, folder: Path) -> Path:
    """Write a page of the first hands, two to a row, up to six photos of each."""
    shown = [plan.photos_of(*palm)[:_PHOTOS] for palm in plan.palms[:_HANDS]]
    thumbnails = [_thumbnail(photo.path(folder)) for photos in shown for photo in photos]
    path = folder / CONTACT_SHEET
    cv2.imwrite(str(path), contact_sheet(thumbnails, columns=2 * len(shown[0])))
    return path


def _thumbnail(photo: Path) -> U8:
    pixels = np.asarray(cv2.imread(str(photo)), dtype=np.uint8)
    return cv2.resize(pixels, THUMBNAIL_PX, interpolation=cv2.INTER_AREA).astype(np.uint8)


def contact_sheet(thumbnails: list[U8], *, columns: int) -> U8:
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
