"""Measures of the human hand, as a left hand seen from its palm.

The *palm frame*: unit is the distance of landmarks 5 and 17, origin the mean of 5, 9, 13 and
17; x to the little finger, y to the wrist, z to the viewer. Right hands are mirrored when
posed.

Joint positions are medians over 207 palm pictures of 55 hands, located with the MediaPipe
landmark network; segment spreads are standard deviations.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]
"""A float32 array."""

F64 = NDArray[np.float64]
"""A float64 array."""

U8 = NDArray[np.uint8]
"""A uint8 array."""

WRIST: Final = 0
THUMB: Final = (1, 2, 3, 4)
FINGERS: Final = ((5, 6, 7, 8), (9, 10, 11, 12), (13, 14, 15, 16), (17, 18, 19, 20))
"""Landmark numbers of MediaPipe Hands, from the knuckle to the tip; index finger first."""

REST_JOINTS: Final[F64] = np.array(
    [
        (0.286, 1.447), (-0.299, 1.294), (-0.751, 0.906), (-1.000, 0.470), (-1.240, 0.110),
        (-0.497, 0.059), (-0.672, -0.525), (-0.765, -0.885), (-0.840, -1.209),
        (-0.167, -0.065), (-0.334, -0.708), (-0.431, -1.127), (-0.502, -1.476),
        (0.161, -0.052), (0.051, -0.654), (-0.033, -1.036), (-0.105, -1.362),
        (0.503, 0.059), (0.472, -0.410), (0.434, -0.715), (0.390, -1.000),
    ]
)  # fmt: skip
"""Shape (21, 2): the landmarks of the mean hand, flat, fingers a little apart."""

SEGMENT_SPREAD: Final = 0.055
"""Relative standard deviation of the length of one segment of a finger."""

FINGER_RADII: Final[F64] = np.array(
    [
        (0.178, 0.152, 0.136, 0.104),
        (0.176, 0.154, 0.138, 0.106),
        (0.172, 0.146, 0.130, 0.100),
        (0.158, 0.124, 0.112, 0.088),
    ]
)
"""Shape (4, 4): half breadth of each finger at knuckle, middle and end joint, tip."""

THUMB_RADII: Final = (0.235, 0.188, 0.168, 0.112)
"""Half breadth of the thumb at landmarks 1 to 4."""

BONE_PALM: Final = 0
BONE_FOREARM: Final = 1
BONE_THUMB: Final = 2
BONE_FINGER: Final = 5
BONE_COUNT: Final = 17
"""Bones: palm, forearm, three of the thumb (2–4), three of each finger (5–16)."""
