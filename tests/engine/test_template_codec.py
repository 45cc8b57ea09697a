"""template_codec: bytes and templates are two forms of one thing, and nothing else passes."""

import struct
import zlib
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from engine.errors import CodeRefused, TemplateRefused
from engine.features.code_bytes import pack_code
from engine.parameters import TEMPLATE_SIZES
from engine.template_codec import (
    decode_template,
    encode_template,
    require_valid,
    split_templates,
)
from engine.types import ExtractorId, Hand, PalmTemplate
from tests.support.palms.reference_extractor import ReferenceExtractor
from tests.support.palms.templates import template_of

TEMPLATE = template_of(1)
DATA = encode_template(TEMPLATE)
NAME_START = 12
VECTOR_START = NAME_START + len("fake-1")

names = st.text("abcdefghijklmnopqrstuvwxyz0123456789.-", min_size=1, max_size=64).filter(
    lambda name: name not in TEMPLATE_SIZES
)
finite = st.floats(-1, 1, width=32).filter(lambda x: abs(x) > 2**-20 or x == 0)
vectors = npst.arrays(np.float32, st.integers(1, 40), elements=finite).filter(np.any)


def with_checksum(body: bytes) -> bytes:
    """The bytes with a right check sum, so that another check has to find the fault."""
    return body + struct.pack("<I", zlib.crc32(body))


def with_bytes(position: int, new: bytes) -> bytes:
    """The valid template with some bytes changed, and its check sum made right."""
    body = DATA[:-4]
    return with_checksum(body[:position] + new + body[position + len(new) :])


@given(
    name=names,
    hand=st.sampled_from(Hand),
    vector=vectors,
    code=npst.arrays(np.uint8, st.integers(0, 40)),
)
def test_a_template_survives_its_codec(name, hand, vector, code):
    """The service compares the template that a phone sends, with every extractor."""
    unit = (vector / np.linalg.norm(vector.astype(np.float64))).astype(np.float32)
    template = PalmTemplate(ExtractorId(name), hand, unit, code)

    data = encode_template(template)
    read = decode_template(data)

    assert (read.extractor, read.hand) == (template.extractor, template.hand)
    np.testing.assert_array_equal(read.vector, template.vector)
    np.testing.assert_array_equal(read.code, template.code)
    assert encode_template(read) == data


def test_the_format_is_the_documented_one():
    """A phone in another language is written from the docstring, not from this code."""
    template = PalmTemplate(
        ExtractorId("a-1"),
        Hand.RIGHT,
        np.array([0.6, -0.8], np.float32),
        np.array([255], np.uint8),
    )

    body = b"THNR\x01\x02\x03\x00\x02\x00\x01\x00a-1" + struct.pack("<ff", 0.6, -0.8) + b"\xff"
    assert encode_template(template) == body + struct.pack("<I", zlib.crc32(body))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        DATA[:-1],
        DATA + b"\x00",
        DATA[:-1] + bytes((DATA[-1] ^ 1,)),
        with_bytes(0, b"THNS"),
        with_bytes(4, b"\x02"),
        with_bytes(5, b"\x00"),
        with_bytes(6, b"\x00"),
        with_bytes(7, b"\x01"),
        with_bytes(8, b"\xff\xff"),
        with_bytes(10, b"\x00\x00"),
        with_bytes(NAME_START, b"F"),
        with_bytes(NAME_START, b"\xff"),
        with_bytes(VECTOR_START, struct.pack("<f", float("nan"))),
        with_bytes(VECTOR_START, struct.pack("<f", float("inf"))),
        with_bytes(VECTOR_START, struct.pack("<f", 3e38)),
        with_bytes(VECTOR_START, bytes(64)),
        with_checksum(b"THNR\x01\x01\x01\x00\x00\x00\x00\x00a"),
        with_checksum(
            b"THNR\x01\x01\x01\x00\x01\x00\x01\x20a" + struct.pack("<f", 1) + bytes(8193)
        ),
        with_checksum(
            b"THNR\x01\x01\x01\x00\x01\x10\x00\x00a" + struct.pack("<f", 1) + bytes(16384)
        ),
        with_checksum(b"THNR\x01\x01\x00\x00\x01\x00\x00\x00" + struct.pack("<f", 1)),
        with_checksum(
            b"THNR\x01\x01\x41\x00\x01\x00\x00\x00" + b"a" * 65 + struct.pack("<f", 1)
        ),
    ],
)
def test_one_wrong_thing_is_enough(data):
    """Each rule of the format refuses by itself."""
    with pytest.raises(TemplateRefused):
        decode_template(data)


@pytest.mark.parametrize(
    "change",
    [
        {"vector": TEMPLATE.vector.astype(np.float64)},
        {"vector": TEMPLATE.vector.reshape(4, 4)},
        {"vector": TEMPLATE.vector[:0]},
        {"vector": TEMPLATE.vector.tolist()},
        {"code": None},
        {"extractor": None},
        {"vector": TEMPLATE.vector * np.float32(1.02)},
        {"vector": TEMPLATE.vector * np.float32("nan")},
        {"code": TEMPLATE.code.astype(np.int16)},
        {"code": TEMPLATE.code.reshape(2, -1)},
        {"extractor": ExtractorId("")},
        {"extractor": ExtractorId("Fake 1")},
    ],
)
def test_an_unsound_template_is_never_written(change):
    """A fault of our own must not reach the database, where it would stay."""
    with pytest.raises(TemplateRefused):
        encode_template(replace(TEMPLATE, **change))


@pytest.mark.parametrize("extractor", sorted(TEMPLATE_SIZES))
@pytest.mark.parametrize(("more_numbers", "more_bytes"), [(0, 0), (1, 0), (0, 1), (-1, 1)])
def test_a_known_extractor_has_one_size(extractor, more_numbers, more_bytes):
    """Sizes are part of an extractor's meaning: other ones cannot be compared."""
    dimension, code_bytes = TEMPLATE_SIZES[extractor]
    vector = np.eye(1, dimension + more_numbers, dtype=np.float32)[0]
    code = np.zeros(code_bytes + more_bytes, np.uint8)
    template = PalmTemplate(ExtractorId(extractor), Hand.LEFT, vector, code)

    if (more_numbers, more_bytes) == (0, 0):
        assert decode_template(encode_template(template)).vector.size == dimension
        return
    with pytest.raises(TemplateRefused, match="sizes"):
        encode_template(template)


@settings(max_examples=300)
@given(data=st.binary(max_size=200), is_right=st.booleans(), keep=st.integers(0, len(DATA)))
def test_no_bytes_make_it_raise_anything_but_its_own_error(data, is_right, keep):
    """A template comes from the network: any other exception would be a crash."""
    body = DATA[:keep] + data
    try:
        template = decode_template(with_checksum(body) if is_right else body)
    except TemplateRefused:
        return
    assert np.linalg.norm(template.vector) == pytest.approx(1, abs=1e-5)


def test_a_template_does_not_print():
    """Neither a log nor a traceback may show what a palm looks like."""
    with pytest.raises(TemplateRefused) as refusal:
        decode_template(with_bytes(VECTOR_START, bytes(64)))

    assert repr(refusal.value).isascii()
    assert "array" not in repr(TEMPLATE)


@pytest.mark.parametrize("flipped", [{0, 128}, {384}, {512, 640}, {896}])
def test_a_forged_code_is_refused_when_it_is_read(flipped):
    """Direction 010 belongs to no palm, nor does a direction where no skin is seen."""
    shipped = ReferenceExtractor()
    code = np.tile(pack_code(np.ones((32, 32), np.int64), np.ones((32, 32), np.bool_)), 2)
    vector = np.full(shipped.dimension, shipped.dimension**-0.5, np.float32)
    good = encode_template(PalmTemplate(shipped.extractor_id, Hand.LEFT, vector, code))
    body = bytearray(good[:-4])
    for octet in flipped:
        body[octet - code.size] ^= 1

    assert np.array_equal(decode_template(good).code, code)
    with pytest.raises(CodeRefused):
        decode_template(with_checksum(bytes(body)))


@pytest.mark.parametrize("rest", [b"TH", bytes(11), b"THNR" + bytes(8)])
def test_what_is_behind_a_file_must_be_a_whole_one(rest):
    """Sizes are believed only as far as there are bytes."""
    with pytest.raises(TemplateRefused):
        split_templates(DATA + rest)


def test_a_dense_code_is_sent_by_a_probe_and_never_stored():
    """It aligns one sign-in; who is enrolled has no use of it."""
    shipped = ReferenceExtractor()
    dense = np.tile(pack_code(np.ones((64, 64), np.int64), np.ones((64, 64), np.bool_)), 2)
    code = np.tile(pack_code(np.ones((32, 32), np.int64), np.ones((32, 32), np.bool_)), 2)
    vector = np.full(shipped.dimension, shipped.dimension**-0.5, np.float32)
    probe = PalmTemplate(shipped.extractor_id, Hand.LEFT, vector, code, dense)
    sent = encode_template(probe, as_probe=True)

    received = decode_template(sent).dense
    assert received is not None
    assert np.array_equal(received, dense)
    assert decode_template(encode_template(decode_template(sent))).dense is None
    with pytest.raises(CodeRefused):
        require_valid(replace(probe, dense=dense * (np.arange(dense.size) // 512 != 3)))
    other = np.tile(pack_code(np.full((64, 64), 2), np.ones((64, 64), np.bool_)), 2)
    for wrong in (
        replace(probe, dense=other),
        replace(probe, dense=dense[:-1]),
        replace(probe, extractor=ExtractorId("palmnet-2"), code=code[:512]),
    ):
        with pytest.raises(TemplateRefused, match="dense"):
            require_valid(wrong)
