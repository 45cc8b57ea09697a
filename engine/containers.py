"""Parses picture files before anything is decoded.

Each parser returns a ``StillPicture`` without metadata, profiles, animation and trailing data,
so attackers cannot reach rarely used parts of the image codec.

EXIF gives the orientation (2.32 §4.6.4.A, tag 0x0112; TIFF 6.0 §2). Unreadable means upright.

JPEG (ITU-T T.81 annex B): accepts baseline, extended or progressive Huffman coding, 8 bits,
grey or YCbCr. Refuses other coding, CMYK, two frames, truncated files, and too many segments or
scans: each progressive scan passes over the whole picture, so a few bytes could keep the codec
busy for hours.

PNG (specification, third edition, §5 and §11): keeps header, palette and picture data:
compressed text and profiles can be bombs too. Refuses truncated files, and wrong checksums of
what it keeps: libpng would print them.

WebP (RFC 9649): keeps one compressed picture (``VP8`` or ``VP8L``). Refuses animations and
truncated files.

BMP, TIFF, PGM and PPM are the caller's own files, never uploads: refuses truncated files and
compressed ones, of which the codec would give a part.
"""

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Literal, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from engine.errors import SampleCmyk, SampleUnreadable


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
        # Of one or two short numbers the entry holds the first; of more it holds their place.
        is_held = kind == SHORT and int.from_bytes(entries[i + 4 : i + 8], order) <= 2
        value = entries[i + 8 : i + 10] if is_held else entries[i + 8 : i + ENTRY_BYTES]
        yield tag, kind, int.from_bytes(value, order)


JPEG_SIGNATURE: Final = b"\xff\xd8\xff"

MAX_SEGMENTS: Final = 1000
"""Phones write tens; with a depth map about 200."""

MAX_SCANS: Final = 30
"""A progressive file has about 10."""

MAX_SCANNED: Final = 500_000_000
"""Pixels times scans, as each scan passes over all pixels: 50 megapixels have 10 scans."""

CMYK_COMPONENTS: Final = 4
"""The inks of printing. Cameras write one component, or three."""

END, SCAN, EXIF = 0xD9, 0xDA, 0xE1
FRAMES: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
SUPPORTED_FRAMES: Final = frozenset({0xC0, 0xC1, 0xC2})
JPEG_KEPT: Final = SUPPORTED_FRAMES | {0xC4, 0xDB, 0xDD, SCAN, 0xE0, 0xEE}
"""Frame, tables, restart interval, scan, and the colour space (JFIF, Adobe)."""

MARKER: Final = re.compile(rb"\xff+([\x01-\xfe])")
SCAN_END: Final = re.compile(rb"\xff\xff*[\x01-\xcf\xd8-\xfe]")
"""In scan data 0xFF precedes 0x00 or a restart marker. A literal start is 12 times as fast."""


class _Segment(NamedTuple):
    marker: int
    body: bytes
    raw: bytes


def read_jpeg(data: bytes) -> StillPicture:
    """Read and strip a JPEG. Raises ``SampleUnreadable``."""
    kept, sizes, exif, scan_count = [JPEG_SIGNATURE[:2]], [], b"", 0
    for marker, body, raw in _segments(data):
        if marker in FRAMES:
            sizes.append(_size(marker, body))
        if marker == EXIF and body.startswith(EXIF_PREFIX):
            exif = body
        scan_count += marker == SCAN
        if marker in JPEG_KEPT:
            kept.append(raw)
    if len(sizes) != 1 or min(sizes[0]) < 1 or not 1 <= scan_count <= MAX_SCANS:
        raise SampleUnreadable("the JPEG has no picture, several, or too many scans")
    if sizes[0][0] * sizes[0][1] * scan_count > MAX_SCANNED:
        raise SampleUnreadable("the JPEG has too many scans for its size")
    payload = b"".join((*kept, bytes((0xFF, END))))
    return StillPicture(Container.JPEG, *sizes[0], exif, payload)


def _segments(data: bytes) -> Iterator[_Segment]:
    position = 2
    for _ in range(MAX_SEGMENTS):
        found = MARKER.match(data, position)
        if found is None:
            raise SampleUnreadable("the JPEG is damaged or ends early")
        marker, start = found[1][0], found.end()
        if marker == END:
            return
        end = start + int.from_bytes(data[start : start + 2], "big")
        position = _scan_end(data, end) if marker == SCAN else end
        if end < start + 2 or position > len(data):
            raise SampleUnreadable("the JPEG is damaged or ends early")
        yield _Segment(marker, data[start + 2 : end], data[start - 2 : position])
    raise SampleUnreadable("the JPEG has too many segments")


def _scan_end(data: bytes, start: int) -> int:
    found = SCAN_END.search(data, start)
    if found is None:
        raise SampleUnreadable("the JPEG ends early")
    return found.start()


def _size(marker: int, body: bytes) -> tuple[int, int]:
    """Return width and height of a frame header. T.81 §B.2.2."""
    if marker not in SUPPORTED_FRAMES or len(body) < 6 or body[0] != 8:
        raise SampleUnreadable("the JPEG is coded in an unsupported way")
    if body[5] == CMYK_COMPONENTS:
        raise SampleCmyk("the JPEG has the colours of printing (CMYK): save it as RGB")
    if body[5] not in (1, 3):
        raise SampleUnreadable("the JPEG is neither grey nor YCbCr")
    return int.from_bytes(body[3:5], "big"), int.from_bytes(body[1:3], "big")


PNG_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"

PNG_MAX_CHUNKS: Final = 20_000
"""libpng writes 8 KiB a chunk: 1500 in the largest accepted file."""

PNG_KEPT: Final = frozenset({b"IHDR", b"PLTE", b"IDAT", b"IEND"})
HEADER_BYTES: Final = 13
FRAME_BYTES: Final = 12
"""Length, type and CRC of a chunk."""


class _Chunk(NamedTuple):
    kind: bytes
    body: bytes
    raw: bytes


def read_png(data: bytes) -> StillPicture:
    """Read and strip a PNG. Raises ``SampleUnreadable``."""
    kept, exif, header = [PNG_SIGNATURE], b"", b""
    for kind, body, raw in _png_chunks(data):
        if (kind == b"IHDR") != (not header) or (not header and len(body) != HEADER_BYTES):
            raise SampleUnreadable("the PNG does not begin with its one header")
        header = header or body
        if kind == b"eXIf":
            exif = body
        if kind in PNG_KEPT:
            kept.append(raw)
    width, height = int.from_bytes(header[:4], "big"), int.from_bytes(header[4:8], "big")
    if min(width, height) < 1:
        raise SampleUnreadable("the PNG has no picture")
    return StillPicture(Container.PNG, width, height, exif, b"".join(kept))


def _png_chunks(data: bytes) -> Iterator[_Chunk]:
    start = len(PNG_SIGNATURE)
    for _ in range(PNG_MAX_CHUNKS):
        kind = data[start + 4 : start + 8]
        end = start + FRAME_BYTES + int.from_bytes(data[start : start + 4], "big")
        check = int.from_bytes(data[end - 4 : end], "big")
        is_wrong = kind in PNG_KEPT and crc32(data[start + 4 : end - 4]) != check
        if end > len(data) or is_wrong:
            raise SampleUnreadable("the PNG is damaged or ends early")
        yield _Chunk(kind, data[start + 8 : end - 4], data[start:end])
        if kind == b"IEND":
            return
        start = end
    raise SampleUnreadable("the PNG has too many chunks")


RIFF, WEBP = b"RIFF", b"WEBP"

WEBP_MAX_CHUNKS: Final = 100
"""A still picture has about six at most."""

LOSSY, LOSSLESS, METADATA = b"VP8 ", b"VP8L", b"EXIF"
START_CODE: Final = b"\x9d\x01\x2a"


def read_webp(data: bytes) -> StillPicture:
    """Read and strip a WebP. Raises ``SampleUnreadable``."""
    end = 8 + int.from_bytes(data[4:8], "little")
    if end > len(data):
        raise SampleUnreadable("the WebP ends early")
    pictures, exif = [], b""
    for kind, body in _webp_chunks(data[12:end]):
        if kind in (LOSSY, LOSSLESS):
            pictures.append((kind, body))
        if kind == METADATA:
            exif = body
    if len(pictures) != 1:
        raise SampleUnreadable("the WebP is damaged or an animation")
    kind, body = pictures[0]
    size = _lossy_size(body) if kind == LOSSY else _lossless_size(body)
    return StillPicture(Container.WEBP, *size, exif, _simple_file(kind, body))


def _webp_chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield type and body. RFC 9649 §2.3."""
    start = 0
    for _ in range(WEBP_MAX_CHUNKS):
        if start >= len(data):
            return
        kind = data[start : start + 4]
        end = start + 8 + int.from_bytes(data[start + 4 : start + 8], "little")
        if len(data) < start + 8 or end > len(data):
            raise SampleUnreadable("the WebP is damaged or ends early")
        yield kind, data[start + 8 : end]
        start = end + end % 2
    raise SampleUnreadable("the WebP has too many chunks")


def _lossy_size(body: bytes) -> tuple[int, int]:
    """Read the size of a VP8 key frame. RFC 6386 §9.1."""
    if len(body) < 10 or body[3:6] != START_CODE:
        raise SampleUnreadable("the WebP is damaged")
    width, height = (int.from_bytes(body[i : i + 2], "little") & 0x3FFF for i in (6, 8))
    if min(width, height) < 1:
        raise SampleUnreadable("the WebP has no picture")
    return width, height


def _lossless_size(body: bytes) -> tuple[int, int]:
    """Read the size of a VP8L picture. RFC 9649 §3.4."""
    if len(body) < 5 or body[0] != 0x2F:
        raise SampleUnreadable("the WebP is damaged")
    bits = int.from_bytes(body[1:5], "little")
    return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1


def _simple_file(kind: bytes, body: bytes) -> bytes:
    """Write a file of one picture. RFC 9649 §2.5, §2.6."""
    chunk = kind + len(body).to_bytes(4, "little") + body + b"\x00" * (len(body) % 2)
    return RIFF + (len(chunk) + 4).to_bytes(4, "little") + WEBP + chunk


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
    if most not in (255, 65535):
        raise SampleUnreadable("the PGM has other levels than 255 or 65535: save it with these")
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
