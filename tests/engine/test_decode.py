"""decode: what unauthenticated bytes may cost and what they become."""

import tracemalloc
from zlib import crc32

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.decode import MAX_BYTES, decode_sample, read_container
from engine.errors import SampleCmyk, SampleRefused, SampleTooLarge, SampleUnreadable
from tests.support.palms.picture_files import (
    JPEG_END,
    encoded,
    exif,
    gradient,
    jpeg_with,
    png_bomb,
    png_with,
    webp_extended,
)

WIDTH, HEIGHT = 64, 40
PICTURE = gradient(WIDTH, HEIGHT)
JPEG = encoded(PICTURE)
PROGRESSIVE = encoded(PICTURE, ".jpg", cv2.IMWRITE_JPEG_PROGRESSIVE, 1)
PNG = encoded(PICTURE, ".png")
SIZELESS = b"IHDR" + bytes(8) + PNG[24:29]
LOSSY_WEBP = encoded(PICTURE, ".webp", cv2.IMWRITE_WEBP_QUALITY, 90)
LOSSLESS_WEBP = encoded(PICTURE, ".webp", cv2.IMWRITE_WEBP_QUALITY, 101)
FILES = {
    "jpeg": JPEG,
    "progressive jpeg": PROGRESSIVE,
    "png": PNG,
    "lossy webp": LOSSY_WEBP,
    "lossless webp": LOSSLESS_WEBP,
}
RGB = cv2.cvtColor(PICTURE, cv2.COLOR_BGR2RGB)


@pytest.mark.parametrize("data", FILES.values(), ids=FILES)
def test_a_picture_becomes_upright_rgb(data):
    """Colour order is the commonest mistake of all; every format must agree on it."""
    pixels = decode_sample(data).pixels

    assert pixels.dtype == np.uint8
    assert pixels.flags.c_contiguous
    np.testing.assert_allclose(pixels.astype(int), RGB.astype(int), atol=9)


@pytest.mark.parametrize("data", FILES.values(), ids=FILES)
def test_a_truncated_picture_is_unreadable(data):
    """Half a palm must never be compared as if it were one."""
    for length in range(0, len(data) - 1, 7):
        with pytest.raises(SampleUnreadable):
            decode_sample(data[:length])


@pytest.mark.parametrize("share", [0.3, 0.5, 0.9])
@pytest.mark.parametrize("option", [cv2.IMWRITE_JPEG_OPTIMIZE, cv2.IMWRITE_JPEG_RST_INTERVAL])
def test_an_end_marker_makes_no_half_jpeg_whole(option, share):
    """The codec fills the missing half with grey, which a picture of grey may have, too."""
    noise = np.random.default_rng(0).integers(0, 256, (320, 240, 3), dtype=np.uint8)
    whole = encoded(cv2.GaussianBlur(noise, (0, 0), 3), ".jpg", option, 4)
    grey = encoded(np.full((320, 240, 3), 128, np.uint8), ".jpg", option, 4)

    assert decode_sample(grey).pixels.shape == (320, 240, 3)
    with pytest.raises(SampleUnreadable, match="ends early"):
        decode_sample(whole[: int(len(whole) * share)] + JPEG_END)


@pytest.mark.parametrize(
    ("data", "advice"),
    [
        (b"", "already read"),
        (b"\0\0\0\x18ftypheic" + bytes(16), "HEIC is not read: save it as JPEG"),
        (b"\0\0\0\x18ftypisom" + bytes(16), "not a JPEG, PNG or WebP"),
        (b"\0\0\0\x1cftypavif" + bytes(16), "AVIF is not read: save it as JPEG"),
    ],
)
def test_a_format_that_is_not_read_is_named(data, advice):
    """With the way out."""
    with pytest.raises(SampleUnreadable, match=advice):
        decode_sample(data)


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("order", "<>")
def test_orientation_is_applied_once(orientation, order):
    """Phones store sideways; applying it twice or mirrored would change left into right."""
    turned = {
        1: RGB,
        2: RGB[:, ::-1],
        3: RGB[::-1, ::-1],
        4: RGB[::-1],
        5: RGB.swapaxes(0, 1),
        6: np.rot90(RGB, -1),
        7: RGB.swapaxes(0, 1)[::-1, ::-1],
        8: np.rot90(RGB),
    }[orientation]
    block = exif(orientation, order)
    files = (
        jpeg_with(JPEG, 0xE1, b"Exif\x00\x00" + block),
        png_with(PNG, b"eXIf", block),
        webp_extended(LOSSLESS_WEBP, flags=8, extra=((b"EXIF", block),)),
    )

    for data in files:
        pixels = decode_sample(data).pixels
        assert pixels.shape == turned.shape
        np.testing.assert_allclose(pixels.astype(int), turned.astype(int), atol=9)


def test_unusual_pixels_become_rgb():
    """Grey, 16 bit, palette and transparent files are pictures, too."""
    grey = cv2.cvtColor(PICTURE, cv2.COLOR_BGR2GRAY)
    clear = np.dstack([PICTURE, np.zeros((HEIGHT, WIDTH), np.uint8)])

    np.testing.assert_array_equal(decode_sample(encoded(grey, ".png")).pixels[..., 1], grey)
    assert np.ptp(decode_sample(encoded(grey, ".jpg")).pixels, axis=2).max() == 0
    deep = decode_sample(encoded(PICTURE.astype(np.uint16) * 257, ".png")).pixels
    np.testing.assert_array_equal(deep, RGB)
    np.testing.assert_array_equal(decode_sample(encoded(clear, ".png")).pixels, RGB)


def test_a_bomb_costs_nothing():
    """48 KB that unfold to 400 megapixels are refused before a pixel exists."""
    bomb = png_bomb(20_000, 20_000)
    assert len(bomb) < 60_000

    tracemalloc.start()
    with pytest.raises(SampleTooLarge, match="20000 × 20000"):
        decode_sample(bomb)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak < 1_000_000


def test_a_ribbon_is_refused():
    """Few pixels, but a side that the codec does not take: its own error must not pass."""
    with pytest.raises(SampleUnreadable):
        decode_sample(png_bomb(2_000_000, 1))


def test_too_many_bytes_are_not_even_read():
    """The limit on bytes holds whatever they are."""
    with pytest.raises(SampleTooLarge, match="12 MB"):
        decode_sample(JPEG + bytes(MAX_BYTES))


@pytest.mark.parametrize(
    ("marker", "offset", "change", "reason"),
    [
        (0xC0, 5, (7071).to_bytes(2, "big") + (7072).to_bytes(2, "big"), "50 million"),
        (0xC0, 5, bytes(4), "no picture"),
        (0xC0, 4, b"\x0c", "coded"),
        (0xC0, 9, b"\x02", "grey nor YCbCr"),
        (0xC0, 1, b"\xc3", "coded"),
        (0xC0, 1, b"\xc9", "coded"),
        (0xC0, 2, b"\x00\x01", "damaged"),
        (0xC4, 2, b"\x00\x00", "damaged"),
    ],
)
def test_one_wrong_thing_in_a_jpeg_header_is_enough(marker, offset, change, reason):
    """Lossless, arithmetic, 12 bit and giant files are refused by name."""
    start = JPEG.index(bytes((0xFF, marker))) + offset
    data = JPEG[:start] + change + JPEG[start + len(change) :]

    with pytest.raises(SampleRefused, match=reason):
        decode_sample(data)


def test_a_jpeg_for_printing_has_its_own_error():
    """People can do something about it: it is not damaged."""
    components = JPEG.index(b"\xff\xc0") + 9

    with pytest.raises(SampleCmyk, match="CMYK"):
        decode_sample(JPEG[:components] + b"\x04" + JPEG[components + 1 :])


def test_a_jpeg_may_not_hide_a_second_frame():
    """Else the size that is judged is not the size that is decoded."""
    start = JPEG.index(b"\xff\xc0")
    frame = JPEG[start : start + 4 + JPEG[start + 3] - 2]

    with pytest.raises(SampleUnreadable):
        decode_sample(JPEG[:start] + frame + JPEG[start:])


def test_a_jpeg_of_thousand_scans_is_refused():
    """Each scan of a progressive file is one more walk through the whole picture."""
    start = PROGRESSIVE.rindex(b"\xff\xda")
    scan = PROGRESSIVE[start : -len(JPEG_END)]

    with pytest.raises(SampleUnreadable, match="scans"):
        decode_sample(PROGRESSIVE[:-2] + scan * 40 + JPEG_END)
    with pytest.raises(SampleUnreadable, match="segments"):
        decode_sample(PROGRESSIVE[:-2] + scan * 1000 + JPEG_END)
    size = b"".join(each.to_bytes(2, "big") for each in PICTURE.shape[:2])
    wide = PROGRESSIVE.replace(size, b"\x1f\xff\x1f\xff", 1)
    with pytest.raises(SampleUnreadable, match="scans for its size"):
        decode_sample(wide)


def test_many_empty_chunks_are_refused():
    """A file of millions of chunks would keep the reader busy instead of the codec."""
    png = png_with(PNG, b"tEXt", b"")
    text = png[33 : 33 + 12]
    with pytest.raises(SampleUnreadable, match="chunks"):
        decode_sample(PNG[:33] + text * 20_000 + PNG[33:])

    webp = webp_extended(LOSSY_WEBP, flags=0, extra=((b"ABCD", b""),) * 200)
    with pytest.raises(SampleUnreadable, match="chunks"):
        decode_sample(webp)


def test_only_one_still_picture_is_taken():
    """An animation has no one picture; a second header could contradict the first."""
    twice = webp_extended(LOSSY_WEBP, flags=2, extra=((b"VP8L", LOSSLESS_WEBP[20:]),))
    with pytest.raises(SampleUnreadable, match="animation"):
        decode_sample(twice)
    with pytest.raises(SampleUnreadable, match="one header"):
        decode_sample(PNG[:33] + PNG[8:33] + PNG[33:])
    with pytest.raises(SampleUnreadable, match="one header"):
        decode_sample(PNG[:8] + PNG[33:])


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (LOSSY_WEBP.replace(b"\x9d\x01\x2a", b"\x9d\x01\x2b"), "damaged"),
        (LOSSY_WEBP.replace(b"\x9d\x01\x2a\x40\x00", b"\x9d\x01\x2a\x00\x00"), "no picture"),
        (LOSSLESS_WEBP[:20] + b"\x2e" + LOSSLESS_WEBP[21:], "damaged"),
        (PNG[:12] + SIZELESS + crc32(SIZELESS).to_bytes(4, "big") + PNG[33:], "no picture"),
        (b"RIFF\x04\x00\x00\x00WEBP", "animation"),
        (b"RIFF\x08\x00\x00\x00WEBPVP8 ", "damaged"),
        (b"GIF89a" + bytes(40), "not a JPEG"),
    ],
)
def test_other_damage_is_named(data, reason):
    """The engineer who looks at a refused file learns what is wrong with it."""
    with pytest.raises(SampleUnreadable, match=reason):
        decode_sample(data)


def test_a_damaged_picture_inside_a_sound_file_is_unreadable(capfd):
    """The outside may be right while the pixels are rubbish; libpng never sees it."""
    start = PNG.index(b"IDAT") + 8
    with pytest.raises(SampleUnreadable):
        decode_sample(PNG[:start] + bytes(20) + PNG[start + 20 :])
    assert not capfd.readouterr().err


@pytest.mark.parametrize(
    ("size", "expected"),
    [((4032, 3024), (1512, 2016)), ((3000, 1000), (683, 2048)), ((2000, 40), (40, 2000))],
)
def test_a_large_jpeg_is_decoded_small(size, expected):
    """A sample never has more pixels than are looked at, nor far fewer."""
    pixels = decode_sample(encoded(gradient(*size))).pixels

    assert pixels.shape[:2] == expected
    assert abs(int(pixels[0, -1, 2]) - 255) < 6
    assert int(pixels[0, 0, 2]) < 6


@settings(max_examples=300, deadline=None)
@given(
    data=st.binary(max_size=400), head=st.sampled_from([b"", *(f[:30] for f in FILES.values())])
)
def test_no_bytes_make_it_raise_anything_but_its_own_errors(data, head):
    """A route turns SampleRefused into an answer; anything else would be a crash."""
    try:
        decode_sample(head + data)
    except SampleRefused:
        return


@settings(max_examples=500, deadline=None)
@given(data=st.data())
def test_mutated_pictures_are_refused_or_keep_their_size(data):
    """Bit flips in valid files reach deeper into the codec than random bytes do."""
    whole = bytearray(data.draw(st.sampled_from(sorted(FILES.values()))))
    for _ in range(data.draw(st.integers(1, 6))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    try:
        picture = read_container(bytes(whole))
        pixels = decode_sample(bytes(whole)).pixels
    except SampleRefused:
        return
    assert pixels.shape[2] == 3
    assert pixels.size <= 3 * picture.width * picture.height
