"""The result of every container parser."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class Container(StrEnum):
    """The accepted file formats."""

    JPEG = "JPEG"
    PNG = "PNG"
    WEBP = "WebP"
    BMP = "BMP"
    TIFF = "TIFF"
    NETPBM = "PGM"
    HEIF = "HEIC"


@dataclass(frozen=True, slots=True)
class StillPicture:
    """One picture, still compressed, at least 1 × 1 pixels.

    Attributes:
        exif: the file's EXIF block; empty without one.
        payload: a file of this format with the picture and nothing else.
    """

    container: Container
    width: int
    height: int
    exif: bytes = field(repr=False)
    payload: bytes = field(repr=False)
