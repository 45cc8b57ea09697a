"""read_picture: what a caller's own program may hand over, and what it costs at most."""

import io
import struct

import cv2
import numpy as np
import pillow_heif
import pytest
from PIL import Image

from engine.decode import MAX_PLAIN_BYTES, read_picture
from engine.errors import SampleTooLarge, SampleUnreadable
from engine.types import PalmSample
from tests.support.palms.picture_files import encoded, gradient
from tests.support.palms.pipeline import fake_pipeline, palm_pixels

PICTURE = gradient(200, 120)
RGB = cv2.cvtColor(PICTURE, cv2.COLOR_BGR2RGB)
PLAIN = {
    "bmp": encoded(PICTURE, ".bmp"),
    "ppm": encoded(PICTURE, ".ppm"),
    "deep ppm": encoded(PICTURE.astype(np.uint16) * 257, ".ppm"),
    "tiff": encoded(PICTURE, ".tiff", cv2.IMWRITE_TIFF_COMPRESSION, 1),
}


def pixels_of(data):
    """The pixels of a file that is decoded at once."""
    sample = read_picture(data)
    assert isinstance(sample, PalmSample)
    return sample.pixels


def tiff(side):
    """A TIFF of one grey square, whose directory stands before its pixels."""
    tags = {256: side, 257: side, 258: 8, 259: 1, 262: 1, 273: 122, 277: 1, 278: side}
    entries = [
        struct.pack("<HHII", tag, 4, 1, value) for tag, value in (tags | {279: side**2}).items()
    ]
    return b"II*\0\x08\0\0\0\x09\0" + b"".join(entries) + bytes(4) + bytes(min(side, 40) ** 2)


def test_every_form_of_a_picture_gives_one_template(tmp_path):
    """Bytes, path, open file and pixels are one picture."""
    bgr, pipeline = palm_pixels(1), fake_pipeline()
    data = encoded(bgr, ".png")
    (tmp_path / "palm.png").write_bytes(data)
    forms = [data, bytearray(data), tmp_path / "palm.png", str(tmp_path / "palm.png")]
    forms += [io.BytesIO(data), bgr[..., ::-1], encoded(bgr, ".bmp")]

    made = [pipeline.extract(read_picture(form)).template for form in forms]

    assert len({one.code.tobytes() for one in made}) == 1


@pytest.mark.parametrize("data", PLAIN.values(), ids=PLAIN)
def test_plain_files_become_rgb_and_half_of_one_is_unreadable(data):
    """Half a palm must never be compared as if it were one."""
    np.testing.assert_array_equal(pixels_of(data), RGB)
    for length in range(4, len(data) - 4, len(data) // 50):
        with pytest.raises(SampleUnreadable):
            read_picture(data[:length])


def test_a_phones_own_format_and_a_pillow_picture_are_read():
    """HEIC needs the optional package; damaged, it is refused like the others."""
    shown = Image.fromarray(RGB)
    file = io.BytesIO()
    pillow_heif.from_pillow(shown).save(file, quality=-1)

    grey = io.BytesIO()
    pillow_heif.from_pillow(shown.convert("L")).save(grey, quality=-1)

    assert np.abs(pixels_of(file.getvalue()).astype(int) - RGB).max() < 20
    assert pixels_of(grey.getvalue()).shape == RGB.shape
    np.testing.assert_array_equal(pixels_of(shown), RGB)
    for length in range(12, file.tell(), 97):
        with pytest.raises(SampleUnreadable):
            read_picture(file.getvalue()[:length])


@pytest.mark.parametrize(
    "source",
    [
        b"P5 90000 90000 255\n",
        b"P5 2 2 1023\n" + bytes(8),
        b"P5" + bytes(MAX_PLAIN_BYTES),
        tiff(60_000),
        encoded(PICTURE, ".tiff"),
        encoded(PICTURE, ".bmp")[:30] + b"\1" + encoded(PICTURE, ".bmp")[31:],
        np.zeros((8000, 8000, 3), np.uint8),
    ],
)
def test_too_much_is_refused_from_every_kind_of_source(source):
    """Before a pixel is decoded."""
    with pytest.raises((SampleTooLarge, SampleUnreadable)):
        read_picture(source)


@pytest.mark.parametrize(
    "source",
    [
        *(7, None, io.StringIO("palm"), Image.fromarray(RGB).convert("YCbCr")),
        *(np.zeros((9, 9), np.uint8), np.zeros((9, 9, 3))),
    ],
)
def test_the_error_for_anything_else_says_what_a_picture_is(source):
    """A sentence instead of an error from deep inside."""
    with pytest.raises(TypeError, match=r"^an? (picture|array of pixels) is "):
        read_picture(source)
