"""WebP without decoding. RFC 9649.

Keeps one compressed picture (``VP8`` or ``VP8L``). Refuses animations and truncated files.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine.containers.still import Container, StillPicture
from engine.errors import SampleUnreadable

RIFF, WEBP = b"RIFF", b"WEBP"

MAX_CHUNKS: Final = 100
"""A still picture has about six at most."""

LOSSY, LOSSLESS, METADATA = b"VP8 ", b"VP8L", b"EXIF"
START_CODE: Final = b"\x9d\x01\x2a"


def read_webp(data: bytes) -> StillPicture:
    """Read and strip a WebP. Raises ``SampleUnreadable``."""
    end = 8 + int.from_bytes(data[4:8], "little")
    if end > len(data):
        raise SampleUnreadable("the WebP ends early")
    pictures, exif = [], b""
    for kind, body in _chunks(data[12:end]):
        if kind in (LOSSY, LOSSLESS):
            pictures.append((kind, body))
        if kind == METADATA:
            exif = body
    if len(pictures) != 1:
        raise SampleUnreadable("the WebP is damaged or an animation")
    kind, body = pictures[0]
    size = _lossy_size(body) if kind == LOSSY else _lossless_size(body)
    return StillPicture(Container.WEBP, *size, exif, _simple_file(kind, body))


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield type and body. RFC 9649 §2.3."""
    start = 0
    for _ in range(MAX_CHUNKS):
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
