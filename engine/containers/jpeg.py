"""JPEG without decoding. ITU-T T.81 annex B.

Accepts baseline, extended or progressive Huffman coding, 8 bits, grey or YCbCr. Refuses other
coding, CMYK, two frames, truncated files, and too many segments or scans: each progressive scan
passes over the whole picture, so a few bytes could keep the codec busy for hours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from engine.containers.exif import EXIF_PREFIX
from engine.containers.still import Container, StillPicture
from engine.errors import SampleCmyk, SampleUnreadable

SIGNATURE: Final = b"\xff\xd8\xff"

MAX_SEGMENTS: Final = 1000
"""Phones write tens; with a depth map about 200."""

MAX_SCANS: Final = 30
"""A progressive file has about 10."""

CMYK_COMPONENTS: Final = 4
"""The inks of printing. Cameras write one component, or three."""

END, SCAN, EXIF = 0xD9, 0xDA, 0xE1
FRAMES: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
SUPPORTED_FRAMES: Final = frozenset({0xC0, 0xC1, 0xC2})
KEPT: Final = SUPPORTED_FRAMES | {0xC4, 0xDB, 0xDD, SCAN, 0xE0, 0xEE}
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
    kept, sizes, exif, scan_count = [SIGNATURE[:2]], [], b"", 0
    for marker, body, raw in _segments(data):
        if marker in FRAMES:
            sizes.append(_size(marker, body))
        if marker == EXIF and body.startswith(EXIF_PREFIX):
            exif = body
        scan_count += marker == SCAN
        if marker in KEPT:
            kept.append(raw)
    if len(sizes) != 1 or min(sizes[0]) < 1 or not 1 <= scan_count <= MAX_SCANS:
        raise SampleUnreadable("the JPEG has no picture, several, or too many scans")
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
