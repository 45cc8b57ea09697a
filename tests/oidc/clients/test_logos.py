"""What becomes a logo, and what is refused: strangers choose these bytes."""

from __future__ import annotations

import struct
import zlib
from io import BytesIO

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oidc.clients.logos import LIMIT_BYTES, logo_of
from oidc.clients.png import Pixels, read_png, write_png
from oidc.errors import ClientRefused

SIDE = 64
"""Of the pictures here."""

_START = b"\x89PNG\r\n\x1a\n"


def _chunk(kind: bytes, body: bytes) -> bytes:
    tail = struct.pack(">I", zlib.crc32(kind + body))
    return struct.pack(">I", len(body)) + kind + body + tail


def _png(
    rows: bytes,
    kind: int = 6,
    depth: int = 8,
    side: int = SIDE,
    *more: bytes,
    interlacing: int = 0,
) -> bytes:
    header = struct.pack(">IIBBBBB", side, side, depth, kind, 0, 0, interlacing)
    body = _chunk(b"IDAT", zlib.compress(rows)) + _chunk(b"IEND", b"")
    return _START + _chunk(b"IHDR", header) + b"".join(more) + body


def _noise(channels: int) -> np.ndarray:
    shape = (SIDE, SIDE, channels)
    return np.random.default_rng(17).integers(0, 256, shape, dtype=np.uint8)


def _filtered(pixels: np.ndarray, kind: int) -> bytes:
    """Return rows filtered by the definition. ISO/IEC 15948 §9.2."""
    side, step = len(pixels), pixels.shape[2]
    flat, out = pixels.reshape(side, -1).astype(int), BytesIO()
    for y, row in enumerate(flat):
        left = np.concatenate([np.zeros(step, int), row[:-step]])
        up = flat[y - 1] if y else np.zeros_like(row)
        corner = np.concatenate([np.zeros(step, int), up[:-step]])
        guess = left + up - corner
        away = np.abs(np.stack([left, up, corner]) - guess).argmin(axis=0)
        paeth = np.choose(away, [left, up, corner])
        predicted = [0 * row, left, up, (left + up) // 2, paeth][kind]
        out.write(bytes([kind]) + ((row - predicted) % 256).astype(np.uint8).tobytes())
    return out.getvalue()


@pytest.mark.parametrize("kind", range(5))
@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_every_filter_is_undone(kind: int, channels: int) -> None:
    """Colour, grey and transparency; encoders choose a filter for each row."""
    noise = _noise(channels)
    colour = {1: 0, 2: 4, 3: 2, 4: 6}[channels]
    found = read_png(_png(_filtered(noise, kind), colour), SIDE, SIDE).rgba
    rgba = np.frombuffer(found, np.uint8).reshape(SIDE, SIDE, 4)
    expected = noise[..., [0, 0, 0]] if channels < 3 else noise[..., :3]

    assert (rgba[..., :3] == expected).all()
    assert (rgba[..., 3] == (noise[..., -1] if channels in (2, 4) else 255)).all()


def test_another_library_writes_and_reads_the_same() -> None:
    """What OpenCV encoded is understood, and what we encode, by OpenCV."""
    noise = _noise(4)
    is_done, encoded = cv2.imencode(".png", noise)
    ours = logo_of(encoded.tobytes()).png
    again = cv2.imdecode(np.frombuffer(ours, np.uint8), cv2.IMREAD_UNCHANGED)

    assert is_done and again is not None and np.array_equal(again, noise)


@pytest.mark.parametrize("depth", [1, 2, 4, 8])
def test_palettes_have_any_depth_and_transparency(depth: int) -> None:
    """What optimising programs write."""
    palette, clear = _chunk(b"PLTE", b"\xff\0\0\0\0\xff"), _chunk(b"tRNS", b"\x80")
    row = b"\0" + (b"\x55" if depth == 1 else b"\x01") * (SIDE * depth // 8)
    found = read_png(_png(row * SIDE, 3, depth, SIDE, palette, clear), SIDE, SIDE).rgba

    last = found[-4:]
    assert last == b"\0\0\xff\xff"
    assert (found[:4] == b"\xff\0\0\x80") == (depth < 8)


@pytest.mark.parametrize(("kind", "clear"), [(0, b"\0\7"), (2, b"\0\7\0\7\0\7")])
def test_one_colour_may_be_transparent(kind: int, clear: bytes) -> None:
    """The oldest kind of transparency."""
    row = b"\0" + b"\7" * (SIDE // 2 * (1 + kind)) + b"\x09" * (SIDE // 2 * (1 + kind))
    found = read_png(_png(row * SIDE, kind, 8, SIDE, _chunk(b"tRNS", clear)), SIDE, SIDE)

    assert (found.rgba[:4], found.rgba[-4:]) == (b"\7\7\7\0", b"\x09\x09\x09\xff")


def test_nothing_of_the_file_stays_but_its_pixels() -> None:
    """No text, profile or place: not what was hidden there, nor a script behind the picture."""
    text = _chunk(b"tEXt", b"Comment\0SECRET") + _chunk(b"eXIf", b"SECRET")
    pixels = Pixels(SIDE, b"\1\2\3\4" * SIDE * SIDE)
    rows = (b"\0" + b"\1\2\3\4" * SIDE) * SIDE
    png = logo_of(_png(rows, 6, 8, SIDE, text) + b"<script>SECRET</script>").png

    assert png == write_png(pixels)
    assert b"SECRET" not in png


_WHOLE = write_png(Pixels(SIDE, bytes(4 * SIDE * SIDE)))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "not a PNG"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "not a PNG"),
        (b"\xff\xd8\xff\xe0JFIF", "save it as one"),
        (_START, "damaged"),
        (_WHOLE[:-20], "damaged"),
        (_WHOLE[:60] + b"\x55" + _WHOLE[61:], "damaged"),
        (_START + _chunk(b"IEND", b""), "damaged"),
        (_png(b""), "damaged"),
        (_png(bytes(10)), "damaged"),
        (_png(b"\x09" * (SIDE * (1 + 4 * SIDE))), "damaged"),
        (_png(bytes(SIDE * (1 + SIDE)), 3), "damaged"),
        (
            _png(b"\0\5" * (SIDE * (1 + SIDE) // 2), 3, 8, SIDE, _chunk(b"PLTE", b"1234")),
            "damaged",
        ),
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
        logo_of(_START + _chunk(b"IHDR", header) + _chunk(b"IEND", b""))


def test_no_more_is_unpacked_than_the_header_says() -> None:
    """A hundred megabytes of zeros in a hundred kilobytes cost what a logo costs."""
    png = logo_of(_png(bytes(100_000_000))).png

    assert png == write_png(Pixels(SIDE, bytes(4 * SIDE * SIDE)))


@given(
    kind=st.sampled_from([b"IHDR", b"PLTE", b"tRNS", b"IDAT"]),
    body=st.binary(max_size=40),
    rows=st.binary(max_size=200),
    header=st.tuples(*[st.sampled_from(each) for each in ((1, 2, 4, 8), (0, 2, 3, 4, 6))]),
)
def test_odd_chunks_are_refused_or_read(
    kind: bytes, body: bytes, rows: bytes, header: tuple[int, int]
) -> None:
    """Never a fault of ours."""
    depth, colour = header
    padded = rows + bytes(SIDE * (1 + 4 * SIDE))
    try:
        logo = logo_of(_png(padded, colour, depth, SIDE, _chunk(kind, body)))
    except ClientRefused:
        return
    assert read_png(logo.png, SIDE, SIDE).side_px == SIDE
