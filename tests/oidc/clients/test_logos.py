"""What becomes a logo, and what is refused: unauthenticated developers choose these bytes."""

import struct
import zlib

import cv2
import numpy as np
import pytest

from oidc.clients.logos import LIMIT_BYTES, logo_of
from oidc.errors import ClientRefused
from tests.support.palms.picture_files import png_chunk, square_png

SIDE = 64
"""Of the pictures here."""

_START = b"\x89PNG\r\n\x1a\n"


def _png(
    rows: bytes,
    kind: int = 6,
    depth: int = 8,
    side: int = SIDE,
    *more: bytes,
    interlacing: int = 0,
) -> bytes:
    header = struct.pack(">IIBBBBB", side, side, depth, kind, 0, 0, interlacing)
    body = png_chunk(b"IDAT", zlib.compress(rows)) + png_chunk(b"IEND", b"")
    return _START + png_chunk(b"IHDR", header) + b"".join(more) + body


@pytest.mark.parametrize("channels", [1, 3, 4])
def test_what_another_library_writes_is_kept(channels: int) -> None:
    """Colour, grey and transparency."""
    shape = (SIDE, SIDE, channels)
    noise = np.random.default_rng(17).integers(0, 256, shape, dtype=np.uint8)
    _, encoded = cv2.imencode(".png", noise)
    kept = logo_of(encoded.tobytes()).png
    again = cv2.imdecode(np.frombuffer(kept, np.uint8), cv2.IMREAD_UNCHANGED)

    assert again is not None and np.array_equal(again.reshape(shape), noise)


def test_nothing_of_the_file_stays_but_its_picture() -> None:
    """No text, profile or place: not what was hidden there, nor a script behind the picture."""
    text = png_chunk(b"tEXt", b"Comment\0SECRET") + png_chunk(b"eXIf", b"SECRET")
    whole = square_png()
    png = logo_of(whole[:33] + text + whole[33:] + b"<script>SECRET</script>").png

    assert png == whole


_WHOLE, _ROWS = square_png(), bytes(SIDE * (1 + 4 * SIDE))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "not a PNG"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "not a PNG"),
        (b"\xff\xd8\xff\xe0JFIF", "save it as one"),
        (_START, "damaged"),
        (_WHOLE[:-20], "damaged"),
        (_WHOLE[:60] + b"\x55" + _WHOLE[61:], "damaged"),
        (_START + png_chunk(b"IEND", b""), "damaged"),
        (_png(b""), "damaged"),
        (_png(bytes(10)), "damaged"),
        (_png(b"\x09" * (SIDE * (1 + 4 * SIDE))), "damaged"),
        (_png(bytes(SIDE * (1 + SIDE)), 3), "damaged"),
        (_png(_ROWS, 6, 8, SIDE, png_chunk(b"acTL", bytes(8))), "animated"),
        (_png(_ROWS, 6, 8, SIDE, png_chunk(b"IDAT", b"x")), "damaged"),
        (_png(b"", side=2**31 - 1), "64 to 256 pixels"),
        (_png(b"", side=257), "64 to 256 pixels"),
        (_png(b"", side=0), "64 to 256 pixels"),
        (_png(b"", depth=16), "8 bits"),
        (_png(b"", kind=5), "8 bits"),
        (_png(b"", interlacing=1), "interlacing"),
        (_WHOLE + bytes(LIMIT_BYTES), "larger than"),
    ],
)
def test_nothing_else_is_taken(data: bytes, reason: str) -> None:
    """A small file that says it is huge is refused by its header."""
    with pytest.raises(ClientRefused, match=reason):
        logo_of(data)


def test_a_picture_is_square() -> None:
    """Nothing is cut off, and nothing is stretched."""
    header = struct.pack(">IIBBBBB", 128, 64, 8, 6, 0, 0, 0)
    with pytest.raises(ClientRefused, match="square"):
        logo_of(_START + png_chunk(b"IHDR", header) + png_chunk(b"IEND", b""))


def test_a_bomb_is_refused() -> None:
    """A hundred megabytes of zeros in a hundred kilobytes; not unpacked, nor handed on."""
    with pytest.raises(ClientRefused, match="damaged"):
        logo_of(_png(bytes(100_000_000)))
