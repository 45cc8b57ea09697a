"""Templates as bytes: what phones send and what is stored, encrypted.

Media type ``application/vnd.thenar.template``. Version 1, little-endian:

====== ====== ==============================================================================
offset bytes  content
====== ====== ==============================================================================
0      4      ``THNR``
4      1      version: 1
5      1      hand: 1 left, 2 right
6      1      E, length of the extractor's name, 1 to 64
7      1      0
8      2      D, length of the vector, 1 to 4096
10     2      C, bytes of the code, 0 to 8192
12     E      extractor: ASCII ``a``–``z``, ``0``–``9``, ``.`` and ``-``
12+E   4 D    vector: binary32, Euclidean norm 0.99 to 1.01
…      C      code; a probe's dense code may follow it
…      4      CRC-32 of all bytes before it (ISO 3309)
====== ====== ==============================================================================

One stored template has exactly one encoding, without a dense code. The CRC finds accidents, not
forgeries. A vector longer than 1 would win every search, one with NaN would be lost: both are
refused.
"""

import math
import re
import struct
import zlib
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.errors import CodeRefused, TemplateRefused
from engine.features.code_bytes import fields_of, require_directions
from engine.parameters import (
    CODE_BYTES,
    CODE_CELLS,
    CODE_SCALES,
    DENSE_BYTES,
    DENSE_CELLS,
    TEMPLATE_SIZES,
)
from engine.types import ExtractorId, Hand, PalmTemplate

MAGIC: Final = b"THNR"
VERSION: Final = 1
HEAD: Final = struct.Struct("<4sBBBBHH")
CHECK_SUM: Final = struct.Struct("<I")
SIDES: Final = {Hand.LEFT: 1, Hand.RIGHT: 2}
HANDS: Final = {number: hand for hand, number in SIDES.items()}

MAX_DIMENSION: Final = 4096
MAX_CODE_BYTES: Final = 8192
NAME: Final = re.compile(rb"[a-z0-9.-]{1,64}")

NORM_TOLERANCE: Final = 0.01
"""A phone that computes in half precision stays within 0.001."""

UNIT_TOLERANCE: Final = 1e-6
"""A vector this close to unit length is stored bit for bit."""


def encode_template(template: PalmTemplate, *, as_probe: bool = False) -> bytes:
    """Encode a template; as a probe with its dense code. Raises ``TemplateRefused``."""
    sound = require_valid(template)
    name, code = sound.extractor.encode(), sound.code.tobytes()
    if as_probe and sound.dense is not None:
        code += sound.dense.tobytes()
    head = HEAD.pack(
        MAGIC, VERSION, SIDES[sound.hand], len(name), 0, sound.vector.size, len(code)
    )
    body = head + name + sound.vector.astype("<f4").tobytes() + code
    return body + CHECK_SUM.pack(zlib.crc32(body))


def decode_template(data: bytes) -> PalmTemplate:
    """Decode an untrusted template; its vector is scaled to unit length.

    Raises:
        TemplateRefused: not exactly one template of version 1, or wrong sizes.
        CodeRefused: the extractor cannot have made this code.
    """
    if len(data) < HEAD.size:
        raise TemplateRefused("the template ends early")
    magic, version, side, name_bytes, zero, dimension, code_bytes = HEAD.unpack_from(data)
    if (magic, version, zero) != (MAGIC, VERSION, 0) or side not in HANDS:
        raise TemplateRefused("not a template of version 1")
    vector_start = HEAD.size + name_bytes
    code_start = vector_start + 4 * dimension
    body_bytes = code_start + code_bytes
    _require_whole(data, body_bytes)
    extractor = _extractor(data[HEAD.size : vector_start])
    code = np.frombuffer(data[code_start:body_bytes], np.uint8)
    size = TEMPLATE_SIZES.get(extractor, (0, code.size))[1]
    template = PalmTemplate(
        extractor=extractor,
        hand=HANDS[side],
        vector=np.frombuffer(data[vector_start:code_start], "<f4").astype(np.float32),
        code=code[:size],
        dense=code[size:] if code.size > size else None,
    )
    return require_valid(template)


def split_templates(data: bytes) -> list[bytes]:
    """Split concatenated templates without decoding them. Raises ``TemplateRefused``."""
    parts = []
    while data:
        if len(data) < HEAD.size:
            raise TemplateRefused("the template ends early")
        *_, name_bytes, _, dimension, code_bytes = HEAD.unpack_from(data)
        size = HEAD.size + name_bytes + 4 * dimension + code_bytes + CHECK_SUM.size
        if len(data) < size:
            raise TemplateRefused("the template is shorter or longer than it says")
        parts.append(data[:size])
        data = data[size:]
    return parts


def require_valid(template: PalmTemplate) -> PalmTemplate:
    """Return the template with a vector of exactly unit length.

    Raises:
        TemplateRefused: wrong dtype, shape or size, or not a finite unit vector.
        CodeRefused: the extractor cannot have made this code.
    """
    vector, code = template.vector, template.code
    dense = code if template.dense is None else template.dense
    parts: list[tuple[object, type]] = [
        *((each, str) for each in (template.extractor, template.hand)),
        *((each, np.ndarray) for each in (vector, code, dense)),
    ]
    if (
        not all(isinstance(each, kind) for each, kind in parts)
        or vector.dtype != np.float32
        or code.dtype != np.uint8
        or vector.ndim != 1
        or code.ndim != 1
    ):
        raise TemplateRefused("the template's fields have the wrong type or shape")
    if template.hand not in SIDES:
        raise TemplateRefused("the template names no hand")
    _extractor(template.extractor.encode())
    _require_size(template)
    if template.extractor in TEMPLATE_SIZES:
        require_directions(code)
    if template.dense is not None:
        _require_dense(template.extractor, code, template.dense)
    wide = vector.astype(np.float64)
    norm = math.sqrt(wide @ wide)
    if not abs(norm - 1) <= NORM_TOLERANCE:
        raise TemplateRefused("the template's vector is not of unit length")
    if abs(norm - 1) <= UNIT_TOLERANCE:
        return template
    return replace(template, vector=_unit(vector, norm))


def _require_whole(data: bytes, body_bytes: int) -> None:
    if len(data) != body_bytes + CHECK_SUM.size:
        raise TemplateRefused("the template is shorter or longer than it says")
    if CHECK_SUM.unpack_from(data, body_bytes)[0] != zlib.crc32(data[:body_bytes]):
        raise TemplateRefused("the template is damaged: its check sum is wrong")


def _extractor(name: bytes) -> ExtractorId:
    if NAME.fullmatch(name) is None:
        raise TemplateRefused("the template's extractor name is not valid")
    return ExtractorId(name.decode("ascii"))


def _require_size(template: PalmTemplate) -> None:
    """Check the sizes by the extractor, or by the format's limits if it is unknown."""
    size = template.vector.size, template.code.size
    if size != TEMPLATE_SIZES.get(template.extractor, size):
        raise TemplateRefused("the template's sizes are not those of its extractor")
    if not 1 <= size[0] <= MAX_DIMENSION or size[1] > MAX_CODE_BYTES:
        raise TemplateRefused("the template is empty or too large")


def _require_dense(
    extractor: ExtractorId, code: NDArray[np.uint8], dense: NDArray[np.uint8]
) -> None:
    """Only an extractor of two codes gives a dense one, and each of its cells is there again.

    A dense code of another palm would be free to resemble any.
    """
    has_dense = TEMPLATE_SIZES.get(extractor, (0, 0))[1] == len(CODE_SCALES) * CODE_BYTES
    if not has_dense or dense.dtype != np.uint8 or dense.shape != (DENSE_BYTES,):
        raise TemplateRefused("the template's dense code has the wrong size")
    require_directions(dense, DENSE_BYTES // len(CODE_SCALES))
    step = DENSE_CELLS // CODE_CELLS
    own = fields_of(dense, DENSE_CELLS)[:, step - 1 :: step, step - 1 :: step]
    if not np.array_equal(own, fields_of(code, CODE_CELLS)):
        raise CodeRefused("the dense code is not of this template's code")


def _unit(vector: NDArray[np.float32], norm: float) -> NDArray[np.float32]:
    return (vector.astype(np.float64) / norm).astype(np.float32)
