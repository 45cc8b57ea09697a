"""EXIF orientation (2.32 §4.6.4.A, tag 0x0112; TIFF 6.0 §2). Unreadable means upright."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

UPRIGHT: Final = 1

EXIF_PREFIX: Final = b"Exif\x00\x00"
"""JPEG writes this before the TIFF structure; WebP sometimes."""

ORIENTATION_TAG: Final = 0x0112
SHORT: Final = 3
ENTRY_BYTES: Final = 12


def upright(pixels: NDArray[np.uint8], exif: bytes) -> NDArray[np.uint8]:
    """Turn a picture, shape (height, width, 3), as its EXIF block says."""
    orientation = orientation_of(exif)
    transposed = np.swapaxes(pixels, 0, 1) if orientation >= 5 else pixels
    rows = -1 if orientation in (3, 4, 7, 8) else 1
    columns = -1 if orientation in (2, 3, 6, 7) else 1
    return transposed[::rows, ::columns]


def orientation_of(exif: bytes) -> int:
    r"""Return the orientation, 1 to 8, of a TIFF structure with or without ``Exif\0\0``."""
    tiff = exif.removeprefix(EXIF_PREFIX)
    orders: dict[bytes, Literal["little", "big"]] = {b"II*\x00": "little", b"MM\x00*": "big"}
    order = orders.get(tiff[:4])
    if order is None:
        return UPRIGHT
    start = int.from_bytes(tiff[4:8], order)
    count = int.from_bytes(tiff[start : start + 2], order)
    entries = tiff[start + 2 : start + 2 + count * ENTRY_BYTES]
    for i in range(0, len(entries) - ENTRY_BYTES + 1, ENTRY_BYTES):
        if int.from_bytes(entries[i : i + 2], order) == ORIENTATION_TAG:
            return _valid(entries[i : i + ENTRY_BYTES], order)
    return UPRIGHT


def _valid(entry: bytes, order: Literal["little", "big"]) -> int:
    value = int.from_bytes(entry[8:10], order)
    is_short = int.from_bytes(entry[2:4], order) == SHORT
    return value if is_short and UPRIGHT <= value <= 8 else UPRIGHT
