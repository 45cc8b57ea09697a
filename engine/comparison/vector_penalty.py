"""How far a template's vector may doubt what its code says: one half of the comparison score.

The code is the better judge, and it searches shifts; vectors bear small shifts only. So the
cosine of two vectors is held against what mates have at the shift at which the codes agree
best, and only a lack of it counts, never an abundance: it is taken away from the code's score,
times a weight. Two people whose codes agree by chance, at a large shift, are mostly unlike to
the vector; mates hardly lose. What lifts a score would lift look-alikes as much as mates.

Both numbers belong to an extractor, stand in the file of its calibration, which is of these
scores, and are fitted to drawn palms alone by ``thenar bench fusion``.
"""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from engine.errors import CalibrationFault
from engine.parameters import CODE_FAR_CELLS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from engine.types import ExtractorId

CALIBRATIONS: Final = Path(__file__).resolve().parents[1] / "decision" / "calibrations"
"""One file for each extractor: ``<extractor>.toml``. ``thenar bench fusion`` begins it,
``thenar bench calibrate`` completes it."""


@dataclass(frozen=True, slots=True)
class VectorPenalty:
    """What an extractor's vectors may take from the scores of its codes.

    Attributes:
        weight: of what is lacking, 0 (codes alone) to 1.
        expected_cosines: what nine tenths of plausible mates exceed whose codes agree at a
            shift of 0 to 4 cells; −1 to 1 each.
    """

    weight: float
    expected_cosines: tuple[float, ...]

    def __post_init__(self) -> None:
        """Refuse numbers that could lift a score, or that no shift leads to.

        Raises:
            CalibrationFault: they are such.
        """
        sound = (
            len(self.expected_cosines) == CODE_FAR_CELLS + 1
            and all(-1 <= cosine <= 1 for cosine in self.expected_cosines)
            and 0 <= self.weight <= 1
            and math.isfinite(self.weight)
        )
        if not sound:
            raise CalibrationFault("the doubt of the vectors is none")

    def penalties(
        self, cosines: NDArray[np.float32], shifts: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """Return what is taken from the codes' scores.

        Args:
            cosines: of the vectors, shape (count,), −1 to 1.
            shifts: in cells, at which the codes agree best, shape (count,), 0 to 4.

        Returns:
            Shape (count,), float32, 0 or more; not a number where a cosine is none.
        """
        expected = np.array(self.expected_cosines, np.float32)[shifts]
        lacking = np.maximum(expected - cosines, np.float32(0))
        return np.asarray(np.float32(self.weight) * lacking, np.float32)


NO_PENALTY: Final = VectorPenalty(0.0, (-1.0,) * (CODE_FAR_CELLS + 1))
"""Codes alone."""


@lru_cache(maxsize=16)
def load_vector_penalty(extractor_id: ExtractorId) -> VectorPenalty:
    """Return the doubt of an extractor, as its calibration has it.

    Without a calibration it is ``NO_PENALTY``: such an extractor has scores, but no threshold
    that they could meet.

    Raises:
        CalibrationFault: the file is damaged.
    """
    path = CALIBRATIONS / f"{extractor_id}.toml"
    if not path.is_file():
        return NO_PENALTY
    try:
        return parse_vector_penalty(tomllib.loads(path.read_text("utf-8")))
    except tomllib.TOMLDecodeError as fault:
        raise CalibrationFault("the calibration is damaged") from fault


def parse_vector_penalty(document: Mapping[str, Any]) -> VectorPenalty:
    """Read the table ``doubt`` of a calibration.

    Raises:
        CalibrationFault: it is missing or damaged.
    """
    try:
        table = document["doubt"]
        cosines = tuple(float(cosine) for cosine in table["expected_cosines"])
        return VectorPenalty(float(table["weight"]), cosines)
    except (KeyError, TypeError, ValueError, OverflowError) as fault:
        raise CalibrationFault("the calibration does not say how far vectors doubt") from fault
