"""What all containers answer with. Refuses nothing."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class Container(StrEnum):
    """The file formats that are accepted."""

    JPEG = "JPEG"
    PNG = "PNG"
    WEBP = "WebP"


@dataclass(frozen=True, slots=True)
class StillPicture:
    """One picture, still compressed.

    Attributes:
        container: which format.
        width: pixels, as stored, at least 1.
        height: pixels, as stored, at least 1.
        orientation: 1 to 8, as in EXIF (tag 0x0112): how to turn the stored picture upright.
        payload: a file of this format that holds the picture and nothing else.
    """

    container: Container
    width: int
    height: int
    orientation: int
    payload: bytes = field(repr=False)

    @property
    def pixel_count(self) -> int:
        """Pixels of the picture at full size."""
        return self.width * self.height
