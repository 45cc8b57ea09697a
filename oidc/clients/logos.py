"""Logos of clients: small PNG files, of which nothing stays but the picture.

An SVG can hold scripts and addresses; JPEG and WebP would need a library for pictures, which
the provider has not, so that it cannot represent a palm. Chunks and header are checked
(ISO/IEC 15948): animated, interlaced, 16-bit and damaged files are refused.
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Final, NamedTuple

from oidc.client import Client
from oidc.clients.registry import record_change
from oidc.errors import ClientRefused
from oidc.types import AuditEvent

if TYPE_CHECKING:
    from oidc.storage.database import Stores

LIMIT_BYTES: Final = 256 * 1024
"""Size of a file that is looked at: four bytes a pixel of the largest picture."""

LEAST_PX: Final = 64
"""Side of the square that the consent page shows."""

MOST_PX: Final = 256
"""Longest side: sharp on every screen."""

_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_CHANNELS: Final = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
"""By colour type: grey, colour, palette, and the first two with transparency. §11.2.2."""

_PALETTE: Final = 3
_KEPT: Final = (b"IHDR", b"PLTE", b"tRNS", b"IDAT")
"""In this order; more of the last one may follow."""

_ANIMATED: Final = frozenset({b"acTL", b"fcTL", b"fdAT"})
_FILTERS: Final = 5


@dataclass(frozen=True, slots=True)
class Logo:
    """A logo as it is shown: a square PNG with transparency."""

    png: bytes = field(repr=False)

    @property
    def version(self) -> str:
        """Name of this content, for its address."""
        return hashlib.sha256(self.png).hexdigest()[:16]


def logo_of(data: bytes) -> Logo:
    """Return the logo in a file.

    Raises:
        ClientRefused: too large, not square, of another format, or damaged.
    """
    if len(data) > LIMIT_BYTES:
        raise ClientRefused(f"the picture is larger than {LIMIT_BYTES // 1024} KiB")
    return Logo(checked_png(data, LEAST_PX, MOST_PX))


def set_logo(stores: Stores, client: Client, data: bytes, now: datetime) -> Logo:
    """Store the logo in a file for a client. Raises ``ClientRefused`` as ``logo_of``."""
    logo = logo_of(data)
    stores.client_logos.put(client.client_id, logo.version, logo.png)
    record_change(stores, AuditEvent.CLIENT_CHANGED, client, now, logo=logo.version)
    return logo


def remove_logo(stores: Stores, client: Client, now: datetime) -> None:
    """Delete the logo of a client, if it has one."""
    if stores.client_logos.remove(client.client_id):
        record_change(stores, AuditEvent.CLIENT_CHANGED, client, now, logo="removed")


class _Rows(NamedTuple):
    """What the header says of the pixels; ``length`` counts the filter's byte."""

    height: int
    length: int
    needs_palette: bool


def checked_png(data: bytes, least_px: int, most_px: int) -> bytes:
    """Return a square PNG with a side from ``least_px`` to ``most_px`` without other chunks.

    Nothing is unpacked before the header is checked, and never more than it says.

    Raises:
        ClientRefused: of another size or kind, or damaged.
    """
    try:
        chunks = list(_chunks(data))
        rows = _rows(chunks, least_px, most_px)
    except struct.error as fault:
        raise ClientRefused("the picture is damaged") from fault
    kept = [(kind, body) for kind, body in chunks if kind in _KEPT]
    _check_order([kind for kind, _ in kept], rows)
    _check_rows(b"".join(body for kind, body in kept if kind == b"IDAT"), rows)
    return _SIGNATURE + b"".join(_chunk(kind, body) for kind, body in [*kept, (b"IEND", b"")])


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield kind and body of each chunk to the end; checksums must fit. §5.3."""
    if not data.startswith(_SIGNATURE):
        raise ClientRefused("the picture is not a PNG: save it as one")
    at, kind = len(_SIGNATURE), b""
    while kind != b"IEND":
        length, kind = struct.unpack_from(">I4s", data, at)
        body = data[at + 8 : at + 8 + length]
        (checksum,) = struct.unpack_from(">I", data, at + 8 + length)
        if checksum != zlib.crc32(kind + body):
            raise ClientRefused("the picture is damaged")
        yield kind, body
        at += 12 + length


def _chunk(kind: bytes, body: bytes) -> bytes:
    tail = struct.pack(">I", zlib.crc32(kind + body))
    return struct.pack(">I", len(body)) + kind + body + tail


def _rows(chunks: list[tuple[bytes, bytes]], least_px: int, most_px: int) -> _Rows:
    """Check the header, and that nothing is animated."""
    kind, body = chunks[0]
    width, height, depth, colour, *methods = struct.unpack(">IIBBBBB", body)
    if kind != b"IHDR" or width != height:
        raise ClientRefused("the picture is not square")
    if not least_px <= width <= most_px:
        raise ClientRefused(f"the picture is not {least_px} to {most_px} pixels wide")
    depths = (1, 2, 4, 8) if colour in (0, _PALETTE) else (8,)
    if colour not in _CHANNELS or depth not in depths or any(methods):
        raise ClientRefused("save the PNG with 8 bits a channel and without interlacing")
    if any(kind in _ANIMATED for kind, _ in chunks):
        raise ClientRefused("the picture is animated")
    row_bits = width * _CHANNELS[colour] * depth
    return _Rows(height, 1 + (row_bits + 7) // 8, colour == _PALETTE)


def _check_order(kinds: list[bytes], rows: _Rows) -> None:
    """Require each kind once and in order, but pixels in several chunks. §5.6."""
    single = [kind for kind in kinds if kind != b"IDAT"]
    is_ordered = kinds == sorted(kinds, key=_KEPT.index) and len(single) == len(set(single))
    if not is_ordered or b"IDAT" not in kinds or (rows.needs_palette and b"PLTE" not in kinds):
        raise ClientRefused("the picture is damaged")


def _check_rows(packed: bytes, rows: _Rows) -> None:
    """Require exactly the rows that the header says, each with a known filter. §9, §10."""
    size, unpacking = rows.height * rows.length, zlib.decompressobj()
    try:
        raw = unpacking.decompress(packed, size + 1)
    except zlib.error as fault:
        raise ClientRefused("the picture is damaged") from fault
    is_whole = len(raw) == size and unpacking.eof and not unpacking.unused_data
    if not is_whole or max(raw[:: rows.length]) >= _FILTERS:
        raise ClientRefused("the picture is damaged")
