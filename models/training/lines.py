"""Lines of regions as a training stores them: responses at the code's cells, in eight bits."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.features.competitive_code import Lines
from engine.parameters import CODE_CELLS, CODE_DIRECTIONS, ROI_SIZE_PX

LINE_PLANES: Final = CODE_DIRECTIONS + 1
"""Responses of all directions, and where skin is seen."""

LINE_UNIT: Final = 40 / 127
"""Response of one step of eight bits; stronger ones are clipped."""

_STEP: Final = ROI_SIZE_PX // CODE_CELLS
_CELLS: Final = np.s_[..., _STEP // 2 :: _STEP, _STEP // 2 :: _STEP]


def cells_of(lines: Lines) -> NDArray[np.int8]:
    """Return the lines of a region at its cells, shape (LINE_PLANES, 32, 32), int8.

    Responses in steps of ``LINE_UNIT``, lower for darker lines; then 1 where skin is seen.
    """
    steps = (lines.responses[_CELLS] / LINE_UNIT).round().clip(-127, 127)
    return np.concatenate([steps, lines.seen[_CELLS][None]]).astype(np.int8)
