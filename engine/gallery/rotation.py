"""A fixed random rotation: it spreads what a template knows evenly over its numbers.

The codebook of the packed scan expects numbers that look like independent Gaussian ones. Any
vectors do after a random rotation, and cosines stay what they were.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

SEED: Final = 0x7468656E6172
"""``thenar`` in ASCII. Whoever changes it changes every packed code."""

_STEPS: Final = float(1 << 24)
"""Numbers are rounded to this fraction, so that they do not depend on the last bits of the
linear algebra of a machine; cosines change by less than a millionth."""


@cache
def fixed_rotation(dimension: int) -> NDArray[np.float32]:
    """Return an orthonormal matrix, shape (dimension, dimension), float32, the same everywhere.

    The orthonormal factor of a Gaussian matrix, with the signs that make it uniform among
    rotations and reflections. Mezzadri 2007.
    """
    gaussian = np.random.Generator(np.random.PCG64(SEED)).standard_normal((dimension,) * 2)
    orthonormal, triangle = np.linalg.qr(gaussian)
    uniform = orthonormal * np.sign(np.diag(triangle))
    matrix = (np.rint(uniform * _STEPS) / _STEPS).astype(np.float32)
    matrix.setflags(write=False)
    return matrix
