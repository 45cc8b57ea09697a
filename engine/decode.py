"""Bytes from a stranger become a ``PalmSample``: the only place that meets an image codec.

The file's outside is read first (``engine/containers``), so that size is judged before a pixel
exists: a PNG of 48 KB that unfolds to 20000 × 20000 pixels costs nothing. Only the bare picture
is then handed to OpenCV, whose own limit (``OPENCV_IO_MAX_IMAGE_PIXELS``, 2^30 pixels) lies far
above ours and is never reached.

Grey becomes three equal channels, 16 bits become 8, transparency is dropped, EXIF orientation
is applied. CMYK, animated WebP, HEIC and everything else are refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from engine.containers import jpeg, png, webp
from engine.containers.still import Container, StillPicture
from engine.errors import SampleTooLarge, SampleUnreadable
from engine.types import PalmSample

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Pixels = NDArray[np.uint8]

MAX_BYTES: Final = 12_000_000
"""Largest file. A 50-megapixel phone picture has 6 to 12 MB."""

MAX_PIXELS: Final = {
    Container.JPEG: 50_000_000,
    Container.PNG: 16_000_000,
    Container.WEBP: 16_000_000,
}
"""Largest picture. Only JPEG can be decoded reduced, so only JPEG may be larger."""

FULL_SIDE_PX: Final = 1600
"""Reduced decoding never makes the long side shorter than this."""

MAX_SIDE_PX: Final = 2048
"""Long side of the largest sample. The hand models look at 192 and 224 px and the region of
interest has 128, which a palm that is a sixteenth as wide as the picture still fills."""

REDUCTIONS: Final = (
    (8, cv2.IMREAD_REDUCED_COLOR_8),
    (4, cv2.IMREAD_REDUCED_COLOR_4),
    (2, cv2.IMREAD_REDUCED_COLOR_2),
)


def decode_sample(data: bytes) -> PalmSample:
    """Decode a JPEG, PNG or WebP file that may be hostile.

    Returns:
        The picture upright, its long side at most ``MAX_SIDE_PX``.

    Raises:
        SampleTooLarge: more bytes or pixels than are taken; known before decoding.
        SampleUnreadable: not a still picture of these formats, or damaged.
    """
    if len(data) > MAX_BYTES:
        raise SampleTooLarge(f"the file is larger than {MAX_BYTES // 1_000_000} MB")
    picture = read_container(data)
    limit = MAX_PIXELS[picture.container]
    if picture.pixel_count > limit:
        raise SampleTooLarge(
            f"the picture has {picture.width} × {picture.height} pixels; "
            f"{limit // 1_000_000} million are taken for {picture.container}"
        )
    upright = _upright(_shrunk(_decoded(picture)), picture.orientation)
    return PalmSample(pixels=np.ascontiguousarray(upright))


def read_container(data: bytes) -> StillPicture:
    """Tell the format by its first bytes and read the file's outside.

    Raises:
        SampleUnreadable: not a still picture of these formats, or damaged.
    """
    if data.startswith(jpeg.SIGNATURE):
        return jpeg.read_jpeg(data)
    if data.startswith(png.SIGNATURE):
        return png.read_png(data)
    if data.startswith(webp.RIFF) and data[8:12] == webp.WEBP:
        return webp.read_webp(data)
    raise SampleUnreadable("the file is not a JPEG, PNG or WebP picture")


def _decoded(picture: StillPicture) -> Pixels:
    """Let OpenCV decode the bare picture. Shape (height, width, 3), uint8, RGB."""
    # OpenCV's colour flag is its order, BGR, which must not be asked for with the other one.
    reduction = _reduction(picture) & ~cv2.IMREAD_COLOR
    flags = reduction | cv2.IMREAD_COLOR_RGB | cv2.IMREAD_IGNORE_ORIENTATION
    try:
        pixels = cv2.imdecode(np.frombuffer(picture.payload, np.uint8), flags)
    except cv2.error as error:
        raise SampleUnreadable(f"the {picture.container} cannot be decoded") from error
    if pixels is None:
        raise SampleUnreadable(f"the {picture.container} is damaged or ends early")
    return np.asarray(pixels, np.uint8)


def _reduction(picture: StillPicture) -> int:
    """Return OpenCV's flag for the strongest reduction that leaves enough pixels."""
    if picture.container is not Container.JPEG:
        return int(cv2.IMREAD_COLOR)
    for divisor, flag in REDUCTIONS:
        if max(picture.width, picture.height) >= divisor * FULL_SIDE_PX:
            return int(flag)
    return int(cv2.IMREAD_COLOR)


def _shrunk(pixels: Pixels) -> Pixels:
    """Average a picture down until its long side is ``MAX_SIDE_PX``."""
    height, width = pixels.shape[:2]
    scale = MAX_SIDE_PX / max(height, width)
    if scale >= 1:
        return pixels
    size = max(1, round(width * scale)), max(1, round(height * scale))
    return np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), np.uint8)


def _upright(pixels: Pixels, orientation: int) -> Pixels:
    """Turn stored pixels upright. EXIF 2.32 §4.6.4.A, orientation 1 to 8."""
    transposed = np.swapaxes(pixels, 0, 1) if orientation >= 5 else pixels
    rows = -1 if orientation in (3, 4, 7, 8) else 1
    columns = -1 if orientation in (2, 3, 6, 7) else 1
    return transposed[::rows, ::columns]
