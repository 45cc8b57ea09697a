"""Decodes pictures into a ``PalmSample``; the only module that calls an image codec.

``engine.containers`` checks the size before any pixel is decoded (a PNG of 48 KB can unfold to
20000 × 20000) and strips metadata. Grey becomes three channels, 16 bits 8; transparency is
dropped. ``decode_sample`` refuses CMYK, animated WebP, HEIC and all other formats;
``read_picture``, for the caller's own files, takes a few more.
"""

from importlib.util import find_spec
from io import BytesIO, TextIOBase
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO, Final, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from engine import containers
from engine.containers import Container, StillPicture, upright
from engine.errors import SampleTooLarge, SampleUnreadable
from engine.types import PalmSample

Pixels = NDArray[np.uint8]


class ArrayOfPixels(Protocol):
    """A NumPy array, a Pillow picture, or another object that NumPy reads as an array."""

    @property
    def __array_interface__(self) -> dict[str, Any]: ...


Picture = bytes | bytearray | memoryview | str | PathLike[str] | BinaryIO | ArrayOfPixels

MAX_BYTES: Final = 12_000_000
"""Largest file. A 50-megapixel phone picture has 6 to 12 MB."""

MAX_PIXELS: Final = {
    Container.JPEG: 50_000_000,
    Container.PNG: 16_000_000,
    Container.WEBP: 16_000_000,
    Container.BMP: 16_000_000,
    Container.TIFF: 16_000_000,
    Container.NETPBM: 16_000_000,
    Container.HEIF: 50_000_000,
}
"""JPEG can be decoded at reduced size. HEIF is read from the caller's own files only."""

MAX_PLAIN_BYTES: Final = 50_000_000
"""Largest file of ``read_picture``: 16 million pixels that are not compressed."""

FULL_SIDE_PX: Final = 1600
"""Reduced decoding keeps the long side at least this long by default."""

MAX_SIDE_PX: Final = 2048
"""Long side of the largest sample."""

_MISSING_LEVEL: Final = 128
_MORE_SCAN: Final = bytes(range(1, 255)) * 4
"""Scan data of no picture, without a marker."""

REDUCTIONS: Final = (
    (8, cv2.IMREAD_REDUCED_COLOR_8),
    (4, cv2.IMREAD_REDUCED_COLOR_4),
    (2, cv2.IMREAD_REDUCED_COLOR_2),
)


def decode_sample(data: bytes, *, side_px: int = FULL_SIDE_PX) -> PalmSample:
    """Decode an untrusted JPEG, PNG or WebP file, upright.

    What is left of a progressive JPEG that was cut is a coarser picture, and taken.

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
    decodes BMP, TIFF, PGM and PPM, and HEIC where pillow-heif is installed: never files of an
    unauthenticated caller.

    Returns:
        A file for ``decode_sample``, or a sample.

    Raises:
        TypeError: none of these.
        OSError: the file cannot be read.
        SampleRefused: too large, or damaged.
    """
    if getattr(source, "mode", "RGB") in ("YCbCr", "HSV", "LAB"):
        raise TypeError("a picture is RGB, of Pillow too: picture.convert('RGB')")
    if hasattr(source, "__array_interface__"):
        return _sample_of(np.asarray(source))
    data = _octets_of(source)
    if _is_heic(data) and find_spec("pillow_heif"):
        return _sample_of(_read_heif(data))
    if not data.startswith(containers.SIGNATURES):
        return data
    if len(data) > MAX_PLAIN_BYTES:
        raise SampleTooLarge(f"the file is larger than {MAX_PLAIN_BYTES // 1_000_000} MB")
    picture = containers.read_plain(data)
    _require_size(picture.width, picture.height, picture.container)
    return PalmSample(np.ascontiguousarray(_shrunk(_decoded(picture, FULL_SIDE_PX))))


def _is_heic(data: bytes) -> bool:
    """Return whether a file has a brand of ISO 23008-12."""
    return data[4:8] == b"ftyp" and data[8:11] in (b"hei", b"hev", b"mif", b"msf")


def _read_heif(data: bytes) -> NDArray[np.generic]:
    """Decode HEIC with the optional package pillow-heif; it is upright afterwards."""
    from pillow_heif import open_heif  # noqa: PLC0415 - optional

    try:
        picture = open_heif(BytesIO(data), convert_hdr_to_8bit=True)
        width, height = picture.size
        _require_size(width, height, Container.HEIF)
        return np.asarray(picture.to_pillow().convert("RGB"))
    except (ValueError, OSError, RuntimeError, SyntaxError, EOFError) as fault:
        raise SampleUnreadable("the HEIC is damaged or ends early") from fault


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
            f" {pixels.dtype} of shape {pixels.shape} (Pillow: picture.convert('RGB'))"
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
    if data.startswith(containers.JPEG_SIGNATURE):
        return containers.read_jpeg(data)
    if data.startswith(containers.PNG_SIGNATURE):
        return containers.read_png(data)
    if data.startswith(containers.RIFF) and data[8:12] == containers.WEBP:
        return containers.read_webp(data)
    raise SampleUnreadable(_unread(data))


def _unread(data: bytes) -> str:
    """Return why a file is not read, and what helps."""
    if not data:
        return "the file is empty, or the stream was already read to its end"
    if _is_heic(data) or data[4:11] == b"ftypavi":
        name = "HEIC" if _is_heic(data) else "AVIF"
        return f"{name} is not read: save it as JPEG (iPhone: Formats, Most Compatible)"
    return "the file is not a JPEG, PNG or WebP picture"


def _decoded(picture: StillPicture, side_px: int) -> Pixels:
    """Decode with OpenCV. Shape (height, width, 3), uint8, RGB."""
    # The reduced flags contain IMREAD_COLOR (BGR), which excludes IMREAD_COLOR_RGB.
    reduction = _reduction(picture, side_px) & ~cv2.IMREAD_COLOR
    flags = reduction | cv2.IMREAD_COLOR_RGB | cv2.IMREAD_IGNORE_ORIENTATION
    pixels = _decoded_payload(picture.payload, flags, picture.container)
    if picture.container is Container.JPEG and (pixels[-1] == _MISSING_LEVEL).all():
        # The codec fills missing data with grey. What follows a whole scan is ignored.
        longer = picture.payload[:-2] + _MORE_SCAN + picture.payload[-2:]
        if (_decoded_payload(longer, flags, picture.container) != pixels).any():
            raise SampleUnreadable("the JPEG ends early")
    return pixels


def _decoded_payload(payload: bytes, flags: int, container: Container) -> Pixels:
    try:
        pixels = cv2.imdecode(np.frombuffer(payload, np.uint8), flags)
    except cv2.error as error:
        raise SampleUnreadable(f"the {container} cannot be decoded") from error
    if pixels is None:
        raise SampleUnreadable(f"the {container} is damaged or ends early")
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
