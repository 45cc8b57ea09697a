"""Decodes pictures into a ``PalmSample``; the only module that calls an image codec.

``engine.containers`` checks the size before any pixel is decoded (a PNG of 48 KB can unfold to
20000 × 20000) and strips metadata. Grey becomes three channels, 16 bits 8; transparency is
dropped. ``decode_sample`` refuses CMYK, animated WebP, HEIC and all other formats;
``read_picture``, for the caller's own files, takes a few more.
"""

from __future__ import annotations

from io import TextIOBase
from os import PathLike
from pathlib import Path
from typing import BinaryIO, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.containers import jpeg, plain, png, webp
from engine.containers.exif import upright
from engine.containers.still import Container, StillPicture
from engine.errors import SampleTooLarge, SampleUnreadable
from engine.types import PalmSample

Pixels = NDArray[np.uint8]
Picture = bytes | bytearray | memoryview | str | PathLike[str] | BinaryIO | Pixels

MAX_BYTES: Final = 12_000_000
"""Largest file. A 50-megapixel phone picture has 6 to 12 MB."""

MAX_PIXELS: Final = {
    Container.JPEG: 50_000_000,
    Container.PNG: 16_000_000,
    Container.WEBP: 16_000_000,
    Container.BMP: 16_000_000,
    Container.TIFF: 16_000_000,
    Container.NETPBM: 16_000_000,
}
"""Only JPEG can be decoded at reduced size, so only JPEG may be larger."""

MAX_PLAIN_BYTES: Final = 50_000_000
"""Largest file of ``read_picture``: 16 million pixels that are not compressed."""

FULL_SIDE_PX: Final = 1600
"""Reduced decoding keeps the long side at least this long, unless told otherwise."""

MAX_SIDE_PX: Final = 2048
"""Long side of the largest sample."""

REDUCTIONS: Final = (
    (8, cv2.IMREAD_REDUCED_COLOR_8),
    (4, cv2.IMREAD_REDUCED_COLOR_4),
    (2, cv2.IMREAD_REDUCED_COLOR_2),
)


def decode_sample(data: bytes, *, side_px: int = FULL_SIDE_PX) -> PalmSample:
    """Decode an untrusted JPEG, PNG or WebP file, upright.

    Args:
        data: the file.
        side_px: a JPEG is reduced while its long side stays at least this long.

    Raises:
        SampleTooLarge: too many bytes or pixels; checked before decoding.
        SampleUnreadable: another format, or damaged.
    """
    if len(data) > MAX_BYTES:
        raise SampleTooLarge(f"the file is larger than {MAX_BYTES // 1_000_000} MB")
    picture = read_container(data)
    _require_size(picture.width, picture.height, picture.container)
    pixels = _shrunk(_decoded(picture, side_px))
    if picture.exif:
        pixels = upright(pixels, picture.exif)
    return PalmSample(pixels=np.ascontiguousarray(pixels))


def read_picture(source: Picture) -> bytes | PalmSample:
    """Take a caller's own picture: a file's bytes, path or open file, or pixels.

    Pixels have shape (height, width, 3), uint8, RGB, upright. Other than ``decode_sample``, it
    decodes BMP, TIFF, PGM and PPM: never for strangers.

    Returns:
        A file for ``decode_sample``, or a sample.

    Raises:
        TypeError: none of these.
        OSError: the file cannot be read.
        SampleRefused: too large, or damaged.
    """
    if isinstance(source, np.ndarray):
        return _sample_of(source)
    data = _octets_of(source)
    if not data.startswith(plain.SIGNATURES):
        return data
    if len(data) > MAX_PLAIN_BYTES:
        raise SampleTooLarge(f"the file is larger than {MAX_PLAIN_BYTES // 1_000_000} MB")
    picture = plain.read_plain(data)
    _require_size(picture.width, picture.height, picture.container)
    return PalmSample(np.ascontiguousarray(_shrunk(_decoded(picture, FULL_SIDE_PX))))


def _octets_of(source: object) -> bytes:
    if isinstance(source, bytes | bytearray | memoryview):
        return bytes(source)
    if isinstance(source, str | PathLike):
        with Path(source).open("rb") as file:
            return file.read(MAX_PLAIN_BYTES + 1)
    read = None if isinstance(source, TextIOBase) else getattr(source, "read", None)
    data = read(MAX_PLAIN_BYTES + 1) if read else None
    if not isinstance(data, bytes):
        raise TypeError(
            "a picture is bytes, a path, a file opened as binary, or an array of pixels, not"
            f" {type(source).__name__}"
        )
    return data


def _sample_of(pixels: NDArray[np.generic]) -> PalmSample:
    if pixels.dtype != np.uint8 or pixels.ndim != 3 or pixels.shape[2] != 3 or not pixels.size:
        raise TypeError(
            "an array of pixels is uint8 of shape (height, width, 3), in the order RGB, not"
            f" {pixels.dtype} of shape {pixels.shape}"
        )
    _require_size(pixels.shape[1], pixels.shape[0], Container.JPEG)
    return PalmSample(np.ascontiguousarray(_shrunk(np.asarray(pixels, np.uint8))))


def _require_size(width: int, height: int, container: Container) -> None:
    limit = MAX_PIXELS[container]
    if width * height > limit:
        raise SampleTooLarge(
            f"the picture has {width} × {height} pixels; "
            f"{container} may have {limit // 1_000_000} million"
        )


def read_container(data: bytes) -> StillPicture:
    """Parse the file without decoding it. Raises ``SampleUnreadable``."""
    if data.startswith(jpeg.SIGNATURE):
        return jpeg.read_jpeg(data)
    if data.startswith(png.SIGNATURE):
        return png.read_png(data)
    if data.startswith(webp.RIFF) and data[8:12] == webp.WEBP:
        return webp.read_webp(data)
    raise SampleUnreadable("the file is not a JPEG, PNG or WebP picture")


def _decoded(picture: StillPicture, side_px: int) -> Pixels:
    """Decode with OpenCV. Shape (height, width, 3), uint8, RGB."""
    # The reduced flags contain IMREAD_COLOR (BGR), which excludes IMREAD_COLOR_RGB.
    reduction = _reduction(picture, side_px) & ~cv2.IMREAD_COLOR
    flags = reduction | cv2.IMREAD_COLOR_RGB | cv2.IMREAD_IGNORE_ORIENTATION
    try:
        pixels = cv2.imdecode(np.frombuffer(picture.payload, np.uint8), flags)
    except cv2.error as error:
        raise SampleUnreadable(f"the {picture.container} cannot be decoded") from error
    if pixels is None:
        raise SampleUnreadable(f"the {picture.container} is damaged or ends early")
    return np.asarray(pixels, np.uint8)


def _reduction(picture: StillPicture, side_px: int) -> int:
    """Return OpenCV's flag for the strongest reduction that keeps ``side_px``."""
    if picture.container is not Container.JPEG:
        return int(cv2.IMREAD_COLOR)
    for divisor, flag in REDUCTIONS:
        if max(picture.width, picture.height) >= divisor * side_px:
            return int(flag)
    return int(cv2.IMREAD_COLOR)


def _shrunk(pixels: Pixels) -> Pixels:
    height, width = pixels.shape[:2]
    scale = MAX_SIDE_PX / max(height, width)
    if scale >= 1:
        return pixels
    size = max(1, round(width * scale)), max(1, round(height * scale))
    return np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), np.uint8)
