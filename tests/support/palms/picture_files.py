"""Picture files, honest and hostile, made from arithmetic: no camera and no person."""

import struct
import zlib

import cv2
import numpy as np
from numpy.typing import NDArray

JPEG_END = b"\xff\xd9"


def gradient(width: int, height: int) -> NDArray[np.uint8]:
    """A smooth BGR picture whose four corners differ: shape (height, width, 3), uint8."""
    picture = np.full((height, width, 3), 40, np.uint8)
    picture[..., 0] = 255 * np.arange(width) / max(1, width - 1)
    picture[..., 1] = (255 * np.arange(height) / max(1, height - 1))[:, None]
    return picture


def encoded(
    pixels: NDArray[np.integer | np.floating], suffix: str = ".jpg", *options: int
) -> bytes:
    """An OpenCV-encoded file."""
    ok, data = cv2.imencode(suffix, pixels, list(options))
    assert ok
    return data.tobytes()


def exif(orientation: int, order: str = "<") -> bytes:
    """A TIFF structure that states a width and an orientation; ``order`` as in ``struct``."""
    width = struct.pack(f"{order}HHIHH", 0x0100, 3, 1, 64, 0)
    turn = struct.pack(f"{order}HHIHH", 0x0112, 3, 1, orientation, 0)
    mark = b"II" if order == "<" else b"MM"
    return mark + struct.pack(f"{order}HIH", 42, 8, 2) + width + turn + bytes(4)


def jpeg_with(data: bytes, marker: int, body: bytes) -> bytes:
    """The JPEG with one more segment right after its start."""
    return data[:2] + struct.pack(">BBH", 0xFF, marker, len(body) + 2) + body + data[2:]


def png_chunk(kind: bytes, body: bytes) -> bytes:
    """One PNG chunk with its length and check sum."""
    return (
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    )


def png_with(data: bytes, kind: bytes, body: bytes) -> bytes:
    """The PNG with one more chunk right after its header."""
    return data[:33] + png_chunk(kind, body) + data[33:]


def square_png(colour: bytes = b"\xff\0\0\xff", side: int = 64) -> bytes:
    """A PNG in one colour, 8 bits a channel with transparency: what a client's logo may be."""
    header = struct.pack(">IIBBBBB", side, side, 8, 6, 0, 0, 0)
    packed = zlib.compress((b"\0" + colour * side) * side)
    chunks = (b"IHDR", header), (b"IDAT", packed), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(png_chunk(*chunk) for chunk in chunks)


def png_bomb(width: int, height: int) -> bytes:
    """A black PNG, one bit a pixel, compressed to almost nothing."""
    squeeze = zlib.compressobj(9)
    row = bytes(1 + (width + 7) // 8)
    packed = b"".join(squeeze.compress(row) for _ in range(height)) + squeeze.flush()
    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    chunks = (b"IHDR", header), (b"IDAT", packed), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(png_chunk(*chunk) for chunk in chunks)


def webp_extended(
    simple: bytes, *, flags: int, extra: tuple[tuple[bytes, bytes], ...]
) -> bytes:
    """An extended WebP file round the picture of a simple one."""
    chunks = riff_chunk(b"VP8X", bytes((flags,)) + bytes(9)) + simple[12:]
    chunks += b"".join(riff_chunk(*chunk) for chunk in extra)
    return b"RIFF" + struct.pack("<I", len(chunks) + 4) + b"WEBP" + chunks


def riff_chunk(kind: bytes, body: bytes) -> bytes:
    """One RIFF chunk, padded to an even length."""
    return kind + struct.pack("<I", len(body)) + body + bytes(len(body) % 2)
