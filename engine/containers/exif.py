"""EXIF orientation (2.32 §4.6.4.A, tag 0x0112; TIFF 6.0 §2). Unreadable means upright."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

import numpy as np
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
    for tag, kind, value in entries_of(exif.removeprefix(EXIF_PREFIX)):
        if tag == ORIENTATION_TAG:
            return value if kind == SHORT and UPRIGHT <= value <= 8 else UPRIGHT
    return UPRIGHT


def entries_of(tiff: bytes) -> Iterator[tuple[int, int, int]]:
    """Yield tag, type and first number of a TIFF structure's first directory."""
    orders: dict[bytes, Literal["little", "big"]] = {b"II*\x00": "little", b"MM\x00*": "big"}
    order = orders.get(tiff[:4], "little")
    start = int.from_bytes(tiff[4:8], order)
    count = int.from_bytes(tiff[start : start + 2], order) if tiff[:4] in orders else 0
    entries = tiff[start + 2 : start + 2 + count * ENTRY_BYTES]
    for i in range(0, len(entries) - ENTRY_BYTES + 1, ENTRY_BYTES):
        tag, kind = (int.from_bytes(entries[at : at + 2], order) for at in (i, i + 2))
        value = entries[i + 8 : i + 10] if kind == SHORT else entries[i + 8 : i + ENTRY_BYTES]
        yield tag, kind, int.from_bytes(value, order)
