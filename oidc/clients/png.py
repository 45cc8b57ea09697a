"""Reads and writes small square PNG files, in plain Python. ISO/IEC 15948.

The provider has no library for pictures, so that it cannot represent a palm. Refused are
interlaced files, 16 bits a channel, and everything that is damaged.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from oidc.errors import ClientRefused

if TYPE_CHECKING:
    from collections.abc import Iterator

_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_GREY, _COLOUR, _PALETTE, _GREY_ALPHA, _COLOUR_ALPHA = 0, 2, 3, 4, 6
_CHANNELS: Final = {_GREY: 1, _COLOUR: 3, _PALETTE: 1, _GREY_ALPHA: 2, _COLOUR_ALPHA: 4}
_OPAQUE: Final = 255


@dataclass(frozen=True, slots=True)
class _Header:
    """IHDR. ISO/IEC 15948 §11.2.2."""

    width: int
    height: int
    depth: int
    kind: int
    compression: int
    filtering: int
    interlacing: int

    @property
    def row_bytes(self) -> int:
        return (self.width * _CHANNELS[self.kind] * self.depth + 7) // 8

    @property
    def pixel_bytes(self) -> int:
        return max(1, _CHANNELS[self.kind] * self.depth // 8)


@dataclass(frozen=True, slots=True)
class Pixels:
    """A square picture.

    Attributes:
        side_px: of the square.
        rgba: red, green, blue, alpha of 8 bits; row by row from the top.
    """

    side_px: int
    rgba: bytes = field(repr=False)


def read_png(data: bytes, least_px: int, most_px: int) -> Pixels:
    """Return the pixels of a square PNG with a side from ``least_px`` to ``most_px``.

    Nothing is unpacked before the header is checked, and never more than it says.

    Raises:
        ClientRefused: of another size or kind, or damaged.
    """
    try:
        chunks = list(_chunks(data))
        header = _header(chunks, least_px, most_px)
        raw = _unpacked(header, chunks)
        extra = {kind: body for kind, body in chunks if kind in (b"PLTE", b"tRNS")}
        rgba = _rgba(header, _samples(header, _unfiltered(header, raw)), extra)
    except (struct.error, zlib.error, IndexError, KeyError) as fault:
        raise ClientRefused("the picture is damaged") from fault
    return Pixels(header.width, rgba)


def write_png(pixels: Pixels) -> bytes:
    """Return a PNG of the pixels and nothing else."""
    side, row = pixels.side_px, 4 * pixels.side_px
    rows = (pixels.rgba[at : at + row] for at in range(0, len(pixels.rgba), row))
    packed = zlib.compress(b"".join(b"\0" + each for each in rows), 9)
    header = struct.pack(">IIBBBBB", side, side, 8, _COLOUR_ALPHA, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", packed), (b"IEND", b""))
    return _SIGNATURE + b"".join(_chunk(kind, body) for kind, body in chunks)


def _chunk(kind: bytes, body: bytes) -> bytes:
    tail = struct.pack(">I", zlib.crc32(kind + body))
    return struct.pack(">I", len(body)) + kind + body + tail


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield kind and body of each chunk to the end; checksums must fit."""
    if not data.startswith(_SIGNATURE):
        raise ClientRefused("the picture is not a PNG: save it as one")
    at = len(_SIGNATURE)
    while True:
        length, kind = struct.unpack_from(">I4s", data, at)
        body = data[at + 8 : at + 8 + length]
        (checksum,) = struct.unpack_from(">I", data, at + 8 + length)
        if checksum != zlib.crc32(kind + body):
            raise ClientRefused("the picture is damaged")
        if kind == b"IEND":
            return
        yield kind, body
        at += 12 + length


def _header(chunks: list[tuple[bytes, bytes]], least_px: int, most_px: int) -> _Header:
    kind, body = chunks[0]
    header = _Header(*struct.unpack(">IIBBBBB", body))
    if kind != b"IHDR" or header.width != header.height:
        raise ClientRefused("the picture is not square")
    if not least_px <= header.width <= most_px:
        raise ClientRefused(f"the picture is not {least_px} to {most_px} pixels wide")
    depths = (1, 2, 4, 8) if header.kind in (_GREY, _PALETTE) else (8,)
    is_plain = (header.compression, header.filtering, header.interlacing) == (0, 0, 0)
    if header.kind not in _CHANNELS or header.depth not in depths or not is_plain:
        raise ClientRefused("save the PNG with 8 bits a channel and without interlacing")
    return header


def _unpacked(header: _Header, chunks: list[tuple[bytes, bytes]]) -> bytes:
    packed = b"".join(body for kind, body in chunks if kind == b"IDAT")
    size = header.height * (1 + header.row_bytes)
    raw = zlib.decompressobj().decompress(packed, size)
    if len(raw) != size:
        raise ClientRefused("the picture is damaged")
    return raw


def _unfiltered(header: _Header, raw: bytes) -> bytes:
    """Undo the filter of each row. ISO/IEC 15948 §9.2."""
    length, step = header.row_bytes, header.pixel_bytes
    above, rows = bytearray(length), []
    for at in range(0, len(raw), length + 1):
        row = bytearray(raw[at + 1 : at + 1 + length])
        _UNDO[raw[at]](row, above, step)
        rows.append(row)
        above = row
    return b"".join(rows)


def _undo_none(row: bytearray, above: bytearray, step: int) -> None:
    """Leave the row as it is."""


def _undo_sub(row: bytearray, above: bytearray, step: int) -> None:
    for at in range(step, len(row)):
        row[at] = (row[at] + row[at - step]) & 255


def _undo_up(row: bytearray, above: bytearray, step: int) -> None:
    for at, up in enumerate(above):
        row[at] = (row[at] + up) & 255


def _undo_average(row: bytearray, above: bytearray, step: int) -> None:
    for at, up in enumerate(above):
        left = row[at - step] if at >= step else 0
        row[at] = (row[at] + (left + up) // 2) & 255


def _undo_paeth(row: bytearray, above: bytearray, step: int) -> None:
    for at, up in enumerate(above):
        left, corner = (row[at - step], above[at - step]) if at >= step else (0, 0)
        guess = left + up - corner
        nearest = min((left, up, corner), key=lambda each: abs(guess - each))
        row[at] = (row[at] + nearest) & 255


_UNDO: Final = {
    0: _undo_none,
    1: _undo_sub,
    2: _undo_up,
    3: _undo_average,
    4: _undo_paeth,
}


def _samples(header: _Header, packed: bytes) -> bytes:
    """Return one byte a sample; samples below 8 bits are packed from the left."""
    if header.depth == 8:
        return packed
    depth, length, mask = header.depth, header.row_bytes, (1 << header.depth) - 1
    shifts = range(8 - depth, -1, -depth)
    rows = (packed[at : at + length] for at in range(0, len(packed), length))
    spread = (bytes(byte >> by & mask for byte in row for by in shifts) for row in rows)
    return b"".join(row[: header.width] for row in spread)


def _rgba(header: _Header, samples: bytes, extra: dict[bytes, bytes]) -> bytes:
    """Return four bytes a pixel. ISO/IEC 15948 §11.3.1 for transparency."""
    clear = extra.get(b"tRNS", b"")
    if header.kind == _COLOUR_ALPHA:
        return samples
    if header.kind == _PALETTE:
        return _of_palette(samples, extra[b"PLTE"], clear)
    if header.kind == _GREY_ALPHA:
        grey = samples[0::2]
        return _joined(grey, grey, grey, samples[1::2])
    if header.kind == _COLOUR:
        red, green, blue = (samples[at::3] for at in range(3))
        key = tuple(clear[1::2])
        alpha = bytes(_OPAQUE * (each != key) for each in zip(red, green, blue, strict=True))
        return _joined(red, green, blue, alpha)
    alpha = bytes(_OPAQUE * (clear[1:2] != bytes([each])) for each in samples)
    most = (1 << header.depth) - 1
    grey = bytes(each * 255 // most for each in samples)
    return _joined(grey, grey, grey, alpha)


def _of_palette(samples: bytes, palette: bytes, clear: bytes) -> bytes:
    alphas = clear + bytes([_OPAQUE]) * (len(palette) // 3 - len(clear))
    colours = [palette[3 * at : 3 * at + 3] + alphas[at : at + 1] for at in range(len(alphas))]
    if any(len(each) != 4 for each in colours):
        raise ClientRefused("the picture is damaged")
    return b"".join(colours[each] for each in samples)


def _joined(*channels: bytes) -> bytes:
    rgba = bytearray(4 * len(channels[0]))
    for at, channel in enumerate(channels):
        rgba[at::4] = channel
    return bytes(rgba)
