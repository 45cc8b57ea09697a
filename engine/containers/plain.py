"""BMP, TIFF, PGM and PPM without decoding: the caller's own files, never uploads.

Refuses truncated files and compressed ones, of which the codec would give a part.
"""

from __future__ import annotations

import re
import struct
from typing import Final

from engine.containers.exif import entries_of
from engine.containers.still import Container, StillPicture
from engine.errors import SampleUnreadable

BMP, LITTLE, BIG, PGM, PPM = b"BM", b"II*\x00", b"MM\x00*", b"P5", b"P6"
SIGNATURES: Final = (BMP, LITTLE, BIG, PGM, PPM)

_NETPBM: Final = re.compile(rb"P[56]" + rb"(?:\s|#[^\n]*\n)+(\d{1,9})" * 3 + rb"\s")
_WIDTH, _HEIGHT, _BITS, _COMPRESSION, _CHANNELS, _TILE_WIDTH = 256, 257, 258, 259, 277, 322


def read_plain(data: bytes) -> StillPicture:
    """Read the size of a file that begins with one of ``SIGNATURES``.

    Raises ``SampleUnreadable``.
    """
    if data.startswith(BMP):
        container, size = Container.BMP, _bmp_size(data)
    elif data.startswith((PGM, PPM)):
        container, size = Container.NETPBM, _netpbm_size(data)
    else:
        container, size = Container.TIFF, _tiff_size(data)
    if min(size) < 1:
        raise SampleUnreadable(f"the {container} has no picture")
    return StillPicture(container, *size, b"", data)


def _bmp_size(data: bytes) -> tuple[int, int]:
    """Read the headers of Windows 3 and later."""
    if len(data) < 54:
        raise SampleUnreadable("the BMP ends early")
    start, head, width, height, _, bits, packing = struct.unpack_from("<IIiiHHI", data, 10)
    if head < 40 or packing not in (0, 3):
        raise SampleUnreadable("the BMP is coded in an unsupported way")
    _require_octets(data, start + (width * bits + 31) // 32 * 4 * abs(height), "BMP")
    return width, abs(height)


def _netpbm_size(data: bytes) -> tuple[int, int]:
    found = _NETPBM.match(data)
    if found is None:
        raise SampleUnreadable("the PGM is damaged or ends early")
    width, height, most = map(int, found.groups())
    octets = width * height * (3 if data.startswith(PPM) else 1) * (2 if most > 255 else 1)
    _require_octets(data, found.end() + octets, "PGM")
    return width, height


def _tiff_size(data: bytes) -> tuple[int, int]:
    """Read the first picture's size. TIFF 6.0 §2 and §8."""
    tags: dict[int, int] = {}
    for tag, _, value in entries_of(data):
        if tag in tags:
            raise SampleUnreadable("the TIFF says something twice")
        tags[tag] = value
    width, height, channels = tags.get(_WIDTH, 0), tags.get(_HEIGHT, 0), tags.get(_CHANNELS, 1)
    if tags.get(_COMPRESSION, 1) != 1 or _TILE_WIDTH in tags or channels > 4:
        raise SampleUnreadable("the TIFF is compressed or in tiles: save it plainly, or as PNG")
    bits = tags.get(_BITS, 1)
    if channels > 2:  # then the entry says where the bits of each channel stand
        bits = int.from_bytes(data[bits : bits + 2], "little" if data[:1] == b"I" else "big")
    _require_octets(data, width * height * channels * bits // 8, "TIFF")
    return width, height


def _require_octets(data: bytes, count: int, name: str) -> None:
    if len(data) < count:
        raise SampleUnreadable(f"the {name} ends early")
