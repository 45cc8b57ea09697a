"""Random rotations: a fixed one that spreads numbers evenly, and keyed ones that hide them.

The codebook of the packed scan expects numbers that look like independent Gaussian ones. Any
vectors do after a random rotation, and cosines stay what they were. A rotation drawn from a
secret key makes the vectors of two galleries strangers to each other (ISO/IEC 24745:
renewability and unlinkability) as long as the keys stay secret; whoever has the key turns the
vectors back.
"""

from __future__ import annotations

import hashlib
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

SEED: Final = 0x7468656E6172
"""``thenar`` in ASCII. Whoever changes it changes every packed code."""

KEY_BYTES: Final = 32
"""Of the secret that a keyed rotation is drawn from."""

_STEPS: Final = float(1 << 24)
"""Numbers are rounded to this fraction, so that they do not depend on the last bits of the
linear algebra of a machine; cosines change by less than a millionth."""


@cache
def fixed_rotation(dimension: int) -> NDArray[np.float32]:
    """Return the same orthonormal matrix everywhere: (dimension, dimension), float32."""
    generator = np.random.Generator(np.random.PCG64(SEED))
    return _orthonormal(generator.standard_normal((dimension, dimension)))


def keyed_rotation(key: bytes, dimension: int) -> NDArray[np.float32]:
    """Return the orthonormal matrix of a key: shape (dimension, dimension), float32.

    The same key gives the same matrix on every machine; two keys give two matrices that are
    independent of each other. Takes some 50 ms for 512 dimensions: keep the result, as secret
    as the key.

    Args:
        key: 32 bytes, random, for this purpose only.
        dimension: of the vectors.

    Raises:
        ValueError: the key is of another length, or the dimension is not positive.
    """
    if len(key) != KEY_BYTES or dimension < 1:
        raise ValueError("a rotation is drawn from 32 bytes, for a positive dimension")
    return _orthonormal(_gaussian(key, dimension * dimension).reshape(dimension, dimension))


def _gaussian(key: bytes, count: int) -> NDArray[np.float64]:
    """Return normal numbers from a key: SHAKE256 (FIPS 202), then Box and Muller 1958."""
    pairs = -(-count // 2)
    domain = b"thenar/rotation/1\0"
    stream = hashlib.shake_256(domain + key).digest(16 * pairs)
    words = np.frombuffer(stream, "<u8").astype(np.uint64)
    # The upper 53 bits, and a half: above 0 and below 1, which the logarithm needs.
    uniform = ((words >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53
    radius = np.sqrt(-2.0 * np.log(uniform[:pairs]))
    angle = 2.0 * np.pi * uniform[pairs:]
    return np.concatenate([radius * np.cos(angle), radius * np.sin(angle)])[:count]


def _orthonormal(gaussian: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return the orthonormal factor of a Gaussian matrix, read-only.

    With the signs that make it uniform among rotations and reflections. Mezzadri 2007.
    """
    orthonormal, triangle = np.linalg.qr(gaussian)
    uniform = orthonormal * np.sign(np.diag(triangle))
    matrix = (np.rint(uniform * _STEPS) / _STEPS).astype(np.float32)
    matrix.setflags(write=False)
    return matrix
