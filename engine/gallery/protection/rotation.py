"""Random rotations: a fixed one for packing, and keyed ones that hide vectors.

After a random rotation the numbers of any vector look like independent Gaussian ones, which the
packed scan's codebook expects; cosines do not change. A rotation drawn from a secret key makes
two galleries unlinkable and renewable (ISO/IEC 24745); the key reverses it.
"""

from __future__ import annotations

import hashlib
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

SEED: Final = 0x7468656E6172
"""``thenar`` in ASCII. Another seed changes every packed code."""

KEY_BYTES: Final = 32
"""Length of the secret of a keyed rotation."""

_STEPS: Final = float(1 << 24)
"""Matrix elements are rounded to this fraction, so that they do not depend on a machine's
linear algebra; cosines change by less than 1e-6."""


@cache
def fixed_rotation(dimension: int) -> NDArray[np.float32]:
    """Return the fixed orthonormal matrix: shape (dimension, dimension), float32."""
    generator = np.random.Generator(np.random.PCG64(SEED))
    return _orthonormal(generator.standard_normal((dimension, dimension)))


def keyed_rotation(key: bytes, dimension: int) -> NDArray[np.float32]:
    """Return the orthonormal matrix of a key: shape (dimension, dimension), float32.

    Equal keys give equal matrices on every machine. Takes 50 ms for 512 dimensions: keep the
    result, as secret as the key.

    Raises:
        ValueError: the key is not 32 bytes, or the dimension is not positive.
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
    # The upper 53 bits plus a half: strictly between 0 and 1, for the logarithm.
    uniform = ((words >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53
    radius = np.sqrt(-2.0 * np.log(uniform[:pairs]))
    angle = 2.0 * np.pi * uniform[pairs:]
    return np.concatenate([radius * np.cos(angle), radius * np.sin(angle)])[:count]


def _orthonormal(gaussian: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return the orthonormal factor, read-only, uniformly distributed. Mezzadri 2007."""
    orthonormal, triangle = np.linalg.qr(gaussian)
    uniform = orthonormal * np.sign(np.diag(triangle))
    matrix = (np.rint(uniform * _STEPS) / _STEPS).astype(np.float32)
    matrix.setflags(write=False)
    return matrix
