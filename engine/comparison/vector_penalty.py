"""The vectors' half of the comparison score: a penalty on the codes' score.

A cosine is compared with that of mated templates at the same shift of the codes, and only a
deficit is subtracted: codes that agree by chance do so at large shifts, with unlike vectors.
Fitted to drawn palms by ``thenar bench calibrate --drawn``.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from engine.errors import CalibrationFault
from engine.parameters import CODE_FAR_CELLS
from engine.types import ExtractorId

CALIBRATIONS: Final = Path(__file__).resolve().parents[1] / "decision" / "calibrations"
"""Folder of ``<extractor>.toml``, written by ``thenar bench calibrate``."""


@dataclass(frozen=True, slots=True)
class VectorPenalty:
    """An extractor's penalty.

    Attributes:
        weight: of the deficit, 0 (codes alone) to 1.
        expected_cosines: exceeded by nine tenths of mated templates at a shift of 0 to 4 cells;
            −1 to 1 each.
    """

    weight: float
    expected_cosines: tuple[float, ...]

    def __post_init__(self) -> None:
        """Refuse numbers that could raise a score."""
        sound = (
            len(self.expected_cosines) == CODE_FAR_CELLS + 1
            and all(-1 <= cosine <= 1 for cosine in self.expected_cosines)
            and 0 <= self.weight <= 1
            and math.isfinite(self.weight)
        )
        if not sound:
            raise CalibrationFault("the calibration's vector penalty is out of range")

    def penalties(
        self, cosines: NDArray[np.float32], shifts: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """Return the amounts to subtract, shape (count,), float32, at least 0; NaN for NaN."""
        expected = np.array(self.expected_cosines, np.float32)[shifts]
        lacking = np.maximum(expected - cosines, np.float32(0))
        return np.asarray(np.float32(self.weight) * lacking, np.float32)


NO_PENALTY: Final = VectorPenalty(0.0, (-1.0,) * (CODE_FAR_CELLS + 1))
"""Codes alone."""


@lru_cache(maxsize=16)
def load_vector_penalty(extractor_id: ExtractorId) -> VectorPenalty:
    """Return an extractor's penalty; ``NO_PENALTY`` without a calibration."""
    path = CALIBRATIONS / f"{extractor_id}.toml"
    if not path.is_file():
        return NO_PENALTY
    try:
        return parse_vector_penalty(tomllib.loads(path.read_text("utf-8")))
    except tomllib.TOMLDecodeError as fault:
        raise CalibrationFault("the calibration is damaged") from fault


def parse_vector_penalty(document: Mapping[str, Any]) -> VectorPenalty:
    """Read the table ``doubt`` of a calibration. Raises ``CalibrationFault``."""
    try:
        table = document["doubt"]
        cosines = tuple(float(cosine) for cosine in table["expected_cosines"])
        return VectorPenalty(float(table["weight"]), cosines)
    except (KeyError, TypeError, ValueError, OverflowError) as fault:
        raise CalibrationFault("the calibration has no valid vector penalty") from fault
