"""PNG without decoding. PNG specification, third edition, §5 and §11.

Keeps header, palette and picture data: compressed text and profiles can be bombs too. Refuses
truncated files.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from engine.containers.still import Container, StillPicture
from engine.errors import SampleUnreadable

SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"

MAX_CHUNKS: Final = 20_000
"""libpng writes 8 KiB a chunk: 1500 in the largest accepted file."""

KEPT: Final = frozenset({b"IHDR", b"PLTE", b"IDAT", b"IEND"})
HEADER_BYTES: Final = 13
FRAME_BYTES: Final = 12
"""Length, type and CRC of a chunk."""


class _Chunk(NamedTuple):
    kind: bytes
    body: bytes
    raw: bytes


def read_png(data: bytes) -> StillPicture:
    """Read and strip a PNG. Raises ``SampleUnreadable``."""
    kept, exif, header = [SIGNATURE], b"", b""
    for kind, body, raw in _chunks(data):
        if (kind == b"IHDR") != (not header) or (not header and len(body) != HEADER_BYTES):
            raise SampleUnreadable("the PNG does not begin with its one header")
        header = header or body
        if kind == b"eXIf":
            exif = body
        if kind in KEPT:
            kept.append(raw)
    width, height = int.from_bytes(header[:4], "big"), int.from_bytes(header[4:8], "big")
    if min(width, height) < 1:
        raise SampleUnreadable("the PNG has no picture")
    return StillPicture(Container.PNG, width, height, exif, b"".join(kept))


def _chunks(data: bytes) -> Iterator[_Chunk]:
    start = len(SIGNATURE)
    for _ in range(MAX_CHUNKS):
        kind = data[start + 4 : start + 8]
        end = start + FRAME_BYTES + int.from_bytes(data[start : start + 4], "big")
        if end > len(data):
            raise SampleUnreadable("the PNG is damaged or ends early")
        yield _Chunk(kind, data[start + 8 : end - 4], data[start:end])
        if kind == b"IEND":
            return
        start = end
    raise SampleUnreadable("the PNG has too many chunks")
